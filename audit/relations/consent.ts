/**
 * Whoever is debited by their own act asked for it: the entry names them as the one who did, or a schedule of theirs
 * that was claimed for that attempt, to that recipient, of that amount, at a time at which it was due and had not been
 * called off. While debits are suspended nothing is taken.
 */
import type { JournalEventOf } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { Column, IdTable, Names } from '../flat/id-table.js';
import type { Check } from '../report.js';
import { differing, isRecovered, whereOf, type JournalEntry, type Relation } from './relation.js';

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
}

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
>;

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

/** Schedules by id, and the last attempt that was claimed of each of their occurrences, as rows of numbers. */
class ScheduleRows {
  readonly #ids = new IdTable();
  readonly #users = new Names();
  readonly #currencies = new Names();
  readonly #payer = new Column(Uint32Array);
  readonly #recipient = new Column(Uint32Array);
  readonly #amountMinor = new Column(Float64Array);
  readonly #currency = new Column(Uint8Array);
  readonly #firstDueMs = new Column(Float64Array);
  readonly #isOver = new Column(Uint8Array);
  readonly #occurrences = new IdTable();
  /** The schedule's row + 1; 0 for one that was not made before. */
  readonly #claimedOf = new Column(Uint32Array);
  readonly #attempt = new Column(Uint32Array);
  /** What the schedule was for when the attempt began. */
  readonly #claimedMinor = new Column(Float64Array);

  get size(): number {
    return this.#ids.size;
  }

  add(scheduleId: string, { payerId, recipientId, amountMinor, currency, firstDueMs }: Schedule): void {
    const row = this.#ids.row(scheduleId);
    this.#payer.set(row, this.#users.numberOf(payerId));
    this.#recipient.set(row, this.#users.numberOf(recipientId));
    this.#amountMinor.set(row, amountMinor);
    this.#currency.set(row, this.#currencies.numberOf(currency));
    this.#firstDueMs.set(row, firstDueMs);
  }

  /** It was called off: nothing of it is begun any more. */
  end(scheduleId: string): void {
    this.#isOver.set(this.#ids.row(scheduleId), 1);
  }

  isOver(scheduleId: string): boolean {
    const row = this.#ids.find(scheduleId);
    return row >= 0 && this.#isOver.get(row) === 1;
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
    };
  }

  claim(occurrenceId: string, scheduleId: string, attempt: number): void {
    const row = this.#occurrences.row(occurrenceId);
    this.#claimedOf.set(row, this.#ids.find(scheduleId) + 1);
    this.#attempt.set(row, attempt);
    this.#claimedMinor.set(row, this.get(scheduleId)?.amountMinor ?? 0);
  }

  /** What the last attempt at an occurrence may take; undefined where none was claimed. */
  claimedMinor(occurrenceId: string): number | undefined {
    const row = this.#occurrences.find(occurrenceId);
    return row < 0 ? undefined : this.#claimedMinor.get(row);
  }

  /** Whether this attempt at an occurrence of this schedule, or a later one, was claimed. */
  isClaimed(occurrenceId: string, scheduleId: string, attempt: number): boolean {
    const row = this.#occurrences.find(occurrenceId);
    if (row < 0) return false;
    return this.#claimedOf.get(row) === this.#ids.find(scheduleId) + 1 && this.#attempt.get(row) >= attempt;
  }
}

export class Consent implements Relation {
  readonly #schedules = new ScheduleRows();
  readonly #suspended = new Set<string>();
  readonly #findings: string[] = [];
  #acts = 0;

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
      case 'SubscriptionCanceled':
        this.#schedules.end(event.data.subscriptionId);
        break;
      case 'ScheduledPaymentCanceled':
        this.#schedules.end(event.data.scheduleId);
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
      case 'OccurrenceRetried': {
        const { occurrenceId, scheduleId, attempt } = event.data;
        if (event.type === 'OccurrenceClaimed') this.#dueAndNotOver(event);
        this.#schedules.claim(occurrenceId, scheduleId, attempt);
        if (event.type === 'OccurrenceRetried' && event.data.asked) this.#askedByPayer(event);
        break;
      }
      default:
        break;
    }
  }

  /**
   * What a schedule charges, when, and from what is its payer's alone to change; that they had done so, a recovery of
   * the log says of a time that the provider proves.
   */
  #askedByPayer({ stream, revision, type, data, metadata }: PayersChange): boolean {
    const isProven =
      metadata.recovered === true && (type === 'ScheduledPaymentMoved' || type === 'OccurrenceRetried');
    const isTheirs = isProven || metadata.actorId === data.payerId;
    if (!isTheirs)
      this.#findings.push(
        `${stream} ${revision}: ${type}: it is ${data.payerId}’s to ask for and was asked for by ${metadata.actorId ?? 'nobody'}`,
      );
    return isTheirs;
  }

  /** What is claimed of a schedule is due, not before it began, and not after it was called off. */
  #dueAndNotOver({ stream, revision, type, data }: EventOf<'OccurrenceClaimed'>): void {
    const schedule = this.#schedules.get(data.scheduleId);
    if (!schedule) return;
    const dueMs = Date.parse(data.dueAt);
    const wrong = [
      ...(this.#schedules.isOver(data.scheduleId) ? ['the schedule was called off before'] : []),
      ...(dueMs < schedule.firstDueMs
        ? [
            `it was due at ${data.dueAt}, and the schedule at ${new Date(schedule.firstDueMs).toISOString()} first`,
          ]
        : []),
      ...(Date.parse(data.at) < dueMs
        ? [`it was begun at ${data.at}, before it was due at ${data.dueAt}`]
        : []),
    ];
    if (wrong.length > 0) this.#findings.push(`${stream} ${revision}: ${type}: ${wrong.join('; ')}`);
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
    const { occurrenceId, scheduleId, attempt } = data.occurrence!;
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
      ...(this.#schedules.isClaimed(occurrenceId, scheduleId, attempt)
        ? []
        : [`attempt ${attempt} at occurrence ${occurrenceId} was never begun`]),
    ];
  }
}
