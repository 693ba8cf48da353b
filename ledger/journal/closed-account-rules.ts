/**
 * The rules of closing an account, of what comes in and goes out for a closed one, and of debts that nobody
 * pays any more. No money rests on a closed account: whatever an entry would credit to it makes up first what
 * the platform lost by this user, and the rest is unclaimed; whatever an entry would take from it is taken
 * first from what waits unclaimed for this user, and the rest is the platform's loss.
 */
import { available, ownerOf, payouts, platform, wallet } from '#contracts/plain/accounts';
import {
  drawnBy,
  postingsOf,
  unclaimedBy,
  type DrawnItem,
  type JournalEvent,
  type JournalEventOf,
  type Posting,
} from '#contracts/events/journal';
import { CURRENCY } from '#contracts/plain/money';
import { Rejected } from '../rejection.js';
import type { Command } from './commands.js';
import { ask, entry, repeat, type Decision } from './decision.js';
import { findEntry, isQuestion, type Known } from './find.js';
import type { Books } from './state.js';

const LOSSES = platform('losses');
const UNCLAIMED = platform('unclaimed');

/** What a user still has: to spend, in wallets, or on its way to a bank, in minor units. */
export function moneyLeftOf(userId: string, books: Books): number {
  const theirs = [available(userId), payouts(userId), ...(books.walletsOf.get(userId) ?? []).map(wallet)];
  return theirs.reduce((sum, account) => sum + Math.max(books.balanceOf(account) ?? 0, 0), 0);
}

/**
 * Only an account without money is closed: what is there, or on its way to a bank, could be given to nobody
 * afterwards. What is paid to it by somebody who has it open in a checkout goes back to them.
 */
export function closeAccount({ userId }: Command<'CloseAccount'>, books: Books): Decision {
  const key = `account-closed:${userId}`;
  if (!books.hasAccount(userId)) throw new Rejected('PayerNotFound', { userId });
  if (books.closed.get(userId)) return repeat(key, books.keys.get(key));
  const left = moneyLeftOf(userId, books);
  if (left > 0) throw new Rejected('MoneyLeft', { userId, left });
  const account = available(userId);
  const writtenOffMinor = debtOf(userId, books);
  const postings = writtenOffMinor === 0 ? [] : [lossOf(userId, writtenOffMinor)];
  return entry(key, { type: 'AccountClosed', data: { account, userId, writtenOffMinor, postings } });
}

export function writeOffDebt(command: Command<'WriteOffDebt'>, books: Books): Decision {
  const { userId, writeOffId, because } = command;
  const key = `written-off:${writeOffId}`;
  if (!books.hasAccount(userId)) throw new Rejected('PayerNotFound', { userId });
  const before = books.keys.get(key);
  if (before) return repeat(key, before);
  const amountMinor = debtOf(userId, books);
  // Whoever meant somebody else must not read that it was done.
  if (amountMinor === 0) throw new Rejected('NothingOwed', { userId });
  // Money that its owner has put aside pays the debt, and is not theirs beside a loss of the platform's.
  const left = moneyLeftOf(userId, books);
  if (left > 0 && !books.closed.get(userId)) throw new Rejected('DebtCovered', { userId, left });
  const postings = [lossOf(userId, amountMinor)];
  const data = { userId, amountMinor, currency: CURRENCY, because, postings };
  return entry(key, { type: 'DebtWrittenOff', data });
}

/**
 * Entries of older versions credited and debited closed accounts: what is left of that is taken from them.
 */
export function clearClosedAccount(command: Command<'ClearClosedAccount'>, books: Books): Decision {
  const { userId, clearingId } = command;
  const key = `closed-cleared:${clearingId}`;
  if (!books.closed.get(userId)) throw new Rejected('AccountOpen', { userId });
  const account = available(userId);
  const amountMinor = books.balanceOf(account) ?? 0;
  if (amountMinor < 0) return writeOffDebt({ type: 'WriteOffDebt', userId, writeOffId: clearingId }, books);
  if (amountMinor === 0) return repeat(key, books.keys.get(key));
  const postings = [{ debit: account, credit: UNCLAIMED, amountMinor }];
  const data = { itemId: clearingId, userId, amountMinor, currency: CURRENCY, postings };
  return entry(key, { type: 'ClosedAccountCleared', data });
}

