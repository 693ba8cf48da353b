/**
 * Whoever is debited by their own act asked for it: the entry names them as the one who did, or a schedule of
 * theirs that was claimed for that attempt, to that recipient, of that amount, at a due time of its own,
 * once, and neither paused nor called off. While debits are suspended nothing is taken.
 */
import type { JournalEventOf } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { dueTime, FREQUENCIES, lastDueNumber, type Frequency } from '#contracts/plain/recurrence';
import { hashNumber } from '../flat/id-hash.js';
import { Column, IdTable, Names } from '../flat/id-table.js';
import type { Check } from '../report.js';
import { differing, isRecovered, whereOf, type JournalEntry, type Relation } from './relation.js';

/** The clocks of two writers may be so far apart: each may be five minutes ahead of the store's. */
const CLOCK_SKEW_MS = 5 * 60_000;

/** How the ids of payers without an account begin. */
const GUEST = 'gst_';

interface Schedule {
  readonly payerId: string;
  readonly recipientId: string;
  /** The amount that its payer asked for last. */
  readonly amountMinor: number;
  readonly currency: string;
  /** Its first due time, in milliseconds since 1970: what is due earlier is not its. */
  readonly firstDueMs: number;
  /** How often it is due; absent for a scheduled payment, which is due once. */
  readonly frequency?: Frequency | undefined;
}

/** Whether nothing of a schedule may be begun now, and why. */
const STANDSTILLS = ['', 'paused', 'called off'] as const;
type Standstill = (typeof STANDSTILLS)[number];

type Attempt = Pick<
  EventOf<'OccurrenceClaimed'>['data'],
  'occurrenceId' | 'scheduleId' | 'attempt' | 'dueAt' | 'at'
>;
type EventOf<T extends RecordedEvent['type']> = Extract<RecordedEvent, { type: T }>;
type PayersChange = EventOf<
  | 'SubscriptionAmountChanged'
  | 'SubscriptionSourceChosen'
  | 'ScheduledPaymentAmountChanged'
  | 'ScheduledPaymentSourceChosen'
  | 'ScheduledPaymentMoved'
  | 'OccurrenceRetried'
  | 'SubscriptionCreated'
  | 'PaymentScheduled'
  | 'SubscriptionPaused'
  | 'SubscriptionResumed'
  | 'SubscriptionCanceled'
  | 'ScheduledPaymentCanceled'
>;

/**
 * What a recovery of the log writes in a payer's place, where what was collected proves that they had done
 * so.
 */
const PROVEN: ReadonlySet<RecordedEvent['type']> = new Set([
  'OccurrenceRetried',
  'ScheduledPaymentMoved',
  'SubscriptionResumed',
]);

/** Whose act an entry is; undefined for what the provider, an operator or time does. */
function ownerOf({ type, data }: JournalEntry): string | undefined {
  switch (type) {
    case 'PaymentOpened':
      // A guest has no account here: their own bank asks them.
      return data.payerId.startsWith(GUEST) ? undefined : data.payerId;
    case 'TransferPosted':
      return data.payerId;
    case 'PayoutRequested':
    case 'WalletOpened':
    case 'WalletFunded':
    case 'WalletWithdrawn':
    case 'WalletRenamed':
    case 'WalletClosed':
      return data.userId;
    default:
      return undefined;
  }
}

/**
 * Schedules by id, and the last attempt that was claimed of each of their occurrences, as rows of numbers.
 */
class ScheduleRows {
  readonly #ids = new IdTable();
  readonly #users = new Names();
  readonly #currencies = new Names();
  readonly #payer = new Column(Uint32Array);
  readonly #recipient = new Column(Uint32Array);
  readonly #amountMinor = new Column(Float64Array);
  readonly #currency = new Column(Uint8Array);
  readonly #firstDueMs = new Column(Float64Array);
  /** The number of its frequency + 1; 0 for a scheduled payment. */
  readonly #frequency = new Column(Uint8Array);
  readonly #standstill = new Column(Uint8Array);
  /** The latest due time that was begun, in milliseconds since 1970. */
  readonly #lastDueMs = new Column(Float64Array);
  readonly #occurrences = new IdTable();
  /** The schedule's row + 1; 0 for one that was not made before. */
  readonly #claimedOf = new Column(Uint32Array);
  readonly #attempt = new Column(Uint32Array);
  /** What the schedule was for when the attempt began. */
  readonly #claimedMinor = new Column(Float64Array);
  readonly #dueMs = new Column(Float64Array);
  /** The transfer or payment by which it was paid, as a number; zero while it was not. */
  readonly #paidBy = new Column(Float64Array);

  get size(): number {
    return this.#ids.size;
  }

