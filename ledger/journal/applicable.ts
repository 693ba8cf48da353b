/**
 * Whether an entry can become part of the books and be read by everybody afterwards. It is judged before
 * anything changes: by whoever decides it, so that one value from outside is refused alone and stops nobody,
 * and again by whoever applies it.
 */
import { currencyOf } from '#contracts/plain/accounts';
import { postingsOf, type JournalEvent, type Posting } from '#contracts/events/journal';
import { Rejected } from '../rejection.js';
import type { Books } from './state.js';

/**
 * No new entry takes a balance further from zero than this. It is half of what can be held exactly, so that
 * the change of a balance over any stretch of the log can be held exactly too.
 */
const MOST_MINOR = 2 ** 52;
/** Ids and the provider's words. Keys of tables are made of them, which Postgres takes up to 2,704 bytes. */
const MOST_CHARACTERS = 500;
const SEALED = 'sealed:';
const NOTE_CHARACTERS = 16_000;
const CURRENCY_FORM = /^[a-z]{3}$/;

/**
 * The balances that postings leave, by account. Throws an Error, and has changed nothing, unless they move
 * money as entries must: whole positive amounts, between two accounts of one currency that were opened.
 * `mostMinor` is how far from zero a balance may go.
 */
export function balancesAfter(
  postings: readonly Posting[],
  books: Books,
  mostMinor: number,
): ReadonlyMap<string, number> {
  const balances = new Map<string, number>();
  const move = (account: string, byMinor: number): void => {
    const before = balances.get(account) ?? books.balanceOf(account);
    if (before === undefined) throw new Error(`A posting to ${account}, which was never opened`);
    const after = before + byMinor;
    if (Math.abs(after) > mostMinor) throw new Error(`The balance of ${account} would be ${after}`);
    balances.set(account, after);
  };
  for (const { debit, credit, amountMinor } of postings) {
    assertWhole('posting', amountMinor);
    if (debit === credit) throw new Error(`A posting from ${debit} to itself`);
    if (currencyOf(debit) !== currencyOf(credit))
      throw new Error(`A posting from ${debit} to ${credit} changes its currency`);
    move(debit, -amountMinor);
    move(credit, amountMinor);
  }
  return balances;
}

/**
 * Throws Rejected('DoesNotApply') for an entry that the books or the read models could not take. The money of
 * a user's own act can never be of that kind; what a provider says can.
 */
export function assertApplies(event: JournalEvent, books: Books): void {
  try {
    balancesAfter(postingsOf(event), books, MOST_MINOR);
    // A refund leaves out postings of nothing, or of less: they do not show that the whole is no amount.
    if ('refundId' in event.data) assertWhole('refund', event.data.amountMinor);
    assertTexts(event.data);
    if ('currency' in event.data) assertCurrency(event.data.currency);
    if ('feeCurrency' in event.data) assertCurrency(event.data.feeCurrency);
  } catch (error) {
    throw doesNotApply(event.type, error);
  }
}

function assertWhole(what: string, amountMinor: number): void {
  if (!Number.isSafeInteger(amountMinor) || amountMinor <= 0)
    throw new Error(`A ${what} of ${amountMinor} is not a whole positive amount`);
}

function assertCurrency(currency: string): void {
  if (!CURRENCY_FORM.test(currency)) throw new Error(`"${currency.slice(0, 40)}" is no currency`);
}

export const doesNotApply = (entry: string, error: unknown): Rejected =>
  new Rejected('DoesNotApply', { entry, why: error instanceof Error ? error.message : String(error) });

/** Throws an Error for a text that Postgres could not hold, or that is longer than anything of ours. */
function assertTexts(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new Error('A text holds a zero byte');
    if (/\p{Surrogate}/u.test(value)) throw new Error('A text holds half a character');
    if (value.length > (value.startsWith(SEALED) ? NOTE_CHARACTERS : MOST_CHARACTERS))
      throw new Error(`A text of ${value.length} characters is too long: ${value.slice(0, 40)}…`);
  } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(assertTexts);
}
