/**
 * What the report collects from a log: the figures are derived, and each entry that a check names can be
 * opened.
 */
import { describe, expect, it } from '@jest/globals';
import {
  fund,
  JUNO,
  MILO,
  open,
  openAccount,
  openWallet,
  settle,
  submit,
  transfer,
} from '#test/support/journal-spec';
import type { JournalCommand } from '#ledger/journal/commands';
import { profileOf } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { inclusionProof, leafHash, nodeHash, rootOf, type HashReader } from '#log/transparency/merkle';
import type { Anchor } from '../transparency/anchor.js';
import { treeOf } from '../transparency/log-tree.js';
import { verifyEvents } from '../verify.js';
import { ENTRIES_SHOWN, gather } from './gather.js';
import { stepsOf } from './inclusion.js';
import { reportPage } from './page.js';
import type { AuditReport } from './report.js';

const tip = { paymentId: 'pay_tip', amount: '20.00' };

function story(): Story {
  const told = new Story();
  told.register(JUNO, profileOf('juno'));
  told.command(openAccount(JUNO), openAccount(MILO), open(tip), submit(tip), settle(tip));
  return told;
}

const reportOf = async ({ log }: Story): Promise<AuditReport> =>
  gather({ source: log, checks: await verifyEvents(log), startedMs: 1000, nowMs: () => 3500 });

describe('the report’s figures', () => {
  it('are balances by the audit’s own derivation, which add up to zero', async () => {
    const told = story();
    told.command(openWallet(), fund('5.00'));
    const { people, outside, events, entryCount, tookMs } = await reportOf(told);
    expect(people.map(({ label, minor }) => [label, minor])).toEqual([
      ['Available', 1500],
      ['On the way to banks', 0],
      ['Wallets', 500],
    ]);
    expect(outside).toEqual([{ label: 'Card clearing', minor: -2000, search: 'platform/card-clearing' }]);
    expect({ events, entryCount, tookMs }).toEqual({ events: 8, entryCount: 7, tookMs: 2500 });
  });

  it('are apart for each currency, with as many decimals as it has', async () => {
    const told = story();
    const stray = { ...settle({ paymentId: 'pay_stray', amount: '9.00' }), currency: 'jpy' };
    told.command(stray as JournalCommand);
    const text = reportPage(await reportOf(told))
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ');
    expect(text).toContain(
      'Facing outside -20.00 Facing outside, JPY Card clearing -900 Unapplied 900 Added up, JPY 0',
    );
    expect(text).toContain('Everything added up 0.00');
    expect(text).toContain('900 JPY');
  });

  it('say what was held at the end of each day, also of one without an entry', async () => {
    const told = story();
    const day = new Date(told.nowMs).toISOString().slice(0, 10);
    told.nowMs += 2 * 24 * 3_600_000;
    const second = { paymentId: 'pay_second', amount: '10.00' };
    told.command(open(second), submit(second), settle(second));
    const { days } = await reportOf(told);
    expect(days.map(({ minor }) => minor)).toEqual([2000, 2000, 3000]);
    expect(days[0]?.day).toBe(day);
  });

  it('have the newest entries with who asked and what each is about', async () => {
    const told = story();
    told.command(transfer('3.00', JUNO, MILO));
    const [newest, before] = (await reportOf(told)).entries;
    expect(newest).toMatchObject({
      type: 'TransferPosted',
      subject: { label: 'Transfer', id: 'trf_1' },
      previousHash: before!.hash,
    });
    expect(newest!.postings).toMatchObject([{ amountMinor: 300 }]);
  });

  it('name an entry that a check found wrong, however old it is', async () => {
    const told = story();
    for (let at = 0; at < ENTRIES_SHOWN; at += 1) told.command(transfer('0.01', JUNO, MILO, `trf_${at}`));
    const checks = [{ name: 'entries', figure: '', findings: ['journal at revision 2: changed'] }];
    const { entries } = await gather({ source: told.log, checks, startedMs: 0, nowMs: () => 0 });
    expect(entries).toHaveLength(ENTRIES_SHOWN + 1);
    expect(entries.at(-1)?.revision).toBe(2);
  });
});

describe('the proofs', () => {
  const anchorOver = async ({ log }: Story, size: number, root?: Buffer): Promise<Anchor> => ({
    head: {
      origin: 'encore.example',
      size,
      root: root ?? (await rootOf((await treeOf(log)).hashes(size), size)),
    },
    note: {
      origin: 'encore.example',
      size,
      signedAt: new Date('2026-11-22T00:00:00Z'),
      journal: { revision: 4, hash: '' },
    },
    file: { format: 'encore-anchor/1', checkpoint: '', journal: '', verifierKey: '' },
  });
  const reported = async (told: Story, anchor: Anchor): Promise<AuditReport> =>
    gather({ source: told.log, checks: [], startedMs: 0, nowMs: () => 0, anchor });

  it('show each entry under the signed head, but those written after it', async () => {
    const told = story();
    const anchor = await anchorOver(told, told.log.all.length);
    told.command(transfer('3.00', JUNO, MILO));
    const [later, ...proven] = (await reported(told, anchor)).entries;
    expect(later?.proof).toBeUndefined();
    expect(proven.map(({ proof }) => proof?.rootHash)).toEqual(
      proven.map(() => anchor.head.root.toString('base64')),
    );
    expect(proven.map(({ proof }) => proof?.publishedAt)).toContain('2026-11-22T00:00:00.000Z');
  });

  it('are none by a head that was signed over another log, or over more than there is', async () => {
    const told = story();
    for (const anchor of [
      await anchorOver(told, 3, Buffer.alloc(32)),
      await anchorOver(told, told.log.all.length + 1, Buffer.alloc(32)),
    ])
      expect((await reported(told, anchor)).entries.every(({ proof }) => proof === undefined)).toBe(true);
  });
});

describe('the way to the root', () => {
  it('says how many events each step brings in: together they are the whole tree', async () => {
    for (const size of [1, 2, 3, 5, 8, 13, 21]) {
      const leaves = Array.from({ length: size }, (_, at) => leafHash(Buffer.from([at])));
      const read: HashReader = async (level, index) =>
        level === 0
          ? leaves[index]!
          : nodeHash(await read(level - 1, index * 2), await read(level - 1, index * 2 + 1));
      expect(await rootOf(read, size)).toHaveLength(32);
      for (let index = 0; index < size; index += 1) {
        const steps = stepsOf({ index, size, path: await inclusionProof(read, index, size) });
        const covered = (where: string): number =>
          steps
            .filter((step) => step.with.endsWith(where))
            .reduce((sum, step) => sum + Number(/\d+/.exec(step.with)?.[0] ?? 1), 0);
        expect([size, index, covered('before'), covered('after')]).toEqual([
          size,
          index,
          index,
          size - 1 - index,
        ]);
      }
    }
  });
});
