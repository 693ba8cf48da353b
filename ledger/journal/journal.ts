/**
 * The journal's writer, the only way to move money. Commands queue (queue.ts); the writer takes what is
 * waiting, decides each against the books as the ones before it leave them (batch.ts), appends all their
 * entries in one write at the revision it expects, and then answers them all (commit.ts). A second batch is
 * decided and encoded while the first is being made durable, on a draft of the books that the first will
 * leave, and is sent when that has landed.
 *
 * Any number of ledger processes may write: the log decides. Who loses catches up and decides again with new
 * event ids (recovery.ts); who wins gives way (turns.ts). An append whose outcome is unknown is sent again
 * unchanged until the store says.
 */
import { currencyOf, platform } from '#contracts/plain/accounts';
import { CURRENCY } from '#contracts/plain/money';
import { JOURNAL } from '#contracts/events/journal';
import { assertWhole } from '#log/copy-mark';
import { assertVisible, HiddenEvents, notShown } from '#log/hidden-events';
import { AppendDenied, LogUnavailable, OutcomeUnknown, ReadRefused, type EventLog } from '#log/event-log';
import type { LogEnd } from '#contracts/api/internal';
import { GENESIS } from '#log/chain';
import { Metadata } from '#contracts/log';
import type { KeyedProvenance, Tip } from '#log/record';
import { Patience } from '../patience.js';
import { OutcomeOpen, StoreAway, Unavailable } from '../rejection.js';
import { ArchiveReader } from './archive.js';
import { cut } from './batch.js';
import { RecordingClock, sleep } from './clock.js';
import { moneyLeftOf } from './closed-account-rules.js';
import type { Founding, JournalCommand } from './commands.js';
import { ledgerIdFrom } from './keys.js';
import { Commit, type Flight } from './commit.js';
import {
  EXPIRE_EVERY_MS,
  withDefaults,
  type JournalOptions,
  type JournalStatus,
  type JournalObservation,
} from './options.js';
import { Queue, refuse, TRY_AGAIN, type QueuedCommand } from './queue.js';
import type { Receipt } from './receipt.js';
import { Lookup, type Subjects } from './lookup.js';
import { catchUp, Recovery } from './recovery.js';
import { Residency } from './residency.js';
import type { Question } from './find.js';
import { isElsewhere, isUnderWay, type Epoch, type Payout } from './state.js';
import { Turns } from './turns.js';

/** What the writer is at. Batches are cut while it is free. */
type WriterState =
  /** The journal is read for the first time; what is asked meanwhile waits. */
  | { readonly status: 'opening' }
  | { readonly status: 'free' }
  /** It reads others' entries or the store's clock; `done` when it has. */
  | { readonly status: 'following'; readonly done: Promise<void> }
  /** A batch did not land, or may not have: everything behind it waits for what the log says. */
  | { readonly status: 'recovering' }
  | { readonly status: 'stopped'; readonly error: Error };

const FREE: WriterState = { status: 'free' };
const FOLLOW_MS = 1_000;
/** Between two tries to read a journal whose store is away. */
const OPEN_AGAIN_MS = 250;
const REST_STEP_MS = 3;

export class Journal {
  #state: WriterState = FREE;
  #isClosing = false;
  /** What does not answer at the moment, in a sentence. */
  #outage: string | undefined;
  #isPumpDue = false;
  /** How many commands wait for the archive. */
  #asking = 0;
  #idle: (() => void)[] = [];
  #timers: NodeJS.Timeout[] = [];
  readonly #turns = new Turns();
  readonly #clock: RecordingClock;
  readonly #patience: Patience;
  readonly #queue: Queue;
  readonly #residency: Residency;
  readonly #archive: ArchiveReader;
  readonly #lookup: Lookup;
  readonly #commit: Commit;
  readonly #recovery: Recovery;
  readonly #depth: number;
  readonly #observe: (observed: JournalObservation) => void;
  readonly #limits: Required<JournalOptions>['limits'];
  readonly #assertNotClosed: () => void;

