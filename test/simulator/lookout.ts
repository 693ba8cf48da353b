/**
 * What the read models say, held in memory: as far behind the log as the dice have it. Schedules go through
 * the real projection, over one table in memory; the rest are folds as small as what is asked of them.
 * `year`-like suites over Postgres prove the real rows; here a thousand stories must pass in minutes.
 */
import { TextReader } from '#projections/engine/text-reader';
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { START, type Position, type RecordedEvent } from '#contracts/log';
import { BANK_ACCOUNTS_PREFIX, type BankAccountEvent } from '#contracts/events/bank-account';
import {
  drawnBy,
  JOURNAL,
  subjectsOf,
  unclaimedBy,
  type JournalEvent,
  type UnclaimedItem,
} from '#contracts/events/journal';
import { PAYOUT_PREFIX } from '#contracts/events/payout-process';
import { bankAccounts, type BankAccounts } from '#ledger/bank-accounts/bank-accounts.decider';
import { recorded } from '#log/event-log';
import type { Archive } from '#ledger/journal/archive';
import type { Queryable } from '#projections/engine/read-model';
import { projectSchedules } from '#projections/schedules/project';
import type { DueSchedule } from '#projections/schedules/queries';
import type { UnresolvedPayment } from '#projections/transactions/queries';
import type { UnfinishedPayoutView } from '#projections/payouts/queries';
import type { MemoryLog } from '#test/support/memory-log';
import { PlainVault } from '#test/support/plain-vault';

export type JournalRecord = RecordedEvent & JournalEvent;
export const isOfJournal = (event: RecordedEvent): event is JournalRecord => event.stream === JOURNAL;

interface PaymentRow {
  readonly id: string;
  readonly openedAt: Date;
  intentId: string | null;
  isResolved: boolean;
}
interface PayoutRow {
  readonly id: string;
  readonly userId: string;
  readonly bankAccountId: string;
  readonly amountMinor: number;
  step: UnfinishedPayoutView['step'] | 'completed' | 'failed';
  changedAt: Date;
}

/** The one table that the projection of schedules reads and writes, by its own statements. */
class SchedulesTable implements Queryable {
  readonly rows = new Map<string, Readonly<Record<string, unknown>>>();

  query<R extends QueryResultRow>({ name, text, values = [] }: QueryConfig): Promise<QueryResult<R>> {
    const answer = (rows: R[]): Promise<QueryResult<R>> =>
      Promise.resolve({ rows, rowCount: rows.length, command: '', oid: 0, fields: [] });
    if (name === 'schedules-by-id') {
      const [ids] = values as [string[]];
      const renamed = [...text.matchAll(/(\w+)(?:::text)? as "(\w+)"/g)];
      const rows = ids.flatMap((id) => {
        const row = this.rows.get(id);
        // A copy, as a database gives: what is done to it is not done to the table.
        if (!row) return [];
        return [Object.fromEntries(renamed.map(([, column, key]) => [key!, row[column!]]))];
      });
      return answer(rows as R[]);
    }
    if (name !== 'schedules-written')
      throw new Error(`The table in memory does not know the statement "${name}".`);
    const columns = /schedules \(([^)]+)\)/.exec(text)![1]!.split(', ');
    const lists = values as unknown[][];
    for (let n = 0; n < lists[0]!.length; n++) {
      const row = Object.fromEntries(columns.map((column, at) => [column, lists[at]![n]]));
      this.rows.set(String(row['id']), row);
    }
    return answer([]);
  }
}

export class Lookout implements Archive {
  readonly events: RecordedEvent[] = [];
  reached: Position = START;
  readonly #bySubject = new Map<string, JournalRecord[]>();
  readonly #byKey = new Map<string, JournalRecord>();
  #journalRevision = -1;
  readonly #payments = new Map<string, PaymentRow>();
  readonly #payouts = new Map<string, PayoutRow>();
  readonly #delayed = new Map<string, { delays: number; delayedAt: Date }>();
  readonly #banks = new Map<string, BankAccounts>();
  readonly #unapplied = new Map<string, { chargeId: string; receivedAt: Date; heldMinor: number }>();
  readonly #unclaimed = new Map<string, UnclaimedItem>();
  readonly #schedules = new SchedulesTable();
  #isFeeding = false;

  constructor(private readonly log: MemoryLog) {}

  get isBehind(): boolean {
    return this.events.length < this.log.all.length;
  }