/** Pays what is left of an item, whole: whoever saw more of it than is left must not have sent that. */
export function payUnclaimed(command: Command<'PayUnclaimed'>, known: Known): Decision {
  const { itemId, amountMinor, reference } = command;
  const key = `unclaimed-paid:${itemId}`;
  // Somebody else sent it: whoever asks now may have sent it a second time, and must not be told that this is
  // booked.
  const paid = known.books.unclaimedPaid.get(itemId);
  if (paid && paid.reference !== reference)
    throw new Rejected('UnclaimedPaidAlready', { itemId, reference: paid.reference });
  if (paid && paid.amountMinor !== amountMinor)
    throw new Rejected('UnclaimedPaidOtherwise', { itemId, paid: paid.amountMinor, asked: amountMinor });
  const item = known.books.unclaimed.get(itemId);
  if (!item) {
    const before = findEntry(key, known);
    if (isQuestion(before)) return ask(before);
    if (before) return repeat(key, before);
    throw new Rejected('UnclaimedNotFound', { itemId });
  }
  const { userId, amountMinor: left } = item;
  if (left !== amountMinor)
    throw new Rejected('UnclaimedAmountDiffers', { itemId, left, asked: amountMinor });
  const postings = [{ debit: UNCLAIMED, credit: platform('own-funds'), amountMinor }];
  const data = { itemId, userId, amountMinor, currency: CURRENCY, reference, postings };
  return entry(key, { type: 'UnclaimedPaid', data });
}

const debtOf = (userId: string, books: Books): number =>
  Math.max(0, -(books.balanceOf(available(userId)) ?? 0));

const lossOf = (userId: string, amountMinor: number): Posting => ({
  debit: LOSSES,
  credit: available(userId),
  amountMinor,
});

/** These are about closed accounts themselves. */
const ABOUT_CLOSED: ReadonlySet<JournalEvent['type']> = new Set(['ClosedAccountCleared', 'DebtWrittenOff']);

/** The entry as it is written where it is about somebody whose account is closed; any other as it is. */
export function withoutClosedAccounts(event: JournalEvent, books: Books): JournalEvent {
  const rerouted = withoutPostingsToClosed(event, books);
  return isTaking(rerouted) ? withDrawnItems(rerouted, books) : rerouted;
}

function withoutPostingsToClosed(event: JournalEvent, books: Books): JournalEvent {
  if (!('postings' in event.data) || ABOUT_CLOSED.has(event.type)) return event;
  const closedOwner = (account: string): string | undefined => {
    const owner = ownerOf(account);
    return owner !== undefined && books.closed.get(owner) ? owner : undefined;
  };
  const { postings } = event.data;
  if (!postings.some(({ debit, credit }) => closedOwner(debit) ?? closedOwner(credit))) return event;
  const rerouted = postings.flatMap((posting): Posting[] => {
    const { debit, credit, amountMinor } = posting;
    const [from, to] = [closedOwner(debit), closedOwner(credit)];
    // From one account of theirs to another: unclaimed already, but for what an older entry left there.
    if (from !== undefined && to !== undefined)
      return (books.balanceOf(debit) ?? 0) < amountMinor ? [] : [{ ...posting, credit: UNCLAIMED }];
    if (from !== undefined) return [{ ...posting, debit: LOSSES }];
    if (to === undefined) return [posting];
    const madeUp = Math.min(amountMinor, books.losses.get(to) ?? 0);
    return [
      { debit, credit: LOSSES, amountMinor: madeUp },
      { debit, credit: UNCLAIMED, amountMinor: amountMinor - madeUp },
    ].filter((each) => each.amountMinor > 0);
  });
  return { ...event, data: { ...event.data, postings: rerouted } } as JournalEvent;
}

/** What can take money from somebody whose account is closed. */
type Taking = JournalEventOf<'PaymentRefunded' | 'DisputeFundsWithdrawn' | 'DebtWrittenOff'>;
const TAKINGS: ReadonlySet<JournalEvent['type']> = new Set<Taking['type']>([
  'PaymentRefunded',
  'DisputeFundsWithdrawn',
  'DebtWrittenOff',
]);
const isTaking = (event: JournalEvent): event is Taking => TAKINGS.has(event.type);

/**
 * What an entry takes from somebody whose account is closed is taken from what waits unclaimed for them: had
 * it come while they were here, it would have been taken from their balance. Only the rest is a loss. The
 * entry says which items bear it, so that every reader of the log takes it from the same ones.
 */
function withDrawnItems(event: Taking, books: Books): Taking {
  const userId = userOf(event);
  if (userId === undefined || !books.closed.get(userId)) return event;
  const { postings } = event.data;
  const takenMinor = postings.reduce(
    (sum, { debit, amountMinor }) => sum + (debit === LOSSES ? amountMinor : 0),
    0,
  );
  const drawn = itemsFor(takenMinor, userId, books);
  if (drawn.length === 0) return event;
  let drawnMinor = drawn.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  const shared = postings.flatMap((posting): Posting[] => {
    if (posting.debit !== LOSSES) return [posting];
    const amountMinor = Math.min(posting.amountMinor, drawnMinor);
    drawnMinor -= amountMinor;
    return [
      { ...posting, debit: UNCLAIMED, amountMinor },
      { ...posting, amountMinor: posting.amountMinor - amountMinor },
    ].filter((each) => each.amountMinor > 0);
  });
  return { ...event, data: { ...event.data, drawn, postings: shared } } as Taking;
}