  add(
    scheduleId: string,
    { payerId, recipientId, amountMinor, currency, firstDueMs, frequency }: Schedule,
  ): void {
    const row = this.#ids.row(scheduleId);
    this.#payer.set(row, this.#users.numberOf(payerId));
    this.#recipient.set(row, this.#users.numberOf(recipientId));
    this.#amountMinor.set(row, amountMinor);
    this.#currency.set(row, this.#currencies.numberOf(currency));
    this.#firstDueMs.set(row, firstDueMs);
    this.#frequency.set(row, frequency === undefined ? 0 : FREQUENCIES.indexOf(frequency) + 1);
  }

  /** Nothing of it is begun from here on, or, with '', it goes on. */
  stand(scheduleId: string, standstill: Standstill): void {
    this.#standstill.set(this.#ids.row(scheduleId), STANDSTILLS.indexOf(standstill));
  }

  standstillOf(scheduleId: string): Standstill {
    const row = this.#ids.find(scheduleId);
    return row < 0 ? '' : STANDSTILLS[this.#standstill.get(row)]!;
  }

  get(scheduleId: string): Schedule | undefined {
    const row = this.#ids.find(scheduleId);
    if (row < 0) return undefined;
    return {
      payerId: this.#users.nameOf(this.#payer.get(row)),
      recipientId: this.#users.nameOf(this.#recipient.get(row)),
      amountMinor: this.#amountMinor.get(row),
      currency: this.#currencies.nameOf(this.#currency.get(row)),
      firstDueMs: this.#firstDueMs.get(row),
      frequency: FREQUENCIES[this.#frequency.get(row) - 1],
    };
  }

  /** The latest due time of a schedule that was begun. */
  lastDueMs(scheduleId: string): number {
    const row = this.#ids.find(scheduleId);
    return (row < 0 ? 0 : this.#lastDueMs.get(row)) || Number.NEGATIVE_INFINITY;
  }

  claim({ occurrenceId, scheduleId, attempt, dueAt }: Attempt): void {
    const row = this.#occurrences.row(occurrenceId);
    const schedule = this.#ids.find(scheduleId);
    const dueMs = Date.parse(dueAt);
    if (schedule >= 0) this.#lastDueMs.set(schedule, Math.max(dueMs, this.#lastDueMs.get(schedule)));
    this.#claimedOf.set(row, schedule + 1);
    this.#attempt.set(row, attempt);
    this.#dueMs.set(row, dueMs);
    this.#claimedMinor.set(row, this.get(scheduleId)?.amountMinor ?? 0);
  }

  /** What the last attempt at an occurrence may take; undefined where none was claimed. */
  claimedMinor(occurrenceId: string): number | undefined {
    const row = this.#occurrences.find(occurrenceId);
    return row < 0 || this.#attempt.get(row) === 0 ? undefined : this.#claimedMinor.get(row);
  }

  /** The last attempt at an occurrence that was claimed, and when that is due; 0 where there was none. */
  claimed(occurrenceId: string): { readonly attempt: number; readonly dueMs: number } {
    const row = this.#occurrences.find(occurrenceId);
    return row < 0
      ? { attempt: 0, dueMs: 0 }
      : { attempt: this.#attempt.get(row), dueMs: this.#dueMs.get(row) };
  }

  pay(occurrenceId: string, transactionId: string): void {
    this.#paidBy.set(this.#occurrences.row(occurrenceId), hashNumber(transactionId));
  }

  isPaidBy(occurrenceId: string, transactionId: string): boolean {
    const row = this.#occurrences.find(occurrenceId);
    return row >= 0 && this.#paidBy.get(row) === hashNumber(transactionId);
  }

  /** Whether this attempt at an occurrence of this schedule, or a later one, was claimed. */
  isClaimed(occurrenceId: string, scheduleId: string, attempt: number): boolean {
    const row = this.#occurrences.find(occurrenceId);
    if (row < 0) return false;
    return this.#claimedOf.get(row) === this.#ids.find(scheduleId) + 1 && this.#attempt.get(row) >= attempt;
  }
}

/** Whether what is due goes by the clock by which events are recorded, or, in a suite, by one ahead of it. */
export type DueClock = 'own' | 'ahead';

export class Consent implements Relation {
  readonly #schedules = new ScheduleRows();
  readonly #suspended = new Set<string>();
  readonly #findings: string[] = [];
  #acts = 0;

  /** In a suite, the clock of what is due runs `ahead` of the one by which events are recorded. */
  constructor(private readonly dueClock: DueClock = 'own') {}

  other(event: RecordedEvent): void {
    switch (event.type) {
      case 'SubscriptionCreated':
        this.#askedByPayer(event);
        this.#schedules.add(event.data.subscriptionId, {
          ...event.data,
          firstDueMs: Date.parse(event.data.firstDueAt),
        });
        break;
      case 'PaymentScheduled':
        this.#askedByPayer(event);
        this.#schedules.add(event.data.scheduleId, {
          ...event.data,
          firstDueMs: Date.parse(event.data.dueAt),
        });
        break;
      case 'SubscriptionPaused':
      case 'SubscriptionResumed':
      case 'SubscriptionCanceled':
      case 'ScheduledPaymentCanceled':
        this.#stand(event);
        break;
      case 'SubscriptionAmountChanged':
      case 'ScheduledPaymentAmountChanged':
        this.#changed(event);
        break;
      case 'SubscriptionSourceChosen':
      case 'ScheduledPaymentSourceChosen':
        this.#askedByPayer(event);
        break;
      case 'ScheduledPaymentMoved':
        this.#moved(event);
        break;
      case 'OccurrenceClaimed':
      case 'OccurrenceRetried':
        this.#begun(event);
        this.#schedules.claim(event.data);
        if (event.type === 'OccurrenceRetried' && event.data.asked) this.#askedByPayer(event);
        break;
      case 'OccurrenceCollected':
        this.#collected(event);
        break;
      default:
        break;
    }
  }

