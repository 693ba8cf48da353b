/** Wallets and what moves in them. Each event is fed twice; a replay yields the same rows. */
import { TextReader } from '../engine/text-reader.js';
import { describe, expect, it } from '@jest/globals';
import {
  closeWallet,
  fund,
  JUNO,
  MILO,
  open,
  openAccount,
  openWallet,
  renameWallet,
  settle,
  WALLET,
  withdraw,
} from '#test/support/journal-spec';
import { sealedFor } from '#test/support/plain-vault';
import { useReadSides, type ReadSide } from '#test/support/read-side';
import { projectWallets } from './project.js';
import { walletsOf, walletTransactionsOf, type WalletTransactionFilter } from './queries.js';

const sides = useReadSides();

const tip = { paymentId: 'pay_tip', amount: '50.00' };

async function withWallet(): Promise<ReadSide> {
  const side = await sides.open();
  side.story.command(openAccount(JUNO), openAccount(MILO), open(tip), settle(tip));
  side.story.command({ ...openWallet(), description: sealedFor(JUNO, 'Vans and hotels') } as never);
  return side;
}

const listed = async (side: ReadSide, filter: WalletTransactionFilter) =>
  (await walletTransactionsOf(side.db, JUNO, filter)).lines;

describe('wallets', () => {
  it('are there from the start, with their names in the clear and nothing in them', async () => {
    const side = await withWallet();
    await side.feed();
    expect(await walletsOf(side.db, JUNO)).toEqual([
      {
        id: WALLET,
        displayName: 'Tour',
        description: 'Vans and hotels',
        balanceMinor: 0,
        currency: 'usd',
        openedAt: expect.any(Date),
      },
    ]);
    expect(await walletsOf(side.db, MILO)).toEqual([]);
  });

  it('hold what was put in less what was taken out, and list each', async () => {
    const side = await withWallet();
    side.story.command(
      { ...fund('20.00'), description: sealedFor(JUNO, 'For the van') } as never,
      withdraw('7.50'),
    );
    await side.feed();
    expect(await walletsOf(side.db, JUNO)).toMatchObject([{ balanceMinor: 1250 }]);
    const { lines } = await walletTransactionsOf(side.db, JUNO);
    expect(lines).toMatchObject([
      {
        id: 'wtx_out',
        walletId: WALLET,
        walletName: 'Tour',
        type: 'debit',
        amountMinor: 750,
        description: null,
      },
      { id: 'wtx_in', type: 'credit', amountMinor: 2000, description: 'For the van' },
    ]);
    expect((await walletTransactionsOf(side.db, MILO)).lines).toEqual([]);
  });

  it('are listed by page, each wallet’s or all of them', async () => {
    const side = await withWallet();
    side.story.command(openWallet(JUNO, 'wal_2'));
    side.story.command(fund('1.00', 'wtx_1'), fund('2.00', 'wtx_2', JUNO, 'wal_2'), fund('3.00', 'wtx_3'));
    await side.feed();
    const first = await walletTransactionsOf(side.db, JUNO, { limit: 2 });
    expect(first.lines.map(({ id }) => id)).toEqual(['wtx_3', 'wtx_2']);
    const second = await walletTransactionsOf(side.db, JUNO, { limit: 2, cursor: first.next! });
    expect(second).toEqual({ lines: [expect.objectContaining({ id: 'wtx_1' })], next: undefined });
    expect((await listed(side, { walletId: WALLET })).map(({ id }) => id)).toEqual(['wtx_3', 'wtx_1']);
    expect((await walletsOf(side.db, JUNO)).map(({ id, balanceMinor }) => [id, balanceMinor])).toEqual([
      [WALLET, 400],
      ['wal_2', 200],
    ]);
  });

  it('are narrowed to a time, to what went in or out, and to a text', async () => {
    const side = await withWallet();
    side.story.command({ ...openWallet(JUNO, 'wal_2'), displayName: sealedFor(JUNO, 'Taxes 100%') } as never);
    side.story.command(
      { ...fund('3.00', 'wtx_1'), description: sealedFor(JUNO, 'For the van') } as never,
      fund('2.00', 'wtx_2', JUNO, 'wal_2'),
      withdraw('1.00', 'wtx_3'),
    );
    await side.feed();
    const ids = async (filter: WalletTransactionFilter) => (await listed(side, filter)).map(({ id }) => id);
    expect(await ids({ type: 'debit' })).toEqual(['wtx_3']);
    expect(await ids({ text: 'VAN' })).toEqual(['wtx_1']);
    expect(await ids({ text: '0%' })).toEqual(['wtx_2']);
    expect(await ids({ text: 'tour', type: 'credit' })).toEqual(['wtx_1']);
    const [third, second] = await listed(side, {});
    expect(await ids({ from: second!.movedAt, until: third!.movedAt })).toEqual(['wtx_2']);
  });

  it('have their last name, and leave the list when they are closed; what moved stays listed', async () => {
    const side = await withWallet();
    side.story.command(fund('20.00'), renameWallet('Van'), openWallet(JUNO, 'wal_2'));
    await side.feed();
    expect(
      (await walletsOf(side.db, JUNO)).map(({ displayName, description }) => [displayName, description]),
    ).toEqual([
      ['Van', null],
      ['Tour', null],
    ]);
    side.story.command(closeWallet(), closeWallet('wtx_none', JUNO, 'wal_2'));
    await side.feed();
    expect(await walletsOf(side.db, JUNO)).toEqual([]);
    expect(await listed(side, {})).toMatchObject([
      { id: 'wtx_close', walletName: 'Van', type: 'debit', amountMinor: 2000, description: null },
      { id: 'wtx_in' },
    ]);
  });

  it('keep the money and lose the words when their owner is forgotten', async () => {
    const side = await withWallet();
    side.story.command({ ...fund('20.00'), description: sealedFor(JUNO, 'For the van') } as never);
    await side.feed();
    side.story.forget(JUNO);
    await side.feed();
    expect(await walletsOf(side.db, JUNO)).toMatchObject([
      { displayName: null, description: null, balanceMinor: 2000 },
    ]);
    expect((await walletTransactionsOf(side.db, JUNO)).lines).toMatchObject([
      { description: null, amountMinor: 2000 },
    ]);
  });

  it('stop the projector when money moves in one that was never opened', async () => {
    const side = await withWallet();
    const [funded] = side.story.command(fund('1.00'));
    await side.feed();
    const client = await side.db.connect();
    try {
      const stray = {
        ...funded!,
        data: { ...funded!.data, walletId: 'wal_none', movementId: 'wtx_none' },
      } as typeof funded;
      await expect(projectWallets([stray!], client, new TextReader(side.story.vault))).rejects.toThrow(
        /wallet/,
      );
    } finally {
      client.release();
    }
  });
});
