/** The writer: at most once, in one order, whatever the store, the network or another ledger does. */
import { describe, expect, it } from '@jest/globals';
import { available, platform } from '#contracts/plain/accounts';
import { JOURNAL } from '#contracts/events/journal';
import { Journal } from '#ledger/journal/journal';
import type { JournalOptions, JournalObservation } from '#ledger/journal/options';
import type { Receipt } from '#ledger/journal/receipt';
import type { JournalCommand } from '#ledger/journal/commands';
import { AppendDenied, OutcomeUnknown, recorded } from '#log/event-log';
import { OutcomeOpen, StoreAway, Unavailable } from '#ledger/rejection';
import { MemoryLog } from '#test/support/memory-log';
import { MemoryNode } from '#test/support/memory-node';
import { archiveOf } from '#test/support/log-archive';
import {
  ADA,
  cancel,
  CARD,
  collect,
  collecting,
  completePayout,
  contextOf,
  decline,
  failPayout,
  failUnapplied,
  JUNO,
  MILO,
  minor,
  open,
  openAccount,
  payoutTransferred,
  refund,
  requestPayout,
  returnPayout,
  returnUnapplied,
  settle,
  submit,
  submitPayout,
  transfer,
  uuidV7,
} from '#test/support/journal-spec';
import { ChainVerifier } from '#log/chain';
import { markCopy } from '#log/copy-mark';
import { StoredContent } from '#log/stored-content';
import { KEY_SKEW_MS, userKey } from './keys.js';

const tip = { paymentId: 'pay_1', amount: '20.00' };

async function journalOn(log: MemoryLog | MemoryNode, options: Partial<JournalOptions> = {}) {
  const journal = await Journal.open(log, { archive: archiveOf(log), ...options });
  return {
    journal,
    run: (command: JournalCommand, context = {}) => journal.execute(command, contextOf(command, context)),
  };
}

/** The same log at the end of a road on which appends can be held up, all of them, and arrive in order. */
class SlowRoad extends MemoryLog {
  private held = Promise.resolve();

  constructor(private readonly end: MemoryLog) {
    super();
  }

  /** Holds up what is sent from here on; call what it returns to let it arrive. */
  hold(): () => void {
    let arrive = (): void => undefined;
    this.held = new Promise((resolve) => (arrive = resolve));
    return arrive;
  }

  override async append(...sent: Parameters<MemoryLog['append']>): ReturnType<MemoryLog['append']> {
    await this.held;
    return this.end.append(...sent);
  }

  override readStream(...asked: Parameters<MemoryLog['readStream']>): ReturnType<MemoryLog['readStream']> {
    return this.end.readStream(...asked);
  }

  override lastOf(stream: string): ReturnType<MemoryLog['lastOf']> {
    return this.end.lastOf(stream);
  }
}

/** Some turns of the event loop, in which a writer decides what waits. */
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
}

async function inOrder(
  run: (command: JournalCommand) => Promise<Receipt>,
  ...commands: JournalCommand[]
): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  for (const command of commands) receipts.push(await run(command));
  return receipts;
}

const entriesOf = (log: MemoryLog) => log.all.filter(({ stream }) => stream === JOURNAL);
const typesIn = (log: MemoryLog) => entriesOf(log).map(({ type }) => type);

/** Every entry chained, no key twice: whatever a spec did to the log, this holds afterwards. */
function expectSound(log: MemoryLog): void {
  const chain = new ChainVerifier(JOURNAL);
  for (const raw of entriesOf(log)) chain.next(raw);
  const keys = entriesOf(log).map((raw) => recorded(raw).metadata.key);
  expect(new Set(keys).size).toBe(keys.length);
}