/** The oldest of what waits unclaimed for a user, up to an amount. */
function itemsFor(amountMinor: number, userId: string, books: Books): DrawnItem[] {
  let restMinor = amountMinor;
  return (books.unclaimedOf.get(userId) ?? []).flatMap((itemId) => {
    const minor = Math.min(restMinor, books.unclaimed.get(itemId)?.amountMinor ?? 0);
    restMinor -= minor;
    return minor > 0 ? [{ itemId, amountMinor: minor }] : [];
  });
}

/** What of money that comes back is the platform's, and how its entry says that: not at all where none is. */
interface MadeUp {
  readonly minor: number;
  readonly parts: { readonly madeUpMinor?: number; readonly madeUpSince?: number };
}

/**
 * What of money that comes back to a user makes up for debts that were given up since it had been taken: had
 * it not been, they would not have been owed. A closed account makes up for all that was lost by it in any
 * case.
 */
export function madeUpBy(since: number, amountMinor: number, userId: string, books: Books): MadeUp {
  const givenUp = books.closed.get(userId) ? [] : (books.writeOffs.get(userId) ?? []);
  const lostMinor = givenUp.reduce(
    (sum, writeOff) => sum + (writeOff.revision > since ? writeOff.amountMinor : 0),
    0,
  );
  const minor = Math.min(amountMinor, lostMinor);
  return { minor, parts: minor > 0 ? { madeUpMinor: minor, madeUpSince: since } : {} };
}

/**
 * Keeps what was given up. What comes back makes up for the oldest first of what was given up after it was
 * taken: the later ones are left to what was taken later, which can make up for no other.
 */
function evolveWriteOffs(event: JournalEvent, revision: number, books: Books): void {
  if (event.type === 'DebtWrittenOff') {
    const { userId, amountMinor } = event.data;
    books.writeOffs.set(userId, [...(books.writeOffs.get(userId) ?? []), { revision, amountMinor }]);
  }
  const userId = userOf(event);
  if (!('madeUpMinor' in event.data) || event.data.madeUpMinor === undefined || userId === undefined) return;
  const { madeUpSince } = event.data;
  let leftMinor = event.data.madeUpMinor;
  const left = (books.writeOffs.get(userId) ?? []).map((writeOff) => ({ ...writeOff }));
  // An entry of a build before does not say since when: that one made up for the newest first.
  const inOrder =
    madeUpSince === undefined ? left.toReversed() : left.filter(({ revision: at }) => at > madeUpSince);
  for (const writeOff of inOrder) {
    const minor = Math.min(leftMinor, writeOff.amountMinor);
    writeOff.amountMinor -= minor;
    leftMinor -= minor;
  }
  books.writeOffs.set(
    userId,
    left.filter(({ amountMinor }) => amountMinor > 0),
  );
}

/** Keeps what is left of what is unclaimed, what the platform lost by whom, and what of that was given up. */
export function evolveClosedAccounts(event: JournalEvent, revision: number, books: Books): void {
  evolveWriteOffs(event, revision, books);
  evolveUnclaimed(event, books);
  const userId = userOf(event);
  if (userId === undefined) return;
  for (const { debit, credit, amountMinor } of postingsOf(event)) {
    const byMinor = debit === LOSSES ? amountMinor : credit === LOSSES ? -amountMinor : 0;
    if (byMinor !== 0) books.losses.set(userId, (books.losses.get(userId) ?? 0) + byMinor);
  }
}

function evolveUnclaimed(event: JournalEvent, books: Books): void {
  if (event.type === 'UnclaimedPaid') {
    const { itemId, userId, amountMinor, reference } = event.data;
    books.unclaimed.delete(itemId);
    waitNoMore(itemId, userId, books);
    books.unclaimedPaid.set(itemId, { amountMinor, reference });
    return;
  }
  for (const { itemId, amountMinor } of drawnBy(event)) {
    const item = books.unclaimed.get(itemId);
    if (!item) continue;
    const left = Math.max(0, item.amountMinor - amountMinor);
    books.unclaimed.set(itemId, { ...item, amountMinor: left });
    if (left === 0) waitNoMore(itemId, item.userId, books);
  }
  const item = unclaimedBy(event);
  if (!item) return;
  books.unclaimed.set(item.itemId, item);
  const waiting = books.unclaimedOf.get(item.userId) ?? [];
  if (!waiting.includes(item.itemId)) books.unclaimedOf.set(item.userId, [...waiting, item.itemId]);
}

/** Nothing is left of it to be taken or paid. */
function waitNoMore(itemId: string, userId: string, books: Books): void {
  const waiting = (books.unclaimedOf.get(userId) ?? []).filter((id) => id !== itemId);
  if (waiting.length === 0) books.unclaimedOf.delete(userId);
  else books.unclaimedOf.set(userId, waiting);
}

/** The user whose money an entry moves: its recipient, or its owner. */
function userOf({ data }: JournalEvent): string | undefined {
  if ('recipientId' in data) return data.recipientId;
  return 'userId' in data ? data.userId : undefined;
}
