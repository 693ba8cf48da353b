/**
 * The journal's writer, the one door to money. Commands queue; the writer takes what is waiting, decides each
 * against the books as the ones before it leave them, appends all their entries in one write at the revision
 * it expects, and then answers them all. A second batch is decided and encoded while the first is being made
 * durable, on a draft of the books that the first will leave, and is sent when that has landed.
 *
 * Any number of ledger processes may write: the log decides. Who loses catches up and decides again with new
 * event ids; who wins gives way (turns.ts). An append whose outcome is unknown is sent again unchanged until
 * the store says.
 */
import { currencyOf } from '#contracts/plain/accounts';
import { JOURNAL, subjectsOf, type CollectionRefusal, type JournalEvent } from '#contracts/events/journal';
import { CURRENCY } from '#contracts/plain/money';
import { START, type Position, type RecordedEvent } from '#contracts/log';
import {
  LogUnavailable,
  NO_STREAM,
  OutcomeUnknown,
  recorded,
  WrongExpectedRevision,
  type Appended,
  type EventLog,
  type NewEvent,
} from '#log/event-log';
import { Rejected, Unavailable } from '../rejection.js';
import { admit, decide, evolve } from './books.js';
import { ChainVerifier, GENESIS } from '#log/chain';
import type { KeyedProvenance } from '#log/record';
import type { JournalCommand } from './commands.js';
import type { Decision } from './decision.js';
import { keyTimeMs } from './keys.js';
import { routeOf } from './occurrence-rules.js';
import { record, type Recording, type Tip } from '#log/record';
import {
  Books,
  isUnderWay,
  type History,
  type KeptEntry,
  type Landing,
  type PastEntry,
  type Question,
  type Route,
} from './state.js';
import { Turns } from './turns.js';

/** What an execution answers. A repeat carries the original's place. */
export interface Receipt {
  readonly key: string;
  /** The entry's revision in the journal; -1 for a repeat of something older than what is kept. */
  readonly revision: number;
  /** Where read models must stand to show it (at the least). */
  readonly position: Position;
  readonly repeated: boolean;
  /** Of CollectOccurrence: what it became, by this attempt or by the one that succeeded before it. */
  readonly route?: { readonly attempt: number } & (
    | { readonly transferId: string }
    | { readonly paymentId: string }
    | { readonly refused: CollectionRefusal }
  );
}

/**
 * The past beyond the resident window, as a read model knows it. `throughRevision`: how far that has read the
 * journal.
 */
export interface Archive {
  find(key: string): Promise<{
    entry: { revision: number; position: Position; fingerprint: string | undefined } | undefined;
    throughRevision: number;
  }>;
  /** The entries about a payment, payout, occurrence or charge. */
  entriesOf(subject: string): Promise<{ revisions: readonly number[]; throughRevision: number }>;
}

export interface JournalOptions {
  readonly archive: Archive;
  readonly clock?: () => Date;
  /** How long keys and closed payments stay in memory, and how many entries' at most. */
  readonly window?: { readonly ms: number; readonly entries: number };
  /** Batches under way at once: one on its way to the log, the others decided and waiting for it to land. */
  readonly depth?: number;
  /** When a caller is told to come back, in milliseconds. */
  readonly answerWithinMs?: number;
  readonly appendTimeoutMs?: number;
  /** Told of conflicts, re-sends and stops: for logs and metrics. */
  readonly observe?: (observed: Observed) => void;
}

export type Observed =
  | { readonly kind: 'appended'; readonly entries: number; readonly ms: number }
  | { readonly kind: 'conflict'; readonly caughtUp: number }
  | { readonly kind: 'unknown-outcome'; readonly error: unknown }
  | { readonly kind: 'stopped'; readonly error: unknown };

export interface JournalStatus {
  readonly ready: boolean;
  /** Why not, in a sentence. */
  readonly reason?: string;
  readonly revision: number;
  readonly queued: number;
  readonly accounts: number;
}

interface Waiting {
  readonly command: JournalCommand;
  readonly context: KeyedProvenance;
  readonly answerBy: number;
  history?: History;
  settle?: { resolve: (receipt: Receipt) => void; reject: (error: unknown) => void };
}