  /** Reads on, at most so many events. */
  async feed(most: number): Promise<void> {
    if (this.#isFeeding) return;
    this.#isFeeding = true;
    const batch = this.log.all
      .slice(this.events.length, this.events.length + most)
      .map((raw) => recorded(raw));
    try {
      await projectSchedules(batch, this.#schedules, new TextReader(new PlainVault()));
      for (const event of batch) this.#see(event);
    } finally {
      this.#isFeeding = false;
    }
  }

  // ---- what the ledger asks
  // -------------------------------------------------------------------------------------------

  find(key: string): ReturnType<Archive['find']> {
    const found = this.#byKey.get(key);
    const entry = found && {
      revision: found.revision,
      position: found.position,
      fingerprint: found.metadata.fingerprint,
      subject: subjectsOf(found)[0],
    };
    return Promise.resolve({ entry, throughRevision: this.#journalRevision });
  }

  entriesOf(subject: string): ReturnType<Archive['entriesOf']> {
    const revisions = this.about(subject).map(({ revision }) => revision);
    return Promise.resolve({ revisions, throughRevision: this.#journalRevision });
  }

  about(subject: string): readonly JournalRecord[] {
    return this.#bySubject.get(subject) ?? [];
  }

  isHeld(chargeId: string): boolean {
    return (this.#unapplied.get(chargeId)?.heldMinor ?? 0) > 0;
  }

  connectAccounts(): { userId: string; connectAccountId: string; payoutsEnabled: boolean }[] {
    return [...this.#banks].flatMap(([userId, { connectAccountId, payoutsEnabled }]) =>
      connectAccountId === undefined ? [] : [{ userId, connectAccountId, payoutsEnabled }],
    );
  }

  // ---- what the workers ask
  // -------------------------------------------------------------------------------------------

  unresolvedPayments(): UnresolvedPayment[] {
    return [...this.#payments.values()]
      .filter(({ isResolved }) => !isResolved)
      .map(({ isResolved: _, ...payment }) => payment);
  }

  unappliedCharges(): { chargeId: string; receivedAt: Date }[] {
    return [...this.#unapplied.values()]
      .filter(({ heldMinor }) => heldMinor > 0)
      .map(({ chargeId, receivedAt }) => ({ chargeId, receivedAt }));
  }

  /** What an operator reads of what waits unclaimed. */
  unclaimed(): UnclaimedItem[] {
    return [...this.#unclaimed.values()];
  }

  /** Whether somebody's account is closed. */
  hasLeft(userId: string): boolean {
    return this.events.some((event) => event.type === 'AccountClosed' && event.data.userId === userId);
  }

  unfinishedPayouts(): UnfinishedPayoutView[] {
    return [...this.#payouts.values()].flatMap(({ id, userId, bankAccountId, step, changedAt }) => {
      if (step === 'completed' || step === 'failed') return [];
      const banks = this.#banks.get(userId);
      const delayed = this.#delayed.get(id);
      return [
        {
          id,
          step,
          changedAt,
          payoutsEnabled: banks?.payoutsEnabled ?? false,
          isBankGone: ['removed', 'refused'].includes(
            banks?.accounts.get(bankAccountId)?.status ?? 'removed',
          ),
          delays: delayed?.delays ?? 0,
          delayCode: null,
          delayedAt: delayed?.delayedAt ?? null,
          isCovered: true,
          waitsItsTurn: false,
        },
      ];
    });
  }

  /** As the queue's query has it, without what was transferred since a look: each look here is made anew. */
  neededFor(payoutId: string): Promise<number | undefined> {
    const rows = [...this.#payouts.values()];
    const mine = rows.find(({ id }) => id === payoutId);
    if (!mine) return Promise.resolve(undefined);
    const before = rows
      .slice(0, rows.indexOf(mine))
      .filter(({ step, userId }) => step === 'requested' && this.#banks.get(userId)?.payoutsEnabled);
    return Promise.resolve(before.reduce((sum, { amountMinor }) => sum + amountMinor, mine.amountMinor));
  }

  note(): Promise<void> {
    return Promise.resolve();
  }

  usersWithStuckBankAccounts(before: Date): string[] {
    return [...this.#banks].flatMap(([userId, { accounts }]) =>
      [...accounts.values()].some(
        ({ status, submittedAt }) => status === 'submitted' && Date.parse(submittedAt) < before.getTime(),
      )
        ? [userId]
        : [],
    );
  }

  /** As the query has it, the longest overdue first. */
  dueSchedules(now: Date): DueSchedule[] {
    return [...this.#schedules.rows.values()]
      .flatMap((row) => {
        const wakeAt = typeof row['wake_at'] === 'string' ? new Date(row['wake_at']) : undefined;
        if (!wakeAt || wakeAt > now) return [];
        const stage = row['stage'];
        const attempt = Number(row['attempt'] ?? 0) + (stage === null || stage === 'waiting' ? 1 : 0);
        const dueAt = new Date(String(row['occurrence_due_at'] ?? row['next_due_at'] ?? row['first_due_at']));
        const kind =
          row['kind'] === 'subscription' ? ('subscription' as const) : ('scheduled-payment' as const);
        return [{ id: String(row['id']), kind, dueAt, attempt, wakeAt }];
      })
      .sort((a, b) => a.wakeAt.getTime() - b.wakeAt.getTime() || (a.id < b.id ? -1 : 1));
  }

  /** What stands in the schedules' rows. */
  scheduleRows(): readonly Readonly<Record<string, unknown>>[] {
    return [...this.#schedules.rows.values()];
  }

  #see(event: RecordedEvent): void {
    this.events.push(event);
    this.reached = event.position;
    if (isOfJournal(event)) this.#book(event);
    else if (event.stream.startsWith(BANK_ACCOUNTS_PREFIX)) {
      const about = event as RecordedEvent & BankAccountEvent;
      const { userId } = about.data;
      this.#banks.set(userId, bankAccounts.evolve(this.#banks.get(userId) ?? bankAccounts.initial, about));
    } else if (event.stream.startsWith(PAYOUT_PREFIX) && event.type === 'PayoutDelayed') {
      const { payoutId, delayedAt } = event.data;
      const delays = (this.#delayed.get(payoutId)?.delays ?? 0) + 1;
      this.#delayed.set(payoutId, { delays, delayedAt: new Date(delayedAt) });
    }
  }

  #seeUnclaimed(event: JournalRecord): void {
    if (event.type === 'UnclaimedPaid') this.#unclaimed.delete(event.data.itemId);
    for (const { itemId, amountMinor } of drawnBy(event)) {
      const item = this.#unclaimed.get(itemId);
      if (!item) throw new Error(`${event.type} draws from ${itemId}, which does not wait.`);
      if (item.amountMinor === amountMinor) this.#unclaimed.delete(itemId);
      else this.#unclaimed.set(itemId, { ...item, amountMinor: item.amountMinor - amountMinor });
    }
    const came = unclaimedBy(event);
    if (came) this.#unclaimed.set(came.itemId, came);
  }

  #book(event: JournalRecord): void {
    this.#journalRevision = event.revision;
    if (event.metadata.key !== undefined) this.#byKey.set(event.metadata.key, event);
    for (const subject of subjectsOf(event)) this.#bySubject.set(subject, [...this.about(subject), event]);
    const at = new Date(event.metadata.recordedAt);
    this.#seeUnclaimed(event);
    switch (event.type) {
      case 'PaymentOpened': {
        const { paymentId: id } = event.data;
        this.#payments.set(id, { id, openedAt: at, intentId: null, isResolved: false });
        return;
      }
      case 'PaymentSubmitted':
      case 'PaymentSettled':
      case 'PaymentCanceled': {
        const row = this.#payments.get(event.data.paymentId);
        if (!row) throw new Error(`${event.type} of a payment that was never opened.`);
        if (event.type === 'PaymentSubmitted') row.intentId = event.data.intentId;
        else row.isResolved = true;
        return;
      }
      case 'UnappliedReceived':
        this.#unapplied.set(event.data.chargeId, {
          chargeId: event.data.chargeId,
          receivedAt: at,
          heldMinor: event.data.amountMinor,
        });
        return;
      case 'UnappliedRefunded':
      case 'UnappliedRefundFailed': {
        const row = this.#unapplied.get(event.data.chargeId);
        if (!row) throw new Error(`${event.type} of a charge that was never received.`);
        const { unappliedMinor = event.data.amountMinor } = event.data;
        row.heldMinor += event.type === 'UnappliedRefunded' ? -unappliedMinor : unappliedMinor;
        return;
      }
      case 'PayoutRequested': {
        const { payoutId: id, userId, bankAccountId, amountMinor } = event.data;
        this.#payouts.set(id, { id, userId, bankAccountId, amountMinor, step: 'requested', changedAt: at });
        return;
      }
      case 'PayoutTransferred':
      case 'PayoutSubmitted':
      case 'PayoutReturned':
      case 'PayoutCompleted':
      case 'PayoutFailed': {
        const row = this.#payouts.get(event.data.payoutId);
        if (!row) throw new Error(`${event.type} of a payout that was never requested.`);
        row.step = STEPS[event.type];
        row.changedAt = at;
        return;
      }
      default:
        return;
    }
  }
}

const STEPS = {
  PayoutTransferred: 'transferred',
  PayoutSubmitted: 'submitted',
  PayoutReturned: 'returned',
  PayoutCompleted: 'completed',
  PayoutFailed: 'failed',
} as const;
