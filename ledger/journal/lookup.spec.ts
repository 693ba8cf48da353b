/** Look-ups: what one ledger has written, every other one knows when it is asked. */
import { describe, expect, it, jest } from '@jest/globals';
import { JOURNAL } from '#contracts/events/journal';
import type { Archive } from '#ledger/journal/archive';
import type { JournalCommand } from '#ledger/journal/commands';
import { Journal } from '#ledger/journal/journal';
import type { JournalOptions } from '#ledger/journal/options';
import { Unavailable } from '#ledger/rejection';
import {
  cancel,
  completePayout,
  contextOf,
  decline,
  failPayout,
  JUNO,
  MILO,
  minor,
  open,
  openAccount,
  payoutTransferred,
  refund,
  requestPayout,
  returnPayout,
  settle,
  submit,
  submitPayout,
} from '#test/support/journal-spec';
import { archiveOf } from '#test/support/log-archive';
import { MemoryLog } from '#test/support/memory-log';

const tip = { paymentId: 'pay_1', amount: '20.00' };
const past = [openAccount(JUNO), openAccount(MILO), open(tip), decline(tip), submit(tip), settle(tip)];
const fillers = (name: string): JournalCommand[] =>
  Array.from({ length: 6 }, (_, n) => openAccount(`usr_${name}_${n}`));
const window = { ms: 3_600_000, entries: 4 };

/** An archive whose database has stopped: nobody who asks it is ever answered. */
const SILENT: Archive = {
  find: () => new Promise(() => undefined),
  entriesOf: () => new Promise(() => undefined),
};

async function journalOn(log: MemoryLog, options: Partial<JournalOptions> = {}) {
  const journal = await Journal.open(log, { archive: archiveOf(log), ...options });
  return {
    journal,
    run: async (...commands: JournalCommand[]) => {
      let revision = -1;
      for (const command of commands) ({ revision } = await journal.execute(command, contextOf(command)));
      return revision;
    },
  };
}

/** Counts the reads of the journal, and how many of them were under way at once. */
class CountedLog extends MemoryLog {
  reads: { from: number; limit: number | undefined }[] = [];
  mostAtOnce = 0;
  #underWay = 0;

  override async *readStream(stream: string, from: number, limit?: number) {
    this.reads.push({ from, limit });
    this.#underWay += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#underWay);
    try {
      await new Promise((resolve) => setImmediate(resolve));
      yield* super.readStream(stream, from, limit);
    } finally {
      this.#underWay -= 1;
    }
  }
}