describe('the journal', () => {
  it('takes a payment from opened to settled, and answers with the place of each entry', async () => {
    const log = new MemoryLog();
    const { journal, run } = await journalOn(log);
    const receipts = await inOrder(
      run,
      openAccount(JUNO),
      openAccount(MILO),
      open(tip),
      submit(tip),
      settle(tip),
    );
    expect(receipts.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4]);
    expect(receipts.at(-1)!.position).toEqual(log.all.at(-1)!.position);
    expect(journal.balanceOf(available(JUNO))).toBe(minor('20.00'));
    expectSound(log);
  });

  it('writes what waits together in one append', async () => {
    const log = new MemoryLog();
    const { run } = await journalOn(log);
    await Promise.all(Array.from({ length: 300 }, (_, n) => run(openAccount(`usr_${n}`))));
    expect(entriesOf(log)).toHaveLength(300);
    expect(log.appends).toBeLessThanOrEqual(3);
    expectSound(log);
  });

  it('decides each command on what the ones before it leave, also within one batch', async () => {
    const log = new MemoryLog();
    const { journal, run } = await journalOn(log);
    await inOrder(run, openAccount(JUNO), openAccount(MILO), openAccount(ADA), open(tip), settle(tip));
    const results = await Promise.allSettled([
      run(transfer('15.00', JUNO, MILO, 'trf_a')),
      run(transfer('15.00', JUNO, ADA, 'trf_b')),
      run(transfer('5.00', JUNO, ADA, 'trf_c')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((results[1] as PromiseRejectedResult).reason).toMatchObject({ reason: 'InsufficientFunds' });
    expect(journal.balanceOf(available(JUNO))).toBe(0);
  });

  it('answers a repeat with the original’s place, also after a restart', async () => {
    const log = new MemoryLog();
    const first = await journalOn(log);
    const [, , original] = await inOrder(first.run, openAccount(JUNO), openAccount(MILO), open(tip));
    const again = await first.run(open(tip));
    const restarted = await journalOn(log);
    const later = await restarted.run(open(tip));
    for (const repeat of [again, later]) expect(repeat).toEqual({ ...original, repeated: true });
    expect(typesIn(log).filter((type) => type === 'PaymentOpened')).toHaveLength(1);
  });

  it('drains what waits when it is closed, and takes nothing after', async () => {
    const log = new MemoryLog();
    const { journal, run } = await journalOn(log);
    const waiting = [run(openAccount(JUNO)), run(openAccount(MILO))];
    await journal.close();
    expect((await Promise.all(waiting)).map(({ revision }) => revision)).toEqual([0, 1]);
    await expect(run(openAccount(ADA))).rejects.toBeInstanceOf(Unavailable);
  });

  it('does not begin on a copy that is not complete, and does when it is', async () => {
    const log = new MemoryLog();
    await markCopy(log, 'under way');
    await expect(journalOn(log)).rejects.toThrow('The log is a copy that is not complete.');
    await markCopy(log, 'complete');
    const { run } = await journalOn(log);
    expect((await run(openAccount(JUNO))).revision).toBe(0);
  });

  it('refuses to open on a journal that was edited', async () => {
    const log = new MemoryLog();
    const { run } = await journalOn(log);
    await inOrder(run, openAccount(JUNO), openAccount(MILO), open(tip), settle(tip));
    const data = StoredContent.of({ ...(log.all[3]!.data.value as object), amountMinor: 9_000 });
    log.all[3] = { ...log.all[3]!, data };
    log.reindex();
    await expect(journalOn(log)).rejects.toThrow(/not what was written/);
  });

  it('records nothing while this machine’s clock is more than five minutes ahead of the store’s', async () => {
    const log = new MemoryLog(() => new Date(Date.now() - 6 * 60_000));
    const { journal, run } = await journalOn(log);
    await expect(run(openAccount(JUNO))).rejects.toThrow(/minutes ahead/);
    expect(journal.status()).toMatchObject({ ready: false });
    expect(log.all).toHaveLength(0);
  });

  it('says that clocks were set back when the last entry lies in the future of both', async () => {
    const now = Date.now();
    let backMs = 0;
    const clock = (): Date => new Date(now - backMs);
    const log = new MemoryLog(clock);
    const { journal, run } = await journalOn(log, { clock });
    await run(openAccount(JUNO));
    backMs = 2 * 3_600_000;
    const sentence =
      /^The last event was recorded 120 minutes after the time that the event store’s clock shows/;
    await expect(run(openAccount(MILO))).rejects.toThrow(sentence);
    expect(journal.status()).toMatchObject({ ready: false, reason: expect.stringMatching(sentence) });
  });

  it('takes a payer’s key of now after this machine’s clock was set back', async () => {
    const now = Date.now();
    const [hour, key] = [3_600_000, userKey(ADA, uuidV7(now, 1))];
    let [storeMs, ourMs] = [now - 3 * hour, now - 3 * hour];
    const log = new MemoryLog(() => new Date(storeMs));
    const before = await journalOn(log, { clock: () => new Date(ourMs) });
    await inOrder(before.run, openAccount(JUNO), openAccount(MILO));
    [storeMs, ourMs] = [now, now];
    const { run } = await journalOn(log, { clock: () => new Date(ourMs) });
    ourMs = now - 2 * hour;
    expect(await run(open(tip), { key })).toMatchObject({ repeated: false });
  });

  it('never records an entry before the one it follows, though the clock goes back', async () => {
    let now = Date.now();
    const log = new MemoryLog();
    const { run } = await journalOn(log, { clock: () => new Date(now) });
    await run(openAccount(JUNO));
    now -= 24 * 3_600_000;
    await run(openAccount(MILO));
    const [first, second] = entriesOf(log).map((raw) => recorded(raw).metadata.recordedAt);
    expect(second).toBe(first);
  });
});

describe('a journal that was deleted for good', () => {
  it('is told as such by a ledger that has nothing to do, and what to do about it', async () => {
    const log = new MemoryLog();
    const { journal, run } = await journalOn(log);
    await run(openAccount(JUNO));
    log.deleteForGood(JOURNAL);
    while (journal.status().ready) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(journal.status().reason).toMatch(/^The stream "journal" was deleted for good\. .*Restore the log/);
  });
});

describe('an append whose outcome is unknown', () => {
  it.each([
    ['was not written', (log: MemoryLog) => log.loseNextAppendBeforeWriting()] as const,
    ['was written', (log: MemoryLog) => log.loseNextAppendAfterWriting()] as const,
  ])('that %s is sent again, and the entry is there once', async (_, lose) => {
    const log = new MemoryLog();
    const { journal, run } = await journalOn(log);
    await inOrder(run, openAccount(JUNO), openAccount(MILO), open(tip));
    lose(log);
    expect(await run(settle(tip))).toMatchObject({ revision: 3, repeated: false });
    expect(journal.balanceOf(available(JUNO))).toBe(minor('20.00'));
    expectSound(log);
  });

  it('that the store denied is taken once somebody has given the right back, and until then said once', async () => {
    const log = new MemoryLog();
    const said: JournalObservation[] = [];
    const { journal, run } = await journalOn(log, { observe: (observed) => said.push(observed) });
    await inOrder(run, openAccount(JUNO), openAccount(MILO), open(tip));
    const denied = new AppendDenied('The event store does not let our user append to the stream "journal".');
    for (let n = 0; n < 3; n += 1) log.onNextAppend(() => Promise.reject(denied));
    const settled = run(settle(tip));
    const become = async (ready: boolean): Promise<void> => {
      while (journal.status().ready !== ready) await new Promise((resolve) => setImmediate(resolve));
    };
    await become(false);
    expect(journal.status().reason).toBe(denied.message);
    expect(await settled).toMatchObject({ revision: 3, repeated: false });
    await become(true);
    expect(said.filter(({ kind }) => kind !== 'appended').map(({ kind }) => kind)).toEqual([
      'unknown-outcome',
    ]);
    expectSound(log);
  });

  it('holds the batch behind it, and both land in order', async () => {
    const log = new MemoryLog();
    const { run } = await journalOn(log);
    await inOrder(run, openAccount(JUNO), openAccount(MILO), open(tip), settle(tip));
    log.onNextAppend(async (write) => {
      await new Promise((resolve) => setImmediate(resolve));
      write();
      throw new OutcomeUnknown('The answer was lost');
    });
    const first = run(transfer('15.00', JUNO, MILO, 'trf_a'));
    await new Promise((resolve) => setImmediate(resolve));
    const second = run(transfer('5.00', JUNO, MILO, 'trf_b'));
    expect([(await first).revision, (await second).revision]).toEqual([4, 5]);
    expectSound(log);
  });

  it('leaves a caller who has waited long enough with a plain answer, and the entry still lands once', async () => {
    const log = new MemoryLog();
    let now = Date.now();
    const { run } = await journalOn(log, { clock: () => new Date(now), answerWithinMs: 1_000 });
    await run(openAccount(JUNO));
    log.setReachable(false);
    const asked = run(openAccount(MILO));
    now += 2_000;
    await expect(asked).rejects.toBeInstanceOf(OutcomeOpen);
    await expect(asked).rejects.toThrow(/not certain yet whether this was done/);
    log.setReachable(true);
    expect((await run(openAccount(MILO))).revision).toBe(1);
    expectSound(log);
  });

  it('goes first to the new leader, before anything else is decided, also where a rival wrote meanwhile', async () => {
    const log = new MemoryLog();
    const node = new MemoryNode(log);
    const here = await journalOn(node);
    const there = await journalOn(log);
    await inOrder(here.run, openAccount(JUNO), openAccount(MILO), openAccount(ADA), open(tip), settle(tip));
    // Its append is written, but this node is cut off before it can say so.
    log.onNextAppend((write) => {
      write();
      node.cutOff();
      return Promise.reject(new OutcomeUnknown('Server Is Not Ready'));
    });
    const paid = here.run(transfer('15.00', JUNO, MILO, 'trf_a'));
    await turns(5);
    const refused = here.run(transfer('15.00', JUNO, ADA, 'trf_b'));
    await there.run(openAccount('usr_rival'));
    const appends: string[] = [];
    const append = log.append.bind(log);
    log.append = (stream, events, revision) => {
      appends.push(`${events.length} at ${revision}`);
      return append(stream, events, revision);
    };
    node.heal();
    expect(await paid).toMatchObject({ revision: 5, repeated: false });
    await expect(refused).rejects.toMatchObject({ reason: 'InsufficientFunds' });
    expect(appends[0]).toBe('1 at 4');
    expectSound(log);
  });
});

describe('a node that was cut off', () => {
  it('confirms no refusal: money that came in meanwhile can be spent', async () => {
    const log = new MemoryLog();
    const node = new MemoryNode(log);
    const here = await journalOn(node);
    const there = await journalOn(log);
    await inOrder(here.run, openAccount(JUNO), openAccount(MILO), open(tip));
    node.cutOff();
    await there.run(settle(tip));
    const asked = here.run(transfer('20.00', JUNO, MILO));
    asked.catch(() => undefined);
    await turns(20);
    node.heal();
    expect(await asked).toMatchObject({ repeated: false });
    expectSound(log);
  });

  it('confirms no repeat and tells of no payment as it was, and whoever waits is told nothing wrong', async () => {
    const log = new MemoryLog();
    const node = new MemoryNode(log);
    let now = Date.now();
    const here = await journalOn(node, { clock: () => new Date(now), answerWithinMs: 1_000 });
    await inOrder(here.run, openAccount(JUNO), openAccount(MILO), open(tip));
    node.cutOff();
    const repeated = expect(here.run(open(tip))).rejects.toBeInstanceOf(Unavailable);
    await turns(20);
    now += 2_000;
    await repeated;
    const looked = here.journal.look('payment', tip.paymentId);
    const { journal } = await journalOn(log);
    await journal.execute(settle(tip), contextOf(settle(tip)));
    node.heal();
    expect(await looked).toMatchObject({ status: 'settled' });
  });
});

describe('a journal that is opened while the event store is away', () => {
  it('lets what is asked wait for the replay, and takes it then', async () => {
    const log = new MemoryLog();
    const before = await journalOn(log);
    await inOrder(before.run, openAccount(JUNO), openAccount(MILO), open(tip), settle(tip));
    await before.journal.close();
    log.setReachable(false);
    const { journal, opened } = Journal.begin(log, { archive: archiveOf(log) });
    const asked = journal.execute(transfer('5.00', JUNO, MILO), contextOf(transfer('5.00', JUNO, MILO)));
    await turns(3);
    expect(journal.status()).toMatchObject({ ready: false, reason: 'The event store does not answer.' });
    expect(() => journal.isOpen(JUNO)).toThrow(StoreAway);
    expect(() => journal.balanceOf(available(JUNO))).toThrow(StoreAway);
    log.setReachable(true);
    await opened;
    expect((await asked).revision).toBe(4);
    expect([journal.status().ready, journal.isOpen(JUNO)]).toEqual([true, true]);
    expect(journal.balanceOf(available(JUNO))).toBe(minor('15.00'));
    await journal.close();
    expectSound(log);
  });

  it('stops for good at a journal that cannot be read, and says so', async () => {
    const log = new MemoryLog();
    log.put(JOURNAL, { id: crypto.randomUUID(), type: 'Nonsense', data: {}, metadata: {} });
    const stops: JournalObservation[] = [];
    const { journal, opened } = Journal.begin(log, {
      archive: archiveOf(log),
      observe: (observed) => void (observed.kind === 'stopped' && stops.push(observed)),
    });
    await expect(opened).rejects.toThrow();
    expect([journal.status().ready, stops.length]).toEqual([false, 1]);
    await expect(journal.execute(openAccount(JUNO), contextOf(openAccount(JUNO)))).rejects.toBeInstanceOf(
      Unavailable,
    );
  });

  it('ends at once when it is closed before its store came back', async () => {
    const log = new MemoryLog();
    log.setReachable(false);
    const { journal, opened } = Journal.begin(log, { archive: archiveOf(log) });
    const asked = journal.execute(openAccount(JUNO), contextOf(openAccount(JUNO)));
    const refused = expect(asked).rejects.toBeInstanceOf(StoreAway);
    await journal.close();
    await refused;
    await opened;
  });
});

describe('a journal that is closed in an outage', () => {
  it('ends when everybody has been answered, though an append is still on its way', async () => {
    const log = new MemoryLog();
    let now = Date.now();
    const { journal, run } = await journalOn(log, { clock: () => new Date(now), answerWithinMs: 1_000 });
    await run(openAccount(JUNO));
    log.setReachable(false);
    const asked = expect(run(openAccount(MILO))).rejects.toBeInstanceOf(Unavailable);
    const closed = journal.close();
    now += 2_000;
    await asked;
    await closed;
    log.setReachable(true);
    expectSound(log);
  });
});

describe('several ledgers on one journal', () => {
  it('lose nothing and double nothing, whoever wins each append', async () => {
    const log = new MemoryLog();
    const conflicts: JournalObservation[] = [];
    const observe = (observed: JournalObservation) =>
      void (observed.kind === 'conflict' && conflicts.push(observed));
    const ledgers = await Promise.all([1, 2, 3].map(() => journalOn(log, { observe })));
    await Promise.all(
      ledgers.flatMap(({ run }, ledger) =>
        Array.from({ length: 200 }, (_, n) => run(openAccount(`usr_${n % 150}_${ledger % 2}`))),
      ),
    );
    expect(entriesOf(log)).toHaveLength(300);
    expect(conflicts.length).toBeGreaterThan(0);
    expectSound(log);
  });

  it('decide on fresh books: money that came in by another ledger can be spent at once', async () => {
    const log = new MemoryLog();
    const here = await journalOn(log);
    const there = await journalOn(log);
    await inOrder(there.run, openAccount(JUNO), openAccount(MILO), open(tip), settle(tip));
    expect(await here.run(transfer('20.00', JUNO, MILO))).toMatchObject({ repeated: false });
  });

  it('refuse the second of two who spend the same money at once', async () => {
    const log = new MemoryLog();
    const here = await journalOn(log);
    const there = await journalOn(log);
    await inOrder(there.run, openAccount(JUNO), openAccount(MILO), openAccount(ADA), open(tip), settle(tip));
    const results = await Promise.allSettled([
      here.run(transfer('20.00', JUNO, MILO, 'trf_a')),
      there.run(transfer('20.00', JUNO, ADA, 'trf_b')),
    ]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { reason: 'InsufficientFunds' },
    });
    expectSound(log);
  });

  it('never let a batch land behind a rival’s that took the place of the one before it', async () => {
    const log = new MemoryLog();
    const slow = new SlowRoad(log);
    const here = await journalOn(slow);
    const there = await journalOn(log);
    await inOrder(here.run, openAccount(JUNO), openAccount(MILO), open(tip), settle(tip));
    // Two batches of one entry each are under way here while another ledger writes one entry: the same
    // revision, another past.
    const arrive = slow.hold();
    const first = here.run(transfer('5.00', JUNO, MILO, 'trf_a'));
    await turns(3);
    const second = here.run(transfer('6.00', JUNO, MILO, 'trf_b'));
    await turns(3);
    await there.run(openAccount('usr_rival'));
    arrive();
    await Promise.all([first, second]);
    expect(here.journal.balanceOf(available(MILO))).toBe(minor('11.00'));
    expectSound(log);
  });

  it('answer the same key the same, whichever is asked', async () => {
    const log = new MemoryLog();
    const here = await journalOn(log);
    const there = await journalOn(log);
    await inOrder(here.run, openAccount(JUNO), openAccount(MILO));
    const [one, two] = await Promise.all([here.run(open(tip)), there.run(open(tip))]);
    expect(one.revision).toBe(two.revision);
    expect(typesIn(log).filter((type) => type === 'PaymentOpened')).toHaveLength(1);
  });
});

describe('what is older than the resident window', () => {
  const window = { ms: 3_600_000, entries: 4 };
  const fillers = Array.from({ length: 6 }, (_, n) => openAccount(`usr_filler_${n}`));
  const more = Array.from({ length: 6 }, (_, n) => openAccount(`usr_more_${n}`));
  const past = [openAccount(JUNO), openAccount(MILO), open(tip), submit(tip), settle(tip)];

  it('is asked of the archive: a repeat stays a repeat, a charge stays booked once', async () => {
    const log = new MemoryLog();
    const archive = archiveOf(log);
    const { run } = await journalOn(log, { window, archive });
    await inOrder(run, ...past, ...fillers);
    const written = entriesOf(log).length;
    expect(await run(open(tip))).toMatchObject({ revision: 2, repeated: true });
    expect(await run(settle(tip))).toMatchObject({ repeated: true });
    expect(archive.asked).toBeGreaterThan(0);
    expect(entriesOf(log)).toHaveLength(written);
  });

  it('can still be refunded, never beyond its amount, however long ago it was paid', async () => {
    const log = new MemoryLog();
    const { journal, run } = await journalOn(log, { window });
    await inOrder(run, ...past, ...fillers, refund(tip, '12.00', 're_1'), ...more);
    await expect(run(refund(tip, '8.01', 're_2'))).rejects.toMatchObject({ reason: 'RefundExceedsPayment' });
    await run(refund(tip, '8.00', 're_3'));
    expect(journal.balanceOf(available(JUNO))).toBe(0);
  });

  it('is asked again after another ledger has written about it', async () => {
    const log = new MemoryLog();
    const here = await journalOn(log, { window });
    await inOrder(here.run, ...past, ...fillers);
    const there = await journalOn(log, { window });
    await there.run(refund(tip, '12.00', 're_1'));
    await expect(here.run(refund(tip, '8.01', 're_2'))).rejects.toMatchObject({
      reason: 'RefundExceedsPayment',
    });
    expectSound(log);
  });

  it('keeps an open payment resident, and each declined attempt of it told apart', async () => {
    const log = new MemoryLog();
    const archive = archiveOf(log);
    const { run } = await journalOn(log, { window, archive });
    await inOrder(run, openAccount(JUNO), openAccount(MILO), open(tip), decline(tip), ...fillers);
    expect(await run(decline(tip))).toMatchObject({ repeated: true });
    expect(archive.asked).toBe(0);
    // Only whether the charge was booked before, as one or the other: the provider's word for when proves
    // nothing.
    const later = new Date(Date.now() + KEY_SKEW_MS + 1_000).toISOString();
    expect(await run(settle(tip, { occurredAt: later }))).toMatchObject({ repeated: false });
    expect(archive.asked).toBe(2);
  });

  it('is answered "come back" while the archive has not read up to the window', async () => {
    const log = new MemoryLog();
    let through = Infinity;
    let now = Date.now();
    const { run } = await journalOn(log, {
      window,
      archive: archiveOf(log, () => ((now += 1_000), through)),
      clock: () => new Date(now),
    });
    await inOrder(run, ...past, ...fillers);
    through = 3;
    await expect(run(settle(tip))).rejects.toBeInstanceOf(Unavailable);
    through = Infinity;
    expect(await run(settle(tip))).toMatchObject({ repeated: true });
  });

  it('need not be asked about a key that was made after all that have left', async () => {
    const log = new MemoryLog();
    const archive = archiveOf(log);
    const { run } = await journalOn(log, { window, archive });
    const made = Date.now();
    const keyed = (paymentId: string, atMs: number) =>
      [open({ ...tip, paymentId }), { key: `${MILO}:${uuidV7(atMs, 1)}` }] as const;
    await inOrder(run, openAccount(JUNO), openAccount(MILO));
    await run(...keyed('pay_old', made));
    await inOrder(run, ...fillers);
    expect(await run(...keyed('pay_new', made + 1))).toMatchObject({ repeated: false });
    expect(archive.asked).toBe(0);
    expect(await run(...keyed('pay_old', made))).toMatchObject({ revision: 2, repeated: true });
    expect(archive.asked).toBe(1);
  });

  it('tells of a payout that was completed long ago: the bank may return it for days', async () => {
    const log = new MemoryLog();
    const { journal, run } = await journalOn(log, { window });
    await inOrder(
      run,
      ...past,
      requestPayout('12.00'),
      payoutTransferred(),
      submitPayout(),
      completePayout(),
      ...fillers,
    );
    expect(await run(completePayout())).toMatchObject({ repeated: true });
    await inOrder(run, returnPayout(), ...more, failPayout('trr_1'));
    expect(journal.balanceOf(available(JUNO))).toBe(minor('20.00'));
    expect(await run(failPayout('trr_1'))).toMatchObject({ repeated: true });
    expectSound(log);
  });

  it('keeps a payout resident until it has ended', async () => {
    const log = new MemoryLog();
    const archive = archiveOf(log);
    const { journal, run } = await journalOn(log, { window, archive });
    await inOrder(run, ...past, requestPayout('12.00'), ...fillers);
    const { asked } = archive;
    await inOrder(run, payoutTransferred(), ...more, submitPayout());
    expect(journal.resident()).toMatchObject({ openPayouts: 1 });
    expect(archive.asked).toBe(asked);
  });

  it('tells which route an occurrence took, also of an attempt before the one that succeeded', async () => {
    const log = new MemoryLog();
    const { run } = await journalOn(log, { window });
    const byCard = (attempt: number) => collect('30.00', attempt, { savedCard: CARD });
    const routes = [collecting('30.00', 1), collecting('30.00', 2)];
    const paymentIds = routes.map(({ paymentId }) => paymentId);
    await inOrder(run, ...past);
    expect(await run(byCard(1))).toMatchObject({
      repeated: false,
      route: { attempt: 1, paymentId: paymentIds[0] },
    });
    await inOrder(run, cancel(routes[0]!), ...fillers);
    expect(await run(byCard(2))).toMatchObject({
      repeated: false,
      route: { attempt: 2, paymentId: paymentIds[1] },
    });
    await inOrder(run, ...more);
    await expect(run(byCard(3))).rejects.toMatchObject({ reason: 'OccurrenceUnderWay' });
    expect(await run(byCard(1))).toMatchObject({
      repeated: true,
      route: { attempt: 1, paymentId: paymentIds[0] },
    });
    await inOrder(run, settle(routes[1]!), ...fillers.map((_, n) => openAccount(`usr_most_${n}`)));
    expect(await run(byCard(3))).toMatchObject({
      repeated: true,
      route: { attempt: 2, paymentId: paymentIds[1] },
    });
    // The first one pays after all: it was ended, so its money goes back.
    expect(await run(settle(routes[0]!))).toMatchObject({ key: `unapplied:ch_${paymentIds[0]}` });
    expectSound(log);
  });

  it('repeats a refusal when it is no longer resident, whatever money has come in since', async () => {
    const log = new MemoryLog();
    const { run } = await journalOn(log, { window });
    const refused = { attempt: 1, refused: 'no_funding' };
    await inOrder(run, openAccount(JUNO), openAccount(MILO), openAccount(ADA));
    expect(await run(collect('10.00', 1, { savedCard: 'none' }))).toMatchObject({
      repeated: false,
      route: refused,
    });
    const gift = { paymentId: 'pay_gift', amount: '30.00', from: ADA, to: MILO };
    await inOrder(run, open(gift), settle(gift), ...fillers);
    expect(await run(collect('10.00', 1))).toMatchObject({ repeated: true, route: refused });
    expect(await run(collect('10.00', 2))).toMatchObject({ repeated: false, route: { attempt: 2 } });
    expectSound(log);
  });

  it('tells that a charge has paid another payment', async () => {
    const log = new MemoryLog();
    const { run } = await journalOn(log, { window });
    const other = { ...tip, paymentId: 'pay_2', charge: 'ch_pay_1' };
    await inOrder(run, ...past, open(other), ...fillers);
    expect(await run(settle(other))).toMatchObject({ repeated: true, key: 'settle:ch_pay_1' });
    expectSound(log);
  });

  it('tells of unapplied money that went back, should its refund fail', async () => {
    const log = new MemoryLog();
    const { journal, run } = await journalOn(log, { window });
    const stray = settle(tip, { paymentId: undefined });
    await inOrder(run, stray, returnUnapplied('ch_pay_1', '20.00'), ...fillers);
    expect(await run(stray)).toMatchObject({ repeated: true });
    await run(failUnapplied('ch_pay_1'));
    expect(journal.balanceOf(platform('unapplied'))).toBe(minor('20.00'));
    expectSound(log);
  });

  it('leaves memory with accounts and open payments only', async () => {
    const log = new MemoryLog();
    const { journal, run } = await journalOn(log, { window });
    await inOrder(
      run,
      ...past,
      open({ ...tip, paymentId: 'pay_open' }),
      open({ ...tip, paymentId: 'pay_canceled' }),
      cancel({ ...tip, paymentId: 'pay_canceled' }),
      ...fillers,
    );
    expect(journal.resident()).toEqual({ accounts: 9, openPayments: 1, openPayouts: 0, closed: 0, keys: 4 });
  });
});