type Verdict =
  | { waiting: Waiting; decision: Exclude<Decision, { kind: 'ask' }>; revision: number }
  | { waiting: Waiting; refusal: Rejected };

type Judged =
  | {
      readonly kind: 'entry';
      readonly decision: Extract<Decision, { kind: 'entry' }>;
      readonly recording: Recording;
    }
  | { readonly kind: 'repeat'; readonly decision: Extract<Decision, { kind: 'repeat' }> }
  | { readonly kind: 'refused'; readonly refusal: Rejected };

interface Batch {
  readonly verdicts: readonly Verdict[];
  readonly draft: Books;
  readonly events: readonly NewEvent[];
  readonly placed: readonly { event: JournalEvent; key: string; revision: number; recordedAtMs: number }[];
  readonly from: Tip;
  readonly tip: Tip;
  readonly landing: Landing;
  result: Promise<Appended | undefined>;
  done: boolean;
}

/** An entry in the window: what to forget when it leaves. */
interface Remembered {
  readonly key: string | undefined;
  readonly subjects: readonly string[];
  readonly revision: number;
  readonly recordedAtMs: number;
}

/** One append may hold 1 MiB; half of it keeps its latency low. */
const BATCH_BYTES = 512 * 1024;
const BATCH_ENTRIES = 512;
const QUEUE_LIMIT = 20_000;
const MAX_CLOCK_LEAD_MS = 5 * 60_000;
const CLOCK_CHECK_MS = 10 * 60_000;
const FOLLOW_MS = 1_000;
const ARCHIVE_PATIENCE_MS = 2_000;
const ARCHIVE_RETRY_MS = 25;
const JITTER_MS = 3;
const REST_STEP_MS = 3;

const AGAIN = 'The ledger cannot answer at the moment. Nothing is lost: please try again.';

export class Journal {
  readonly #books = new Books();
  #tip: Tip = { revision: NO_STREAM, hash: GENESIS, recordedAtMs: 0 };
  #queue: Waiting[] = [];
  #flying: Batch[] = [];
  #recovering = false;
  #following = false;
  #consulting = 0;
  #outage: string | undefined;
  #pumping = false;
  #closing = false;
  #fatal: Error | undefined;
  #clockOffsetMs = 0;
  #clockReadAt = -Infinity;
  #clockDoubted = false;
  #pauses = 0;
  readonly #turns = new Turns();
  /** Entries in the order of the journal, for eviction; a ring would save little. */
  #window: Remembered[] = [];
  #windowStart = 0;
  #timer: NodeJS.Timeout | undefined;
  #idle: (() => void)[] = [];
  readonly #clock: () => Date;
  readonly #depth: number;
  readonly #answerWithinMs: number;
  readonly #appendTimeoutMs: number;
  readonly #windowMs: number;
  readonly #windowEntries: number;
  readonly #observe: (observed: Observed) => void;

  private constructor(
    private readonly log: EventLog,
    private readonly options: JournalOptions,
  ) {
    this.#clock = options.clock ?? (() => new Date());
    this.#depth = options.depth ?? 2;
    this.#answerWithinMs = options.answerWithinMs ?? 15_000;
    this.#appendTimeoutMs = options.appendTimeoutMs ?? 5_000;
    this.#windowMs = options.window?.ms ?? 10 * 60_000;
    this.#windowEntries = options.window?.entries ?? 200_000;
    this.#observe = options.observe ?? (() => undefined);
  }

  /**
   * Replays the journal, checking its chain, and opens it for commands. Throws ChainBroken, UnreadableEvent
   * or LogUnavailable.
   */
  static async open(log: EventLog, options: JournalOptions): Promise<Journal> {
    const journal = new Journal(log, options);
    await journal.#readClock();
    await journal.#catchUp();
    journal.#timer = setInterval(() => journal.#tick(), FOLLOW_MS);
    journal.#timer.unref();
    return journal;
  }

