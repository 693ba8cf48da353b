/**
 * Follows the journal entry by entry and derives the postings of each from its type and fields, by the
 * audit's own {@link POSTINGS}; the postings that the entry carries are not looked at. What entries before it
 * said counts in two ways: the currency of a charge, and which accounts are closed. No money rests on a
 * closed account: what would be credited there makes up first what the platform has lost by that user, and is
 * unclaimed beyond that; what would be taken from there is taken from what waits unclaimed for that user, as
 * far as the entry says so, and is the platform's loss beyond that.
 */
import { drawnBy, type JournalEvent } from '#contracts/events/journal';
import { HOME_CURRENCY, natureOf } from './accounts.js';
import { Balances } from './balances.js';
import { POSTINGS, type Leg, type Past } from './table.js';

/** One leg pair as derived: `amountMinor` (minor units of `currency`) leaves `debit` and reaches `credit`. */
export interface DerivedPosting {
  readonly debit: string;
  readonly credit: string;
  readonly amountMinor: number;
  readonly currency: string;
}

/** An entry from which no postings follow: it lacks a field that its own amounts need. */
export class Underivable extends Error {
  override readonly name = 'Underivable';
}

const LOSSES = 'platform/losses';
const UNCLAIMED = 'platform/unclaimed';

type AnyFields = Readonly<Record<string, unknown>>;

export class Derivation {
  /** What every account holds by the derived postings so far. */
  readonly balances = new Balances();
  /** Charges in another currency than ours; all others are in ours. */
  readonly #foreignCharges = new Map<string, string>();
  readonly #closed = new Set<string>();
  /** By user whose account is closed or was in debt: what the platform has lost by them and not made up. */
  readonly #losses = new Map<string, number>();
  readonly #past: Past = {
    chargeCurrency: (chargeId) => this.#foreignCharges.get(chargeId) ?? HOME_CURRENCY,
  };

  /** Whether a user's account has been closed so far. */
  isClosed(userId: string): boolean {
    return this.#closed.has(userId);
  }

  /** The currency in which a charge was booked. */
  chargeCurrency(chargeId: string): string {
    return this.#past.chargeCurrency(chargeId);
  }

  /** Derives the next entry's postings and takes them into the balances. Throws {@link Underivable}. */
  next(event: JournalEvent): readonly DerivedPosting[] {
    const postings = withDrawn(event, this.#withoutClosed(event, this.#derived(event)));
    for (const { debit, credit, amountMinor } of postings) {
      const userId = debit === LOSSES || credit === LOSSES ? lostBy(event) : undefined;
      if (userId === undefined) continue;
      const byMinor = debit === LOSSES ? amountMinor : -amountMinor;
      this.#losses.set(userId, (this.#losses.get(userId) ?? 0) + byMinor);
    }
    if (event.type === 'AccountOpened' || event.type === 'WalletOpened')
      this.balances.open(event.data.account);
    if (event.type === 'AccountClosed') this.#closed.add(event.data.userId);
    if (
      (event.type === 'UnappliedReceived' || event.type === 'PaymentSettled') &&
      event.data.currency !== HOME_CURRENCY
    )
      this.#foreignCharges.set(event.data.chargeId, event.data.currency);
    this.balances.apply(postings);
    return postings;
  }

  #derived(event: JournalEvent): DerivedPosting[] {
    // Each line's conditions take the fields of its own type, which is this event's.
    const legs = POSTINGS[event.type] as readonly Leg<never>[];
    const data: AnyFields = event.data;
    return legs.flatMap((leg) => {
      const amountMinor = data[leg.amount];
      if (typeof amountMinor !== 'number' || amountMinor === 0) return [];
      if (leg.when && !leg.when.holds(event.data as never, this.#past)) return [];
      const currency = data[leg.currency ?? 'currency'] ?? HOME_CURRENCY;
      const named = (pattern: string): string => accountOf(pattern, event.type, data, String(currency));
      return [
        { debit: named(leg.debit), credit: named(leg.credit), amountMinor, currency: String(currency) },
      ];
    });
  }

  #withoutClosed({ type }: JournalEvent, postings: readonly DerivedPosting[]): readonly DerivedPosting[] {
    // These two are what is done about a closed account.
    if (type === 'ClosedAccountCleared' || type === 'DebtWrittenOff' || this.#closed.size === 0)
      return postings;
    return postings.flatMap((posting) => {
      const { debit, credit, amountMinor } = posting;
      const [from, to] = [this.#closedOwner(debit), this.#closedOwner(credit)];
      if (from !== undefined && to !== undefined)
        return this.balances.of(debit) < amountMinor ? [] : [{ ...posting, credit: UNCLAIMED }];
      if (from !== undefined) return [{ ...posting, debit: LOSSES }];
      if (to === undefined) return [posting];
      const madeUp = Math.min(amountMinor, this.#losses.get(to) ?? 0);
      return [
        { ...posting, credit: LOSSES, amountMinor: madeUp },
        { ...posting, credit: UNCLAIMED, amountMinor: amountMinor - madeUp },
      ].filter((each) => each.amountMinor > 0);
    });
  }

  #closedOwner(account: string): string | undefined {
    const userId = natureOf(account)?.userId;
    return userId !== undefined && this.#closed.has(userId) ? userId : undefined;
  }
}

/**
 * What an entry says is drawn from unclaimed money is no loss. Whether it should say that is another
 * question: see relations/accounts.ts.
 */
function withDrawn(event: JournalEvent, postings: readonly DerivedPosting[]): readonly DerivedPosting[] {
  let restMinor = drawnBy(event).reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  if (restMinor === 0) return postings;
  return postings.flatMap((posting) => {
    if (posting.debit !== LOSSES) return [posting];
    const drawnMinor = Math.min(posting.amountMinor, restMinor);
    restMinor -= drawnMinor;
    return [
      { ...posting, debit: UNCLAIMED, amountMinor: drawnMinor },
      { ...posting, amountMinor: posting.amountMinor - drawnMinor },
    ].filter((each) => each.amountMinor > 0);
  });
}

/** Whose loss or repayment an entry books: its recipient's, or its user's. */
function lostBy({ data }: JournalEvent): string | undefined {
  if ('recipientId' in data) return data.recipientId;
  return 'userId' in data ? data.userId : undefined;
}

/** The account that a pattern names in an entry. */
function accountOf(pattern: string, type: string, data: AnyFields, currency: string): string {
  if (pattern.startsWith('platform/')) return currency === HOME_CURRENCY ? pattern : `${pattern}/${currency}`;
  return pattern.replace(/\{(\w+)\}/, (_, field: string) => {
    const value = data[field];
    if (typeof value !== 'string' || value === '')
      throw new Underivable(`${type} moves money of ${pattern} and has no ${field}.`);
    return value;
  });
}
