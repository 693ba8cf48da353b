/**
 * Whoever is debited by their own act asked for it: the entry names them as the one who did, or a schedule of theirs
 * that was claimed for that attempt, to that recipient, of that amount. While debits are suspended nothing is taken.
 */
import type { JournalEventOf } from '#contracts/events/journal';
import { isOccurrenceEvent } from '#contracts/events/occurrence';
import type { RecordedEvent } from '#contracts/log';
import type { Check } from '../report.js';
import { differing, isRecovered, whereOf, type JournalEntry, type Relation } from './relation.js';

/** How the ids of payers without an account begin. */
const GUEST = 'gst_';

interface Schedule {
  readonly payerId: string;
  readonly recipientId: string;
  readonly amountMinor: number;
  readonly currency: string;
}

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

export class Consent implements Relation {
  readonly #schedules = new Map<string, Schedule>();
  /** The last attempt that was claimed of an occurrence, with its schedule. */
  readonly #claimed = new Map<string, { readonly scheduleId: string; readonly attempt: number }>();
  readonly #suspended = new Set<string>();
  readonly #findings: string[] = [];
  #acts = 0;

  other(event: RecordedEvent): void {
    if (event.type === 'SubscriptionCreated') this.#schedules.set(event.data.subscriptionId, event.data);
    else if (event.type === 'PaymentScheduled') this.#schedules.set(event.data.scheduleId, event.data);
    else if (isOccurrenceEvent(event)) {
      if (event.type === 'OccurrenceClaimed' || event.type === 'OccurrenceRetried')
        this.#claimed.set(event.data.occurrenceId, {
          scheduleId: event.data.scheduleId,
          attempt: event.data.attempt,
        });
    }
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
    const claimed = this.#claimed.get(occurrenceId);
    return [
      ...differing('payerId', data.payerId, schedule.payerId),
      ...differing('recipientId', data.recipientId, schedule.recipientId),
      ...differing('amountMinor', data.amountMinor, schedule.amountMinor),
      ...differing('currency', data.currency, schedule.currency),
      ...(claimed?.scheduleId === scheduleId && claimed.attempt >= attempt
        ? []
        : [`attempt ${attempt} at occurrence ${occurrenceId} was never begun`]),
    ];
  }
}