  /**
   * Executes a command at most once, however often it is sent, and answers when its entry is durable. Throws
   * Rejected when a rule says no (nothing has changed), Unavailable when the ledger cannot say in time (send
   * the same command again).
   */
  execute(command: JournalCommand, context: KeyedProvenance): Promise<Receipt> {
    if (this.#fatal || this.#closing) return Promise.reject(new Unavailable(AGAIN, { cause: this.#fatal }));
    if (this.#queue.length >= QUEUE_LIMIT)
      return Promise.reject(new Unavailable('The ledger is very busy. Please try again in a moment.'));
    return new Promise((resolve, reject) => {
      this.#queue.push({
        command,
        context,
        answerBy: this.#clock().getTime() + this.#answerWithinMs,
        settle: { resolve, reject },
      });
      this.#schedule();
    });
  }

  /** Whether a user may pay and be paid, as this process last saw the journal. */
  isOpen(userId: string): boolean {
    return this.#books.isOpen(userId);
  }

  /**
   * An account's credits less its debits in minor units, as this process last saw the journal; undefined if
   * never opened.
   */
  balanceOf(account: string): number | undefined {
    return this.#books.balanceOf(account);
  }

  /** All credits less all debits by currency: zero, or money was made or lost. Adds up every account. */
  trialBalance(): Record<string, number> {
    const sums: Record<string, number> = { [CURRENCY]: 0 };
    for (const [account, balance] of this.#books.accounts.entries()) {
      const currency = currencyOf(account);
      sums[currency] = (sums[currency] ?? 0) + balance;
    }
    return sums;
  }

  /** What is held in memory: grows with accounts and open items, not with history. */
  resident(): { accounts: number; openPayments: number; openPayouts: number; closed: number; keys: number } {
    const { payments, payouts, unapplied, occurrences, accounts, keys } = this.#books;
    const open = (items: Iterable<[string, Parameters<typeof isUnderWay>[0]]>): number =>
      [...items].filter(([, item]) => isUnderWay(item)).length;
    const openPayments = open(payments.entries());
    const openPayouts = open(payouts.entries());
    const items = payments.size + payouts.size + unapplied.size + occurrences.size;
    return {
      accounts: accounts.size,
      openPayments,
      openPayouts,
      closed: items - openPayments - openPayouts - open(unapplied.entries()),
      keys: keys.size,
    };
  }

  status(): JournalStatus {
    const reason = this.#fatal?.message ?? this.#clockProblem() ?? this.#outage;
    const { size: accounts } = this.#books.accounts;
    return {
      ready: reason === undefined,
      reason,
      revision: this.#tip.revision,
      queued: this.#queue.length,
      accounts,
    };
  }