describe('a look-up', () => {
  it('finds at one ledger a payment that another has just opened, with no database at hand', async () => {
    const log = new MemoryLog();
    const here = await journalOn(log, { archive: SILENT });
    const there = await journalOn(log, { archive: SILENT });
    const revision = await here.run(openAccount(JUNO), openAccount(MILO), open(tip));
    expect(await there.journal.look('payment', 'pay_1', revision)).toMatchObject({
      status: 'opened',
      payerId: MILO,
      amountMinor: minor('20.00'),
      method: 'card',
    });
    await here.run(submit(tip));
    expect(await there.journal.look('payment', 'pay_1')).toMatchObject({
      status: 'submitted',
      intentId: 'pi_pay_1',
    });
  });

  it('knows what was written by another while it is writing itself', async () => {
    const log = new MemoryLog();
    const here = await journalOn(log, { archive: SILENT });
    const there = await journalOn(log, { archive: SILENT });
    await here.run(openAccount(JUNO), openAccount(MILO));
    const busy = Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        await there.run(openAccount(`usr_busy_${n}`));
      }),
    );
    const paymentIds = Array.from({ length: 10 }, (_, n) => `pay_${n}`);
    for (const paymentId of paymentIds) {
      await here.run(open({ ...tip, paymentId }));
      expect(await there.journal.look('payment', paymentId)).toMatchObject({ status: 'opened' });
    }
    await busy;
  });

  it('reads nothing for a revision that the ledger has seen, and only to the end for one it has not', async () => {
    const log = new CountedLog();
    const { journal, run } = await journalOn(log, { archive: SILENT });
    const revision = await run(openAccount(JUNO), openAccount(MILO), open(tip));
    log.reads = [];
    await journal.look('payment', 'pay_1', revision);
    await journal.look('payment', 'pay_1');
    expect(log.reads).toEqual([]);
  });

  it('finds nothing where there is nothing, and no payout under the id of a payment', async () => {
    const log = new MemoryLog();
    const { journal, run } = await journalOn(log, { window });
    await run(...past, ...fillers('a'));
    expect(await journal.look('payment', 'pay_unknown')).toBeUndefined();
    expect(await journal.look('payout', 'pay_1')).toBeUndefined();
  });

  it('says of what is archived what it said while it was resident', async () => {
    const log = new MemoryLog();
    const { journal, run } = await journalOn(log, { window });
    const gone = { ...tip, paymentId: 'pay_gone' };
    await run(...past, open(gone), decline(gone), cancel(gone));
    await run(requestPayout('12.00'), payoutTransferred(), submitPayout(), completePayout());
    await run(returnPayout(), failPayout('trr_1'));
    const fresh = await journalOn(log);
    await run(...fillers('a'));
    for (const [kind, id] of [
      ['payment', 'pay_1'],
      ['payment', 'pay_gone'],
      ['payout', 'out_1'],
    ] as const) {
      const known = await fresh.journal.look(kind, id);
      expect(known).toBeDefined();
      expect(await journal.look(kind, id)).toEqual(known);
    }
    expect(await journal.look('payment', 'pay_gone')).toMatchObject({
      status: 'canceled',
      cancelReason: 'abandoned',
      failure: { code: 'card_declined' },
    });
  });

  it('reads neighbouring entries of the archive in one go, and those far apart side by side', async () => {
    const log = new CountedLog();
    const { journal, run } = await journalOn(log, { window });
    await run(...past, ...fillers('a'), refund(tip, '1.00', 're_1'), ...fillers('b'));
    await run(refund(tip, '2.00', 're_2'), ...fillers('c'));
    // The archive of a spec reads the whole log; the reads of single entries have a limit.
    log.reads = [];
    expect(await journal.look('payment', 'pay_1')).toMatchObject({
      status: 'settled',
      refunds: [{ refundId: 're_1' }, { refundId: 're_2' }],
    });
    expect(log.reads.filter(({ limit }) => limit !== undefined)).toEqual([
      { from: 2, limit: 4 },
      { from: 12, limit: 1 },
      { from: 19, limit: 1 },
    ]);
    expect(log.mostAtOnce).toBe(3);
  });

  it('is answered "come back" while the archive is behind, and never with half of the past', async () => {
    const log = new MemoryLog();
    let now = Date.now();
    let through = Infinity;
    const { journal, run } = await journalOn(log, {
      window,
      archive: archiveOf(log, () => ((now += 1_000), through)),
      clock: () => new Date(now),
    });
    await run(...past, ...fillers('a'));
    through = 3;
    await expect(journal.look('payment', 'pay_1')).rejects.toBeInstanceOf(Unavailable);
    through = Infinity;
    expect(await journal.look('payment', 'pay_1')).toMatchObject({ status: 'settled' });
  });

  it('is answered "come back" when the log does not answer, and nothing once the journal is closed', async () => {
    const log = new MemoryLog();
    const { journal, run } = await journalOn(log, { answerWithinMs: 500 });
    await run(openAccount(JUNO), openAccount(MILO), open(tip));
    log.setReachable(false);
    await expect(journal.look('payment', 'pay_1')).rejects.toBeInstanceOf(Unavailable);
    log.setReachable(true);
    expect(log.all.filter(({ stream }) => stream === JOURNAL)).toHaveLength(3);
    await journal.close();
    await expect(journal.look('payment', 'pay_1')).rejects.toBeInstanceOf(Unavailable);
  });

  it('waits no longer than a command for a revision that the log does not have', async () => {
    const log = new MemoryLog();
    let now = Date.now();
    const { journal, run } = await journalOn(log, { clock: () => new Date(now), answerWithinMs: 1_000 });
    await run(openAccount(JUNO));
    const looked = journal.look('payment', 'pay_1', 7);
    now += 2_000;
    await expect(looked).rejects.toBeInstanceOf(Unavailable);
  });

  it('waits through an outage as long as whoever opened the journal lets a command wait', async () => {
    const log = new MemoryLog();
    const { journal, run } = await journalOn(log, { answerWithinMs: 120_000 });
    await run(openAccount(JUNO), openAccount(MILO), open(tip));
    jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'performance', 'setImmediate', 'setInterval'] });
    try {
      log.setReachable(false);
      const looked = journal.look('payment', 'pay_1');
      await jest.advanceTimersByTimeAsync(60_000);
      log.setReachable(true);
      await jest.advanceTimersByTimeAsync(1_000);
      expect(await looked).toMatchObject({ paymentId: 'pay_1' });
    } finally {
      jest.useRealTimers();
    }
  });
});