  /**
   * What a schedule charges, when, and from what is its payer's alone to change; that they had done so, a
   * recovery of the log says of a time that the provider proves.
   */
  #askedByPayer({ stream, revision, type, data, metadata }: PayersChange): boolean {
    const isProven = metadata.recovered === true && PROVEN.has(type);
    const isTheirs = isProven || metadata.actorId === data.payerId;
    if (!isTheirs)
      this.#findings.push(
        `${stream} ${revision}: ${type}: it is ${data.payerId}’s to ask for and was asked for by ${metadata.actorId ?? 'nobody'}`,
      );
    return isTheirs;
  }

  /** Paused and ended by its payer, or by us, who say why; resumed by its payer. */
  #stand(
    event: EventOf<
      'SubscriptionPaused' | 'SubscriptionResumed' | 'SubscriptionCanceled' | 'ScheduledPaymentCanceled'
    >,
  ): void {
    const { type, data } = event;
    const isOurs = 'code' in data && data.code !== undefined;
    if (!isOurs && !this.#askedByPayer(event)) return;
    const id = 'scheduleId' in data ? data.scheduleId : data.subscriptionId;
    if (type === 'SubscriptionResumed') this.#schedules.stand(id, '');
    else this.#schedules.stand(id, type === 'SubscriptionPaused' ? 'paused' : 'called off');
  }

  /**
   * What is begun of a schedule is due, is a due time of its own, and is begun once; the next attempt follows
   * the last.
   */
  #begun(event: EventOf<'OccurrenceClaimed' | 'OccurrenceRetried'>): void {
    const { stream, revision, type, data, metadata } = event;
    const schedule = this.#schedules.get(data.scheduleId);
    // What the provider proves of a lost time is won back in the order in which it is met.
    if (!schedule || metadata.recovered === true) return;
    const standstill = this.#schedules.standstillOf(data.scheduleId);
    const dueMs = Date.parse(data.dueAt);
    const isEarly = this.dueClock === 'own' && Date.parse(metadata.recordedAt) < dueMs - CLOCK_SKEW_MS;
    const wrong = [
      ...(isEarly ? [`it was recorded at ${metadata.recordedAt}, before it was due at ${data.dueAt}`] : []),
      ...(standstill === '' ? [] : [`the schedule was ${standstill} before`]),
      ...differing('payerId', data.payerId, schedule.payerId),
      ...(type === 'OccurrenceClaimed' ? this.#newlyDue(data, schedule) : this.#next(data)),
    ];
    if (wrong.length > 0) this.#findings.push(`${stream} ${revision}: ${type}: ${wrong.join('; ')}`);
  }

  /** A further attempt is due because the first one was: the clock may have been set back between them. */
  #newlyDue({ scheduleId, dueAt, at }: Attempt, { firstDueMs, frequency }: Schedule): readonly string[] {
    const dueMs = Date.parse(dueAt);
    const first = new Date(firstDueMs);
    if (dueMs < firstDueMs)
      return [`it was due at ${dueAt}, and the schedule at ${first.toISOString()} first`];
    const due =
      frequency === undefined
        ? first
        : dueTime(first, frequency, lastDueNumber(first, frequency, new Date(dueMs)));
    return [
      ...(Date.parse(at) < dueMs ? [`it was begun at ${at}, before it was due at ${dueAt}`] : []),
      ...(due.getTime() === dueMs
        ? []
        : [`the schedule is not due at ${dueAt}; it is ${frequency ?? 'due once'}, at ${due.toISOString()}`]),
      ...(dueMs <= this.#schedules.lastDueMs(scheduleId)
        ? [`what was due at ${dueAt} or later was begun before`]
        : []),
    ];
  }

  #next({ occurrenceId, attempt, dueAt }: Attempt): readonly string[] {
    const last = this.#schedules.claimed(occurrenceId);
    if (last.attempt === 0) return [`occurrence ${occurrenceId} was never begun`];
    return [
      ...differing('attempt', attempt, last.attempt + 1),
      ...(Date.parse(dueAt) === last.dueMs
        ? []
        : [`dueAt is ${dueAt} and should be ${new Date(last.dueMs).toISOString()}`]),
    ];
  }

  /** Where a schedule says that it was paid, the journal says so, by that transfer or payment. */
  #collected({ stream, revision, type, data, metadata }: EventOf<'OccurrenceCollected'>): void {
    const { occurrenceId, transactionId } = data;
    if (metadata.recovered === true || this.#schedules.isPaidBy(occurrenceId, transactionId)) return;
    this.#findings.push(
      `${stream} ${revision}: ${type}: occurrence ${occurrenceId} was not paid by ${transactionId}`,
    );
  }

  #moved(event: EventOf<'ScheduledPaymentMoved'>): void {
    if (!this.#askedByPayer(event)) return;
    const known = this.#schedules.get(event.data.scheduleId);
    if (known)
      this.#schedules.add(event.data.scheduleId, { ...known, firstDueMs: Date.parse(event.data.dueAt) });
  }

  #changed(event: EventOf<'SubscriptionAmountChanged' | 'ScheduledPaymentAmountChanged'>): void {
    if (!this.#askedByPayer(event)) return;
    const id = 'scheduleId' in event.data ? event.data.scheduleId : event.data.subscriptionId;
    const known = this.#schedules.get(id);
    if (known) this.#schedules.add(id, { ...known, amountMinor: event.data.amountMinor });
  }

  entry(entry: JournalEntry): void {
    if (entry.type === 'DebitsSuspended') this.#suspended.add(entry.data.userId);
    if (entry.type === 'DebitsResumed') this.#suspended.delete(entry.data.userId);
    if ((entry.type === 'TransferPosted' || entry.type === 'PaymentSettled') && entry.data.occurrence)
      this.#schedules.pay(
        entry.data.occurrence.occurrenceId,
        entry.type === 'TransferPosted' ? entry.data.transferId : entry.data.paymentId,
      );
    const owner = ownerOf(entry);
    if (owner === undefined || isRecovered(entry)) return;
    this.#acts += 1;
    const wrong = [
      ...('occurrence' in entry.data && entry.data.occurrence
        ? this.#scheduled(entry as JournalEventOf<'TransferPosted' | 'PaymentOpened'>)
        : entry.metadata.actorId === owner
          ? []
          : [`it is ${owner}’s to ask for and was asked for by ${entry.metadata.actorId ?? 'nobody'}`]),
      ...(this.#isTaken(entry, owner) ? [`debits of ${owner} are suspended`] : []),
    ];
    if (wrong.length > 0) this.#findings.push(`${whereOf(entry)}: ${entry.type}: ${wrong.join('; ')}`);
  }

  check(): Check {
    return {
      name: 'debits asked for by their owner',
      figure: `${this.#acts} acts of owners, ${this.#schedules.size} schedules`,
      findings: this.#findings,
    };
  }

  #isTaken({ type, data }: JournalEntry, owner: string): boolean {
    if (!this.#suspended.has(owner)) return false;
    if (type === 'PaymentOpened') return data.savedCard !== undefined;
    return (
      type !== 'WalletOpened' &&
      type !== 'WalletRenamed' &&
      !(type === 'WalletClosed' && data.amountMinor === 0)
    );
  }

  #scheduled({ data }: JournalEventOf<'TransferPosted' | 'PaymentOpened'>): readonly string[] {
    const { occurrenceId, scheduleId, attempt, kind, dueAt } = data.occurrence!;
    const schedule = this.#schedules.get(scheduleId);
    if (!schedule) return [`schedule ${scheduleId} was never made`];
    return [
      ...differing('payerId', data.payerId, schedule.payerId),
      ...differing('recipientId', data.recipientId, schedule.recipientId),
      ...differing(
        'amountMinor',
        data.amountMinor,
        this.#schedules.claimedMinor(occurrenceId) ?? schedule.amountMinor,
      ),
      ...differing('currency', data.currency, schedule.currency),
      ...differing('kind', kind, schedule.frequency === undefined ? 'scheduled-payment' : 'subscription'),
      ...(this.#schedules.isClaimed(occurrenceId, scheduleId, attempt)
        ? Date.parse(dueAt) === this.#schedules.claimed(occurrenceId).dueMs
          ? []
          : [`it was begun for another due time than ${dueAt}`]
        : [`attempt ${attempt} at occurrence ${occurrenceId} was never begun`]),
    ];
  }
}
