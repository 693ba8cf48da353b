/**
 * What stands open at a moment, and since when: payouts, unapplied money, disputes, debts, unclaimed money.
 */
import { drawnBy } from '#contracts/events/journal';
import { textFromMinor } from '../reconcile/amounts.js';
import { natureOf } from '../derivation/accounts.js';
import { Derivation } from '../derivation/derivation.js';
import type { Entry } from '../derivation/entries.js';
import { csvOf } from './csv.js';
import { entriesUntil, type BooksSource } from './fold.js';
import type { Moment } from './moments.js';

export const AGING_KINDS = ['payouts', 'unapplied', 'disputes', 'debts', 'unclaimed'] as const;
export type AgingKind = (typeof AGING_KINDS)[number];

/** One thing that stands open. The amount is what is open of it, in minor units. */
interface OpenItem {
  readonly id: string;
  readonly userId: string | null;
  /** How it stands: the type of its last entry. */
  readonly state: string;
  readonly since: string;
  readonly revision: number;
  readonly ageDays: number;
  readonly amountMinor: number;
  readonly currency: string;
}

/** By age: an item is in the first range that holds it. */
const AGES = [
  ['up to 7 days', 7],
  ['8 to 30 days', 30],
  ['31 to 90 days', 90],
  ['91 days to a year', 365],
  ['over a year', Number.POSITIVE_INFINITY],
] as const;

interface Aging {
  readonly kind: AgingKind;
  readonly at: string;
  /** To when ages are counted. */
  readonly countedAt: string;
  /** The oldest first. */
  readonly items: readonly OpenItem[];
  readonly ages: readonly {
    readonly age: string;
    readonly count: number;
    readonly amounts: Readonly<Record<string, number>>;
  }[];
}

const DAY_MS = 24 * 3_600_000;
type Open = Omit<OpenItem, 'ageDays'>;

/** What is open, by id, as entries open, move and end it. */
abstract class OpenItems {
  readonly #open = new Map<string, Open>();

  abstract take(entry: Entry, derivation: Derivation): void;

  all(): Open[] {
    return [...this.#open.values()];
  }

  protected begin(
    entry: Entry,
    id: string,
    userId: string | undefined,
    amountMinor: number,
    currency: string,
  ): void {
    const { type: state, recordedAt: since, revision } = entry;
    this.#open.set(id, { id, userId: userId ?? null, state, since, revision, amountMinor, currency });
  }

  /** Changes what is open of it; at zero it ends. */
  protected change(entry: Entry, id: string, byMinor: number): void {
    const item = this.#open.get(id);
    if (!item) return;
    const amountMinor = item.amountMinor + byMinor;
    if (amountMinor === 0) this.#open.delete(id);
    else this.#open.set(id, { ...item, amountMinor, state: entry.type });
  }

  protected end(id: string): void {
    this.#open.delete(id);
  }

  protected has(id: string): boolean {
    return this.#open.has(id);
  }
}

/**
 * Payouts that were asked for and have neither arrived nor failed; one that a bank returned is open again.
 */
class OpenPayouts extends OpenItems {
  take(entry: Entry): void {
    if (!('payoutId' in entry.data)) return;
    const { payoutId, userId, amountMinor, currency } = entry.data;
    if (entry.type === 'PayoutCompleted' || entry.type === 'PayoutFailed') this.end(payoutId);
    else if (!this.has(payoutId)) this.begin(entry, payoutId, userId, amountMinor, currency);
    else this.change(entry, payoutId, 0);
  }
}

/** Money that no payment explains, as long as some of it is held. */
class UnappliedMoney extends OpenItems {
  readonly #ended = new Map<string, string>();