  /** Takes no more commands, answers the ones that wait, and stops. */
  async close(): Promise<void> {
    this.#closing = true;
    if (!this.#isIdle() && !this.#fatal) await new Promise<void>((resolve) => this.#idle.push(resolve));
    clearInterval(this.#timer);
  }

  /** Lets the callers of this turn of the event loop queue first: they share the append. */
  #schedule(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    // Behind a batch that asks the log for its end, nothing may move that end.
    while (
      this.#isFree() &&
      this.#queue.length > 0 &&
      this.#flying.length < this.#depth &&
      this.#flying.at(-1)?.events.length !== 0
    ) {
      const advice = this.#turns.advice(performance.now(), this.#flying.length);
      if (advice === 'land') return;
      if (advice !== 'go') return void this.#follow(() => this.#readOn(advice === 'rest' ? REST_STEP_MS : 0));
      const problem = this.#clockProblem();
      // A clock that was set while we ran looks the same as one that is wrong, until the store's is read
      // again.
      this.#clockDoubted = problem !== undefined && !this.#clockDoubted;
      if (this.#clockDoubted) return void this.#follow(() => this.#readClock());
      if (problem) return this.#refuseWaiting(new Unavailable(problem));
      try {
        const batch = this.#cut();
        if (batch) this.#launch(batch);
      } catch (error) {
        return this.#stop(error);
      }
    }
    if (this.#isIdle()) for (const idle of this.#idle.splice(0)) idle();
  }

  #isFree(): boolean {
    return !this.#recovering && !this.#following && this.#fatal === undefined;
  }

  #isIdle(): boolean {
    return this.#queue.length === 0 && this.#flying.length === 0 && this.#consulting === 0;
  }

  /**
   * Decides what is waiting, up to what one append takes, on a draft of the books that the batch before will
   * leave.
   */
  #cut(): Batch | undefined {
    const previous = this.#flying.at(-1);
    const from = previous?.tip ?? this.#tip;
    const draft = (previous?.draft ?? this.#books).draft();
    const landing: Landing = { position: undefined };
    const verdicts: Verdict[] = [];
    const events: NewEvent[] = [];
    const placed: Batch['placed'][number][] = [];
    const nowMs = this.#clock().getTime();
    let tip = from;
    let bytes = 0;
    let taken = 0;

    while (taken < this.#queue.length && events.length < BATCH_ENTRIES && bytes < BATCH_BYTES) {
      const waiting = this.#queue[taken++]!;
      if (!waiting.settle) continue;
      const judged = this.#judge(waiting, draft, tip, nowMs);
      if (!judged) continue;
      if (judged.kind === 'refused') {
        verdicts.push({ waiting, refusal: judged.refusal });
        continue;
      }
      if (judged.kind === 'entry') {
        const { recording, decision } = judged;
        const { event, key } = decision;
        ({ tip } = recording);
        bytes += recording.bytes;
        events.push(recording.event);
        placed.push({ event, key, revision: tip.revision, recordedAtMs: tip.recordedAtMs });
        if (waiting.history) admit(waiting.history, draft);
        evolve(event, { ...tip, key, fingerprint: waiting.context.fingerprint, landing }, draft);
      }
      verdicts.push({ waiting, decision: judged.decision, revision: tip.revision });
    }
    this.#queue.splice(0, taken);
    if (verdicts.length === 0) return undefined;
    return {
      verdicts,
      draft,
      events,
      placed,
      from,
      tip,
      landing,
      result: Promise.resolve(undefined),
      done: false,
    };
  }

  /** One command's verdict. What throws here has changed nothing, and is that command's alone. */
  #judge(waiting: Waiting, draft: Books, tip: Tip, nowMs: number): Judged | undefined {
    const { command, context, history } = waiting;
    try {
      // A payer's key is judged by the store's clock: ours being late is not their fault.
      const decision = decide(command, context, draft, nowMs + this.#clockOffsetMs, history);
      if (decision.kind === 'ask') {
        void this.#consult(waiting, decision.question);
        return undefined;
      }
      if (decision.kind === 'repeat') return { kind: 'repeat', decision };
      return {
        kind: 'entry',
        decision,
        recording: record(JOURNAL, decision.event, { ...context, key: decision.key }, tip, nowMs),
      };
    } catch (error) {
      if (error instanceof Rejected) return { kind: 'refused', refusal: error };
      this.#answer(waiting, (settle) => settle.reject(error));
      return undefined;
    }
  }

  #launch(batch: Batch): void {
    const before = this.#flying.at(-1)?.result;
    this.#flying.push(batch);
    batch.result = batch.events.length > 0 ? this.#append(batch, before) : this.#confirm(batch, before);
    batch.result.then(
      () => {
        batch.done = true;
        this.#land();
      },
      (error: unknown) => void this.#recover(batch, error),
    );
  }

  /**
   * Sends a batch once the one before it has landed. Sent together, the second could land behind a rival's
   * batch that brought the journal to the same revision: chained to a hash that is not there, decided on
   * books that never were.
   */
  async #append(batch: Batch, before: Promise<unknown> | undefined): Promise<Appended> {
    await before;
    const started = performance.now();
    const appended = await this.log.append(JOURNAL, batch.events, batch.from.revision, this.#appendTimeoutMs);
    batch.landing.position = appended.position;
    this.#observe({ kind: 'appended', entries: batch.events.length, ms: performance.now() - started });
    return appended;
  }

