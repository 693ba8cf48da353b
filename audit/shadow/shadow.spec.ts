/**
 * The audit's derivation beside the table of balances: it is quiet while both agree, and names what does not.
 */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { JOURNAL, postingsOf, type JournalEvent } from '#contracts/events/journal';
import { available } from '#contracts/plain/accounts';
import { LogUnavailable, recorded } from '#log/event-log';
import {
  ADA,
  JUNO,
  JUNO_AVAILABLE,
  MILO,
  open,
  openAccount,
  settle,
  transfer,
} from '#test/support/journal-spec';
import { Story } from '#test/support/story';
import { Shadow, shadowReasons, type SeenBalances, type ShadowedRows } from './shadow.js';

const MINUTE_MS = 60_000;
const tip = { paymentId: 'pay_1', amount: '20.00' };

/** Rows as the projections make them: of the postings that entries carry. */
class Rows implements ShadowedRows {
  through = Number.POSITIVE_INFINITY;
  readonly edits = new Map<string, number>();
  asked: (readonly string[] | undefined)[] = [];
  onRead = (): void => undefined;

  constructor(private readonly log: () => Story['log']) {}

  async balances(accounts?: readonly string[]): Promise<SeenBalances> {
    this.asked.push(accounts);
    const balances = new Map<string, number>();
    let journalRevision = -1;
    for await (const raw of this.log().readStream(JOURNAL, 0)) {
      if (raw.revision > this.through) break;
      journalRevision = raw.revision;
      for (const { debit, credit, amountMinor } of postingsOf(recorded(raw) as JournalEvent)) {
        balances.set(debit, (balances.get(debit) ?? 0) - amountMinor);
        balances.set(credit, (balances.get(credit) ?? 0) + amountMinor);
      }
    }
    for (const [account, byMinor] of this.edits)
      balances.set(account, (balances.get(account) ?? 0) + byMinor);
    this.onRead();
    const isAsked = ([account]: [string, number]): boolean => accounts?.includes(account) ?? true;
    return { journalRevision, balances: new Map([...balances].filter(isAsked)) };
  }
}