  private constructor(
    private readonly log: EventLog,
    options: JournalOptions,
  ) {
    const {
      clock,
      archive,
      window,
      depth,
      answerWithinMs,
      appendTimeoutMs,
      observe,
      assertNotClosed,
      limits,
    } = withDefaults(options);
    this.#depth = depth;
    this.#assertNotClosed = assertNotClosed;
    this.#observe = observe;
    this.#limits = limits;
    this.#clock = new RecordingClock(log, clock);
    this.#patience = new Patience(log.health, answerWithinMs + EXPIRE_EVERY_MS);
    this.#queue = new Queue(clock, answerWithinMs);
    this.#residency = new Residency(clock, window);
    this.#archive = new ArchiveReader(archive, log, clock);
    this.#lookup = new Lookup({
      log,
      residency: this.#residency,
      archive: this.#archive,
      clock,
      answerWithinMs,
      waits: () => this.#schedule(),
    });
    this.#commit = new Commit(log, this.#residency, appendTimeoutMs, {
      observe,
      landed: ({ events }) => {
        if (events.length === 0) return;
        this.#recovery.landed();
        this.#turns.landed(performance.now());
      },
      failed: (flight, error) => void this.#recover(flight, error),
      settled: () => this.#schedule(),
    });
    this.#recovery = new Recovery({
      log,
      residency: this.#residency,
      queue: this.#queue,
      commit: this.#commit,
      turns: this.#turns,
      observe,
      away: (error) => this.#away(error),
    });
  }

  /**
   * Replays the journal, checking its chain, and opens it for commands. Throws IncompleteCopy, ChainBroken,
   * UnreadableEvent or LogUnavailable.
   */
  static async open(log: EventLog, options: JournalOptions): Promise<Journal> {
    const journal = new Journal(log, options);
    await journal.#replay();
    journal.#watchOver();
    return journal;
  }

  /**
   * The same, at once: what is asked before the replay is done waits for it, and a store that is away is
   * tried until it is back, as is one that hides entries of the journal. `opened` is done with the replay,
   * and rejects with IncompleteCopy, ChainBroken or UnreadableEvent.
   */
  static begin(log: EventLog, options: JournalOptions): { journal: Journal; opened: Promise<void> } {
    const journal = new Journal(log, options);
    journal.#state = { status: 'opening' };
    journal.#watchOver();
    return { journal, opened: journal.#openStubbornly() };
  }

  /**
   * Executes a command at most once, however often it is sent, and answers when its entry is durable. Throws
   * Rejected when a rule says no (nothing has changed), Unavailable when the ledger cannot say in time (send
   * the same command again).
   */
  async execute(command: JournalCommand, context: KeyedProvenance): Promise<Receipt> {
    this.#assertOpen();
    this.#assertNotClosed();
    const answer = this.#queue.add(command, context);
    this.#schedule();
    return answer;
  }

  /**
   * What the journal says of a payment, payout, occurrence or unapplied charge; undefined where there is
   * none. The journal is read first: up to and including the revision `atLeast`, or to its present end.
   * Throws Unavailable.
   */
  async look<K extends keyof Subjects>(
    kind: K,
    id: string,
    atLeast?: number,
  ): Promise<Subjects[K] | undefined> {
    this.#assertOpen();
    return this.#patience.for(() => this.#lookup.look(kind, id, atLeast));
  }

  /**
   * The payment that the journal recorded this intent of the provider for; undefined where no entry names it.
   * Throws Unavailable.
   */
  async paymentOfIntent(intentId: string): Promise<string | undefined> {
    this.#assertOpen();
    return this.#patience.for(() => this.#lookup.paymentOfIntent(intentId));
  }

  /**
   * What the journal booked a charge to: a payment, or unapplied money (no payment); undefined where it never
   * booked it. Throws Unavailable.
   */
  async bookedCharge(chargeId: string): Promise<{ readonly paymentId: string | undefined } | undefined> {
    this.#assertOpen();
    return this.#patience.for(() => this.#lookup.bookedCharge(chargeId));
  }

  /**
   * Whether an entry stands under this key, up to and including a revision, or as far as this process has
   * read the journal: read it to its end first. Throws Unavailable.
   */
  async hasEntry(key: string, throughRevision = Infinity): Promise<boolean> {
    this.#assertOpen();
    return this.#patience.for(() => this.#lookup.hasEntry(key, throughRevision));
  }

  /**
   * What is in our balance at the card provider by the books, in minor units by currency, as of the last
   * entry that this process has read.
   */
  cardClearing(): { readonly throughRevision: number; readonly byCurrency: ReadonlyMap<string, number> } {
    const byCurrency = new Map<string, number>();
    const { books, tip } = this.#residency;
    for (const [account, balance] of books.accounts.entries())
      if (account === platform('card-clearing', currencyOf(account)))
        byCurrency.set(currencyOf(account), -balance);
    return { throughRevision: tip.revision, byCurrency };
  }

  /** The charges whose unapplied money went back in this time (an hour at most), by whichever ledger. */
  refundedWithin(ms: number): ReadonlySet<string> {
    return this.#residency.refundedWithin(ms);
  }

  /** The payouts that have not ended, as this process last saw the journal. */
  openPayouts(): readonly Payout[] {
    const open: Payout[] = [];
    for (const [, payout] of this.#residency.books.payouts.all())
      if (!isElsewhere(payout) && payout.status !== 'completed' && payout.status !== 'failed')
        open.push(payout);
    return open;
  }

  /** The last epoch that a recovery began, as this process last saw the journal. */
  get epoch(): Epoch | undefined {
    return this.#residency.books.epoch.get('last');
  }

  /** The journal's last entry that this process has: its revision, hash, and when it was recorded. */
  get tip(): Tip {
    return this.#residency.tip;
  }

  /**
   * Where the journal ends now, and whether it holds an entry as somebody outside remembers it. Throws
   * Unavailable.
   */
  async endNow(known?: LogEnd): Promise<{ readonly log: LogEnd; readonly isKnown: boolean }> {
    this.#assertOpen();
    return this.#patience.for(async () => {
      await this.#lookup.readToEnd();
      const { revision, hash } = this.#residency.tip;
      return { log: { revision, hash }, isKnown: known !== undefined && (await this.#holds(known)) };
    });
  }

  async #holds({ revision, hash }: LogEnd): Promise<boolean> {
    // An empty journal is the beginning of every one.
    if (revision < 0) return hash === GENESIS;
    if (revision > this.#residency.tip.revision) return false;
    for await (const { metadata } of this.log.readStream(JOURNAL, revision, 1))
      return Metadata.parse(metadata.value).hash === hash;
    return false;
  }

  /**
   * The account of the card provider's that this ledger was founded over, as this process last saw the
   * journal.
   */
  get founding(): Founding | undefined {
    return this.#residency.books.founding.get('ledger');
  }

  /**
   * The ledger's id: it derives from the journal's first entry, so every copy of the log has the same.
   * Undefined as long as this process has seen none.
   */
  get ledgerId(): string | undefined {
    const { firstHash } = this.#residency;
    return firstHash === undefined ? undefined : ledgerIdFrom(firstHash);
  }

  /** The journal's last entry, as this process last saw it; undefined before the first. */
  get end(): { readonly revision: number; readonly hash: string; readonly recordedAtMs: number } | undefined {
    const { tip } = this.#residency;
    return tip.revision < 0 ? undefined : tip;
  }

  /** Reads whatever was written before this was asked, by whichever ledger. Throws StoreAway. */
  async readToEnd(): Promise<void> {
    this.#assertOpen();
    await this.#patience.for(() => this.#lookup.readToEnd());
  }

  /**
   * Whether a user may pay and be paid, as this process last saw the journal. Throws StoreAway before the
   * replay.
   */
  isOpen(userId: string): boolean {
    this.#assertReplayed();
    return this.#residency.books.isOpen(userId);
  }

  /**
   * An account's credits less its debits in minor units, as this process last saw the journal; undefined if
   * never opened. Throws StoreAway before the replay.
   */
  balanceOf(account: string): number | undefined {
    this.#assertReplayed();
    return this.#residency.books.balanceOf(account);
  }

  /**
   * What a user still has, to spend, in wallets or on its way to a bank, in minor units, as this process last
   * saw it.
   */
  moneyLeftOf(userId: string): number {
    this.#assertReplayed();
    return moneyLeftOf(userId, this.#residency.books);
  }

  /** The payments to a user that are neither settled nor canceled, as this process last saw the journal. */
  openPaymentsTo(userId: string): string[] {
    this.#assertReplayed();
    const payments = [...this.#residency.books.payments.entries()];
    return payments.flatMap(([id, payment]) =>
      isUnderWay(payment) && 'recipientId' in payment && payment.recipientId === userId ? [id] : [],
    );
  }

  /** All credits less all debits by currency: zero, or money was made or lost. Adds up every account. */
  trialBalance(): Record<string, number> {
    const sums: Record<string, number> = { [CURRENCY]: 0 };
    for (const [account, balance] of this.#residency.books.accounts.entries()) {
      const currency = currencyOf(account);
      sums[currency] = (sums[currency] ?? 0) + balance;
    }
    return sums;
  }

  /** What is held in memory. */
  resident(): ReturnType<Residency['count']> {
    return this.#residency.count();
  }

  status(): JournalStatus {
    const { books, tip } = this.#residency;
    const opening = this.#isOpening ? 'The journal has not been read yet.' : undefined;
    const reason = this.#stopped?.message ?? this.#outage ?? opening ?? this.#clock.problem(tip);
    return {
      ready: reason === undefined,
      reason,
      revision: tip.revision,
      queued: this.#queue.size,
      accounts: books.accounts.size,
    };
  }

  /** Takes no more commands, answers the ones that wait, and stops. */
  async close(): Promise<void> {
    this.#isClosing = true;
    // Without its books there is nothing to wait for.
    if (this.#isOpening) this.#refuseWaiting(new StoreAway());
    if (!this.#isIdle() && !this.#stopped) await new Promise<void>((resolve) => this.#idle.push(resolve));
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #replay(): Promise<void> {
    await assertWhole(this.log);
    await assertVisible(this.log, JOURNAL);
    await this.#clock.read();
    await catchUp(this.log, this.#residency);
  }

  async #openStubbornly(): Promise<void> {
    while (!this.#isClosing)
      try {
        await this.#replay();
        this.#state = FREE;
        this.#outage = undefined;
        this.#schedule();
        return;
      } catch (error) {
        if (!(error instanceof LogUnavailable)) {
          this.#stop(error);
          throw error;
        }
        this.#away(error);
        await sleep(OPEN_AGAIN_MS);
      }
  }

  #watchOver(): void {
    this.#timers = [
      setInterval(() => this.#expire(), EXPIRE_EVERY_MS).unref(),
      setInterval(() => this.#tick(), FOLLOW_MS).unref(),
    ];
  }

  get #isOpening(): boolean {
    return this.#state.status === 'opening';
  }

  #assertReplayed(): void {
    if (this.#isOpening) throw new StoreAway();
  }

  get #stopped(): Error | undefined {
    return this.#state.status === 'stopped' ? this.#state.error : undefined;
  }

  #assertOpen(): void {
    if (this.#stopped || this.#isClosing) throw new Unavailable(TRY_AGAIN, { cause: this.#stopped });
  }

  #isIdle(): boolean {
    return this.#waiting === 0 && this.#commit.flights.length === 0;
  }

  /** Lets the callers of this turn of the event loop queue first: they share the append. */
  #schedule(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    setImmediate(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    const { flights } = this.#commit;
    this.#lookup.answer();
    // With an append on its way, its landing brings the journal up to whatever was written before it.
    if (this.#state.status === 'free' && flights.length === 0 && this.#lookup.takeTurn())
      return this.#follow(() => this.#readOn(0));
    while (
      this.#state.status === 'free' &&
      this.#queue.size > 0 &&
      flights.length < this.#depth &&
      // Behind a batch that asks the log for its end, nothing may move that end.
      flights.at(-1)?.batch.events.length !== 0
    ) {
      const advice = this.#turns.advice(performance.now(), flights.length);
      if (advice === 'land') return;
      if (advice !== 'go') return this.#follow(() => this.#readOn(advice === 'rest' ? REST_STEP_MS : 0));
      const clock = this.#clock.check(this.#residency.tip);
      if (clock === 'read-again') return this.#follow(() => this.#clock.read());
      if (clock !== 'agrees') return this.#refuseWaiting(new Unavailable(clock.problem));
      try {
        const batch = cut(
          this.#queue,
          this.#commit.ahead,
          this.#clock,
          {
            ask: (waiting, question) => void this.#ask(waiting, question),
            alarm: ({ command, context: { correlationId } }, error) =>
              this.#observe({ kind: 'inapplicable', command: command.type, correlationId, error }),
          },
          this.#limits,
        );
        if (batch) this.#commit.launch(batch);
      } catch (error) {
        return this.#stop(error);
      }
    }
    if (this.#isIdle()) this.#tellIdle();
  }

  /** Asks the archive about what is no longer resident, and queues the command again. */
  async #ask(waiting: QueuedCommand, question: Question): Promise<void> {
    this.#asking += 1;
    try {
      waiting.history = await this.#archive.answer(question, waiting.history);
      this.#queue.putLast(waiting);
    } catch (error) {
      refuse(waiting, error);
    } finally {
      this.#asking -= 1;
      this.#schedule();
    }
  }

  /** Reads something of the store's while no append is cut. */
  #follow(read: () => Promise<void>): void {
    const done = read()
      .then(
        () => (this.#outage = undefined),
        (error: unknown) => (error instanceof LogUnavailable ? this.#away(error) : this.#stop(error)),
      )
      .then(() => {
        if (this.#state.status === 'following') this.#state = FREE;
        this.#schedule();
      });
    this.#state = { status: 'following', done };
  }

  /** Reads others' entries after a moment. */
  async #readOn(afterMs: number): Promise<void> {
    if (afterMs > 0) await sleep(afterMs);
    this.#turns.read(performance.now(), await catchUp(this.log, this.#residency));
  }

  async #recover(failed: Flight, error: unknown): Promise<void> {
    const before = this.#state;
    if (before.status === 'recovering' || before.status === 'stopped') return;
    this.#state = { status: 'recovering' };
    try {
      if (before.status === 'following') await before.done;
      await this.#recovery.run(failed, error);
      if (this.#stopped) return;
      this.#state = FREE;
      this.#outage = undefined;
      this.#schedule();
    } catch (fatal) {
      this.#stop(fatal);
    }
  }

  #expire(): void {
    this.#queue.expire(this.#commit.commands);
    this.#lookup.expire();
    // In an outage an append may be on its way for good: whoever asked for it has been told so, and asks
    // again.
    const isAnswered = this.#commit.commands.every(({ settle }) => settle === undefined);
    if (this.#isClosing && this.#waiting === 0 && isAnswered) this.#tellIdle();
  }

  /** How many wait for an answer, those of the batches under way excepted. */
  get #waiting(): number {
    return this.#queue.size + this.#asking + this.#lookup.waiting;
  }

  #tick(): void {
    if (this.#state.status !== 'free' || this.#isClosing) return;
    if (this.#clock.isCheckDue) this.#clock.read().catch((error: unknown) => this.#away(error));
    // Nothing of ours tells us of others' entries while we are idle: look, so that catching up stays short.
    if (this.#commit.flights.length === 0 && this.#queue.size === 0) this.#follow(() => this.#readOn(0));
  }

  #away(reason: unknown): void {
    const before = this.#outage;
    const isDeleted = reason instanceof ReadRefused && reason.because === 'deleted';
    const error = isDeleted ? notShown(JOURNAL, reason) : reason;
    const saysWhatToDo = error instanceof HiddenEvents || error instanceof AppendDenied;
    this.#outage = saysWhatToDo ? error.message : 'The event store does not answer.';
    // What is denied is told once.
    if (error instanceof AppendDenied && before === error.message) return;
    // That nothing is read is told by whoever looks after the store.
    if (error instanceof OutcomeUnknown) this.#observe({ kind: 'unknown-outcome', error });
  }

  /**
   * Something that must not happen (a broken chain, an unreadable entry, a bug): this process takes no more
   * commands.
   */
  #stop(cause: unknown): void {
    this.#state = { status: 'stopped', error: cause instanceof Error ? cause : new Error(String(cause)) };
    this.#observe({ kind: 'stopped', error: cause });
    const error = new Unavailable(TRY_AGAIN, { cause });
    for (const waiting of this.#commit.abandon()) refuse(waiting, new OutcomeOpen({ cause }));
    this.#lookup.refuseAll(error);
    this.#refuseWaiting(error);
  }

  #refuseWaiting(error: Error): void {
    this.#queue.refuseAll(error);
    this.#tellIdle();
  }

  #tellIdle(): void {
    for (const idle of this.#idle.splice(0)) idle();
  }
}