  take(entry: Entry): void {
    const { type, data } = entry;
    if (type === 'UnappliedReceived')
      this.begin(entry, data.chargeId, undefined, data.amountMinor, data.currency);
    else if (type === 'UnappliedRefunded' || type === 'DisputeFundsWithdrawn') {
      if (this.has(data.chargeId)) this.#ended.set(data.chargeId, data.currency);
      const { unappliedMinor: taken = data.amountMinor } = data;
      this.change(entry, data.chargeId, -taken);
    } else if (type === 'UnappliedRefundFailed' || type === 'DisputeFundsReinstated') {
      const { unappliedMinor: back = data.amountMinor } = data;
      const currency = this.#ended.get(data.chargeId);
      if (this.has(data.chargeId)) this.change(entry, data.chargeId, back);
      else if (currency !== undefined && back > 0)
        this.begin(entry, data.chargeId, undefined, back, currency);
    }
  }
}

/** Disputes that are neither won nor lost. */
class OpenDisputes extends OpenItems {
  take(entry: Entry): void {
    const { type, data } = entry;
    if (type === 'DisputeWon' || type === 'DisputeLost') this.end(data.disputeId);
    else if (type === 'DisputeOpened' || type === 'DisputeFundsWithdrawn') {
      if (!this.has(data.disputeId))
        this.begin(entry, data.disputeId, data.recipientId, data.amountMinor, data.currency);
    }
  }
}

/** Accounts of people below zero, since they went there. */
class Debts extends OpenItems {
  take(entry: Entry, { balances }: Derivation): void {
    const moved = new Set(entry.postings.flatMap(({ debit, credit }) => [debit, credit]));
    for (const account of moved) {
      const nature = natureOf(account);
      if (nature?.userId === undefined && nature?.walletId === undefined) continue;
      const balance = balances.of(account);
      if (balance >= 0) this.end(account);
      else if (!this.has(account)) this.begin(entry, account, nature.userId, -balance, nature.currency);
      else this.change(entry, account, -balance - this.#debtOf(account));
    }
  }

  #debtOf(account: string): number {
    return this.all().find(({ id }) => id === account)?.amountMinor ?? 0;
  }
}

/**
 * Money that came back for people whose accounts are closed, until it is paid out by hand or used up by what
 * is taken from them later.
 */
class UnclaimedMoney extends OpenItems {
  take(entry: Entry): void {
    const { type, data, postings } = entry;
    if (type === 'UnclaimedPaid') {
      this.end(data.itemId);
      return;
    }
    for (const { itemId, amountMinor } of drawnBy(entry)) this.change(entry, itemId, -amountMinor);
    const gained = postings.reduce(
      (sum, { credit, amountMinor }) => sum + (credit.startsWith('platform/unclaimed') ? amountMinor : 0),
      0,
    );
    if (gained === 0) return;
    const userId = 'recipientId' in data ? data.recipientId : 'userId' in data ? data.userId : undefined;
    this.begin(entry, unclaimedIdOf(entry), userId, gained, postings[0]?.currency ?? '');
  }
}

/**
 * What unclaimed money is known by: the clearing, the refund, the balance transaction or the payout that
 * brought it.
 */
function unclaimedIdOf({ data, type }: Entry): string {
  if ('itemId' in data) return data.itemId;
  if ('refundId' in data) return data.refundId;
  if ('balanceTransactionId' in data) return data.balanceTransactionId;
  return 'payoutId' in data ? data.payoutId : type;
}

const ITEMS: Readonly<Record<AgingKind, new () => OpenItems>> = {
  payouts: OpenPayouts,
  unapplied: UnappliedMoney,
  disputes: OpenDisputes,
  debts: Debts,
  unclaimed: UnclaimedMoney,
};

/**
 * What of a kind stands open at a moment. Ages are counted to that moment, and `now` where that is earlier.
 */
export async function aging(source: BooksSource, kind: AgingKind, until: Moment, now: Date): Promise<Aging> {
  const derivation = new Derivation();
  const items = new ITEMS[kind]();
  let lastMs = 0;
  for await (const entry of entriesUntil(source, until, derivation)) {
    items.take(entry, derivation);
    lastMs = Date.parse(entry.recordedAt);
  }
  // Up to a revision, ages are counted to when that was recorded.
  const untilMs = Number.isFinite(until.beforeMs)
    ? until.beforeMs - 1
    : until.throughRevision < Number.MAX_SAFE_INTEGER
      ? lastMs
      : now.getTime();
  const countedMs = Math.min(untilMs, now.getTime());
  const aged = items
    .all()
    .map((item) => ({
      ...item,
      ageDays: Math.max(0, Math.floor((countedMs - Date.parse(item.since)) / DAY_MS)),
    }))
    .sort((one, other) => one.revision - other.revision || (one.id < other.id ? -1 : 1));
  return {
    kind,
    at: until.at,
    countedAt: new Date(countedMs).toISOString(),
    items: aged,
    ages: agesOf(aged),
  };
}

function agesOf(items: readonly OpenItem[]): Aging['ages'] {
  return AGES.map(([age, most], n) => {
    const least = n === 0 ? -1 : AGES[n - 1]![1];
    const own = items.filter(({ ageDays }) => ageDays > least && ageDays <= most);
    const amounts: Record<string, number> = {};
    for (const { currency, amountMinor } of own) amounts[currency] = (amounts[currency] ?? 0) + amountMinor;
    return { age, count: own.length, amounts };
  });
}

export const agingCsv = ({ items }: Aging): string =>
  csvOf(
    ['id', 'user', 'state', 'since', 'age_days', 'amount', 'currency', 'revision'],
    items.map((item) => [
      item.id,
      item.userId,
      item.state,
      item.since,
      item.ageDays,
      textFromMinor(item.amountMinor, item.currency),
      item.currency,
      item.revision,
    ]),
  );

const NOTHING: Readonly<Record<AgingKind, string>> = {
  payouts: 'No payouts are',
  unapplied: 'No unapplied money is',
  disputes: 'No disputes are',
  debts: 'No debts are',
  unclaimed: 'No unclaimed money is',
};

/** What stands open as lines for people. */
export function agingLines({ kind, at, countedAt, items, ages }: Aging): string[] {
  if (items.length === 0) return [`${NOTHING[kind]} open at ${at}.`];
  const sums = (amounts: Readonly<Record<string, number>>): string =>
    Object.entries(amounts)
      .map(([currency, minor]) => `${textFromMinor(minor, currency)} ${currency}`)
      .join(', ');
  return [
    `Open ${kind} at ${at}, their age counted to ${countedAt}`,
    '',
    ...ages.map(({ age, count, amounts }) =>
      `${age.padEnd(18)}${String(count).padStart(6)}  ${sums(amounts)}`.trimEnd(),
    ),
    '',
    ...items.map(
      (item) =>
        `${item.id}  ${item.userId ?? '-'}  ${item.state}  since ${item.since} (${item.ageDays} days, entry ${item.revision})  ${textFromMinor(item.amountMinor, item.currency)} ${item.currency}`,
    ),
  ];
}