describe('the shadow', () => {
  let story: Story;
  let rows: Rows;
  let shadow: Shadow;
  let nowMs: number;
  let pauses: number;
  let confirm: () => Promise<void>;
  beforeEach(() => {
    confirm = () => Promise.resolve();
    story = new Story();
    rows = new Rows(() => story.log);
    nowMs = Date.parse('2026-05-01T00:00:00Z');
    pauses = 0;
    shadow = new Shadow({
      log: {
        readStream: (...asked) => story.log.readStream(...asked),
        witness: () => ({ confirm: () => confirm() }),
      },
      rows,
      now: () => new Date(nowMs),
      pause: () => Promise.resolve(void pauses++),
    });
    story.command(openAccount(JUNO), openAccount(MILO), openAccount(ADA), open(tip), settle(tip));
  });
  const passLater = (ms = 10_000): Promise<void> => {
    nowMs += ms;
    return shadow.pass();
  };
  const said = (): string[] => shadowReasons(shadow.state);

  it('says nothing while the rows are what the entries come to, and when that was', async () => {
    await shadow.pass();
    story.command(transfer('5.00', JUNO, MILO));
    await passLater();
    expect(shadow.state).toEqual({
      ...{ revision: 5, differences: [], trouble: undefined },
      lastGoodAt: new Date('2026-05-01T00:00:10Z'),
    });
    expect(said()).toEqual([]);
  });

  it('compares at the entry at which the rows stand, however far behind, and while they go on', async () => {
    story.command(transfer('5.00', JUNO, MILO));
    rows.through = 4;
    await shadow.pass();
    expect(shadow.state).toMatchObject({ revision: 4, differences: [] });
    // The rows take another entry between the shadow's two looks.
    rows.onRead = () => (rows.through = 5);
    await passLater();
    rows.onRead = () => undefined;
    expect(shadow.state).toMatchObject({ revision: 5, differences: [] });
    rows.edits.set(available(MILO), 1);
    await passLater();
    expect(shadow.state.differences.map(({ account }) => account)).toEqual([available(MILO)]);
  });

  it('names a row that was changed, and is quiet again once it is mended', async () => {
    await shadow.pass();
    rows.edits.set(JUNO_AVAILABLE, 700);
    story.command(transfer('5.00', JUNO, MILO));
    await passLater();
    expect(said()).toEqual([
      'The balances of 1 account are not what the audit derives from the journal through entry 5: user/usr_juno/available has 2200 minor units in the table, and 1500 by its entries. Run "encore audit verify".',
    ]);
    expect(shadow.state.lastGoodAt).toEqual(new Date('2026-05-01T00:00:00Z'));
    rows.edits.clear();
    await passLater();
    expect(said()).toEqual([]);
  });

  it('names accounts where an entry carries postings that do not follow from it', async () => {
    await shadow.pass();
    story.command(open({ ...tip, paymentId: 'pay_2' }));
    const data = {
      ...{ paymentId: 'pay_2', payerId: MILO, recipientId: JUNO, amountMinor: 2_000, currency: 'usd' },
      ...{ intentId: 'pi_2', chargeId: 'ch_2', occurredAt: '2026-05-01T00:00:00.000Z' },
      postings: [{ debit: 'platform/card-clearing', credit: available(ADA), amountMinor: 2_000 }],
    };
    story.entry({ type: 'PaymentSettled', data });
    await passLater();
    expect(shadow.state.differences).toEqual([
      { account: JUNO_AVAILABLE, rowMinor: 2_000, derivedMinor: 4_000 },
      { account: available(ADA), rowMinor: 2_000, derivedMinor: 0 },
    ]);
  });

  it('asks for what moved, and every quarter of an hour for all', async () => {
    await shadow.pass();
    story.command(transfer('5.00', JUNO, MILO));
    rows.asked = [];
    await passLater();
    expect(rows.asked).toEqual([[], [JUNO_AVAILABLE, available(MILO)]]);
    rows.edits.set(available(ADA), 1);
    await passLater();
    expect(shadow.state.differences).toEqual([]);
    await passLater(15 * MINUTE_MS);
    expect(shadow.state.differences).toEqual([{ account: available(ADA), rowMinor: 1, derivedMinor: 0 }]);
  });

  it('derives a log that was won back from its first entry on, before it says anything', async () => {
    story.command(transfer('5.00', JUNO, MILO));
    await shadow.pass();
    const other = new Story();
    other.command(openAccount(JUNO), openAccount(MILO), openAccount(ADA), open(tip), settle(tip));
    other.command(transfer('3.00', JUNO, MILO), transfer('1.00', MILO, JUNO, 'trf_2'));
    story = other;
    await passLater();
    expect(shadow.state).toMatchObject({ revision: 6, differences: [] });
    // And one that is shorter than what was followed.
    story = new Story();
    story.command(openAccount(JUNO));
    await passLater();
    expect(shadow.state).toMatchObject({ revision: 0, differences: [], trouble: undefined });
  });

  it('says that it cannot follow where the log ends before the rows', async () => {
    await shadow.pass();
    const seen = await rows.balances();
    rows.balances = () => Promise.resolve({ ...seen, journalRevision: 9 });
    await passLater();
    expect(said()).toEqual([
      'The audit cannot follow the journal: The balances stand at entry 9 of the journal, and the log ends with 4. Run "encore audit verify".',
    ]);
  });

  it('does not say so by the word of a node that may have been cut off from the others', async () => {
    await shadow.pass();
    const seen = await rows.balances();
    rows.balances = () => Promise.resolve({ ...seen, journalRevision: 9 });
    confirm = () => Promise.reject(new LogUnavailable('It is not certain who leads'));
    await expect(passLater()).rejects.toThrow('It is not certain who leads');
    expect(said()).toEqual([]);
  });

  it('keeps what it knew while a store is away', async () => {
    await shadow.pass();
    const before = shadow.state;
    rows.balances = () => Promise.reject(new LogUnavailable('away'));
    await expect(passLater()).rejects.toThrow('away');
    expect(shadow.state).toBe(before);
  });

  it('gives way to others while it reads a long log, and counts what it took', async () => {
    for (let n = 2; n < 1_500; n++) story.command(transfer('0.01', JUNO, MILO, `trf_${n}`));
    await shadow.pass();
    expect(shadow.state).toMatchObject({ revision: 1_502, differences: [] });
    expect(pauses).toBeGreaterThan(0);
    expect(shadow.spentSeconds).toBeGreaterThan(0);
  });
});