  /** A batch of refusals and repeats writes nothing that proves the books were fresh: the log is asked. */
  async #confirm(batch: Batch, before: Promise<unknown> | undefined): Promise<undefined> {
    await before;
    let last;
    try {
      last = await this.log.lastOf(JOURNAL);
    } catch (error) {
      throw new OutcomeUnknown('The log could not be read', { cause: error });
    }
    if ((last?.revision ?? NO_STREAM) !== batch.from.revision)
      throw new WrongExpectedRevision(JOURNAL, batch.from.revision);
    return undefined;
  }

  /** Takes over and answers the batches that are durable, in order. */
  #land(): void {
    while (this.#flying[0]?.done) {
      const batch = this.#flying.shift()!;
      this.#books.absorb(batch.draft);
      this.#flying[0]?.draft.rebase(this.#books);
      this.#tip = batch.tip;
      for (const { event, key, revision, recordedAtMs } of batch.placed)
        this.#window.push({ key, subjects: subjectsOf(event), revision, recordedAtMs });
      this.#evict();
      for (const verdict of batch.verdicts)
        this.#answer(verdict.waiting, (settle) =>
          'refusal' in verdict ? settle.reject(verdict.refusal) : settle.resolve(receiptOf(verdict, batch)),
        );
      if (batch.events.length > 0) {
        this.#pauses = 0;
        this.#turns.landed(performance.now());
      }
    }
    this.#schedule();
  }

  /** A batch in flight did not land, or may not have. Everything behind it waits for what the log says. */
  async #recover(failed: Batch, error: unknown): Promise<void> {
    failed.done = false;
    if (this.#recovering) return;
    this.#recovering = true;
    try {
      // Whatever else is on its way comes to rest first: after this, nothing of ours is in the air.
      await Promise.allSettled(this.#flying.map((batch) => batch.result));
      this.#land();
      let reason: unknown =
        this.#flying[0] === failed ? error : await this.#flying[0]?.result.catch((other: unknown) => other);
      while (this.#flying.length > 0) {
        if (reason instanceof OutcomeUnknown) {
          this.#away(reason);
          await this.#pause();
          reason = await this.#resend();
        } else if (reason instanceof WrongExpectedRevision) {
          await this.#yieldToOthers();
          break;
        } else throw reason;
      }
      this.#recovering = false;
      this.#outage = undefined;
      this.#schedule();
    } catch (fatal) {
      this.#stop(fatal);
    }
  }

  /**
   * Sends the batches in flight again, unchanged and in order. Answers the error of the one that did not
   * land, if any.
   */
  async #resend(): Promise<unknown> {
    for (let batch = this.#flying[0]; batch; batch = this.#flying[0]) {
      try {
        await (batch.events.length > 0 ? this.#append(batch, undefined) : this.#confirm(batch, undefined));
        batch.done = true;
        this.#land();
      } catch (error) {
        return error;
      }
    }
    return undefined;
  }

  /**
   * Another ledger wrote first: our drafts are void. Take what it wrote, queue our commands again, and give
   * way a little.
   */
  async #yieldToOthers(): Promise<void> {
    const again = this.#flying.splice(0).flatMap((batch) => batch.verdicts.map(({ waiting }) => waiting));
    this.#queue.unshift(...again);
    const caughtUp = await this.#catchUpStubbornly();
    this.#turns.lost(performance.now(), caughtUp);
    this.#observe({ kind: 'conflict', caughtUp });
    // Two who lost together must not meet again.
    await sleep(Math.random() * JITTER_MS);
  }

  /** Reads what is new in the journal into the books. Answers how many entries that were. */
  async #catchUp(): Promise<number> {
    const chain = new ChainVerifier(JOURNAL);
    chain.hash = this.#tip.hash;
    chain.revision = this.#tip.revision;
    const before = this.#tip.revision;
    for await (const raw of this.log.readStream(JOURNAL, before + 1)) {
      chain.next(raw);
      const event = recorded(raw) as RecordedEvent<JournalEvent>;
      const { key, fingerprint, recordedAt } = event.metadata;
      const recordedAtMs = Date.parse(recordedAt);
      evolve(
        event,
        { revision: event.revision, key, fingerprint, recordedAtMs, landing: { position: event.position } },
        this.#books,
      );
      this.#tip = { revision: chain.revision, hash: chain.hash, recordedAtMs };
      this.#window.push({ key, subjects: subjectsOf(event), revision: event.revision, recordedAtMs });
      if (event.revision % 1_000 === 0) this.#evict();
    }
    this.#evict();
    return this.#tip.revision - before;
  }

  async #catchUpStubbornly(): Promise<number> {
    const before = this.#tip.revision;
    for (;;) {
      try {
        await this.#catchUp();
        return this.#tip.revision - before;
      } catch (error) {
        if (!(error instanceof LogUnavailable)) throw error;
        this.#away(error);
        await this.#pause();
      }
    }
  }

  /** Between tries while the log is away. Whoever has waited long enough is told so. */
  async #pause(): Promise<void> {
    this.#expire();
    this.#pauses = Math.min(this.#pauses + 1, 6);
    await sleep((5 + Math.random() * 5) * 2 ** this.#pauses);
  }

  /** Asks the archive about what is no longer resident, and queues the command again. */
  async #consult(waiting: Waiting, question: Question): Promise<void> {
    this.#consulting += 1;
    try {
      const until = this.#clock().getTime() + ARCHIVE_PATIENCE_MS;
      for (;;) {
        // What was told before the question rose is told again: the answers must be of one time.
        const known =
          (waiting.history?.throughRevision ?? -1) >= question.throughRevision ? waiting.history : undefined;
        const history = await this.#historyFor(question, known);
        if (history.throughRevision >= question.throughRevision) {
          waiting.history = history;
          this.#queue.push(waiting);
          return;
        }
        if (this.#clock().getTime() >= until)
          throw new Unavailable('The ledger’s index is behind. Please try again in a moment.');
        await sleep(ARCHIVE_RETRY_MS);
      }
    } catch (error) {
      this.#answer(waiting, (settle) =>
        settle.reject(error instanceof Unavailable ? error : new Unavailable(AGAIN, { cause: error })),
      );
    } finally {
      this.#consulting -= 1;
      this.#schedule();
    }
  }

  async #historyFor(question: Question, known: History | undefined): Promise<History> {
    const entries = new Map(known?.entries);
    const subjects = new Map(known?.subjects);
    let throughRevision: number;
    if ('key' in question) {
      const found = await this.options.archive.find(question.key);
      ({ throughRevision } = found);
      entries.set(
        question.key,
        found.entry && { ...found.entry, landing: { position: found.entry.position } },
      );
    } else {
      const found = await this.options.archive.entriesOf(question.subject);
      ({ throughRevision } = found);
      subjects.set(question.subject, await this.#entriesAt(found.revisions));
    }
    // All parts must be as fresh as the oldest of them claims to be.
    return {
      throughRevision: Math.min(throughRevision, known?.throughRevision ?? throughRevision),
      entries,
      subjects,
    };
  }

  /** The index names the revisions; what happened is read from the log itself. */
  async #entriesAt(revisions: readonly number[]): Promise<PastEntry[]> {
    const entries: PastEntry[] = [];
    for (const revision of revisions)
      for await (const raw of this.log.readStream(JOURNAL, revision, 1)) {
        const event = recorded(raw) as RecordedEvent<JournalEvent>;
        entries.push({
          event,
          last: { revision, landing: { position: event.position }, fingerprint: event.metadata.fingerprint },
        });
      }
    return entries;
  }

  /** Drops what has left the window: keys, and what has ended and no later entry touched. */
  #evict(): void {
    const oldest = this.#clock().getTime() - this.#windowMs;
    let entry = this.#window[this.#windowStart];
    while (
      entry &&
      (this.#window.length - this.#windowStart > this.#windowEntries || entry.recordedAtMs < oldest)
    ) {
      if (entry.key !== undefined) {
        const { residency, keys } = this.#books;
        keys.delete(entry.key);
        residency.floorKeyMadeMs = Math.max(residency.floorKeyMadeMs, keyTimeMs(entry.key) ?? -Infinity);
      }
      for (const subject of entry.subjects) this.#books.release(subject, entry.revision);
      this.#books.residency.floorRecordedAtMs = entry.recordedAtMs;
      this.#books.residency.floor = entry.revision + 1;
      entry = this.#window[++this.#windowStart];
    }
    if (this.#windowStart > 10_000 && this.#windowStart > this.#window.length / 2) {
      this.#window = this.#window.slice(this.#windowStart);
      this.#windowStart = 0;
    }
  }

  #answer(waiting: Waiting, tell: (settle: NonNullable<Waiting['settle']>) => void): void {
    if (waiting.settle) tell(waiting.settle);
    delete waiting.settle;
  }

  /** Tells whoever has waited too long to come back with the same command. What is on its way goes on. */
  #expire(): void {
    const now = this.#clock().getTime();
    const waiting = [
      ...this.#queue,
      ...this.#flying.flatMap(({ verdicts }) => verdicts.map((verdict) => verdict.waiting)),
    ];
    for (const one of waiting)
      if (one.answerBy <= now) this.#answer(one, (settle) => settle.reject(new Unavailable(AGAIN)));
    this.#queue = this.#queue.filter((one) => one.settle);
  }

  #refuseWaiting(error: Error): void {
    for (const waiting of this.#queue.splice(0)) this.#answer(waiting, (settle) => settle.reject(error));
    for (const idle of this.#idle.splice(0)) idle();
  }

  /**
   * Something that must not happen (a broken chain, an unreadable entry, a bug): this process takes no more
   * commands.
   */
  #stop(error: unknown): void {
    this.#fatal = error instanceof Error ? error : new Error(String(error));
    this.#observe({ kind: 'stopped', error });
    const flying = this.#flying.splice(0).flatMap(({ verdicts }) => verdicts.map(({ waiting }) => waiting));
    for (const waiting of flying)
      this.#answer(waiting, (settle) => settle.reject(new Unavailable(AGAIN, { cause: error })));
    this.#refuseWaiting(new Unavailable(AGAIN, { cause: error }));
  }

  #tick(): void {
    this.#expire();
    if (!this.#isFree() || this.#closing) return;
    if (performance.now() - this.#clockReadAt > CLOCK_CHECK_MS)
      this.#readClock().catch((error: unknown) => this.#away(error));
    // Nothing of ours tells us of others' entries while we are idle: look, so that catching up stays short.
    if (this.#flying.length === 0 && this.#queue.length === 0) void this.#follow(() => this.#readOn(0));
  }

  /** Reads something of the store's while no append is on its way. */
  async #follow(read: () => Promise<unknown>): Promise<void> {
    this.#following = true;
    try {
      await read();
      this.#outage = undefined;
    } catch (error) {
      if (error instanceof LogUnavailable) this.#away(error);
      else this.#stop(error);
    } finally {
      this.#following = false;
      this.#schedule();
    }
  }

  #away(error: unknown): void {
    this.#outage = 'The event store does not answer.';
    this.#observe({ kind: 'unknown-outcome', error });
  }

  /** Reads others' entries after a moment. */
  async #readOn(afterMs: number): Promise<void> {
    if (afterMs > 0) await sleep(afterMs);
    this.#turns.read(performance.now(), await this.#catchUp());
  }

  async #readClock(): Promise<void> {
    this.#clockReadAt = performance.now();
    this.#clockOffsetMs = (await this.log.storeTime()).getTime() - this.#clock().getTime();
  }

  #clockProblem(): string | undefined {
    const leadMs = Math.max(this.#tip.recordedAtMs - this.#clock().getTime(), 0) - this.#clockOffsetMs;
    return leadMs > MAX_CLOCK_LEAD_MS
      ? `The clock is ${Math.round(leadMs / 60_000)} minutes ahead of the event store’s: nothing is recorded until they agree.`
      : undefined;
  }
}

function receiptOf(verdict: Extract<Verdict, { decision: unknown }>, batch: Batch): Receipt {
  const { decision, revision } = verdict;
  if (decision.kind === 'entry') {
    const kept: KeptEntry = { revision, landing: batch.landing, fingerprint: undefined };
    const position = batch.landing.position ?? START;
    return {
      key: decision.key,
      revision,
      position,
      repeated: false,
      ...routed(routeOf(decision.event, kept)),
    };
  }
  return {
    key: decision.key,
    revision: decision.of?.revision ?? -1,
    position: decision.of?.landing.position ?? START,
    repeated: true,
    ...routed(decision.route),
  };
}

function routed(route: Route | undefined): Pick<Receipt, 'route'> {
  if (!route) return {};
  const { entry: _, ...taken } = route;
  return { route: taken };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
