/**
 * The books: what the journal adds up to, and every rule about money. Pure: `decide` says which entry a
 * command causes, `evolve` applies an entry; time, ids and amounts arrive in the command. The rules
 * themselves are in the files named for what they rule.
 */
import { available } from '#contracts/plain/accounts';
import { postingsOf, subjectsOf, type JournalEvent } from '#contracts/events/journal';
import { DEFAULT_LIMITS, type Limits } from '#contracts/limits';
import { Rejected } from '../rejection.js';
import { assertApplies, balancesAfter } from './applicable.js';
import { aboutCharge } from './charge-rules.js';
import type { KeyedProvenance } from '#log/record';
import type { Command, JournalCommand } from './commands.js';
import {
  clearClosedAccount,
  closeAccount,
  evolveClosedAccounts,
  payUnclaimed,
  withoutClosedAccounts,
  writeOffDebt,
} from './closed-account-rules.js';
import { ask, entry, repeat, type Case, type Decision } from './decision.js';
import { collectOccurrence, evolveOccurrences, occurrenceFrom, routeOf } from './occurrence-rules.js';
import { isChargeEntry, isPaymentEntry, isPayoutEntry, isUnappliedEntry } from './entries.js';
import { aboutPayment, openPayment, postTransfer, settlePayment } from './payment-rules.js';
import {
  evolveCharges,
  evolvePayments,
  evolveUnapplied,
  nameIntents,
  paymentFrom,
  unappliedFrom,
} from './payment-state.js';
import { aboutPayout, evolvePayouts, payoutFrom, requestPayout } from './payout-rules.js';
import { closeMonth, evolveMonths } from './month-rules.js';
import { bookPlatformMoney } from './platform-rules.js';
import { failUnappliedRefund, refundUnapplied } from './unapplied-rules.js';
import { findOtherBooking, findWritten, isQuestion, type History } from './find.js';
import { isElsewhere, type Books, type NonResident, type KeptEntry, type EntryPlace } from './state.js';
import {
  beginEpoch,
  evolveRecovery,
  isRecoveryEntry,
  recoverPayment,
  recoverPayout,
  setDebits,
} from './recovery-rules.js';
import {
  closeWallet,
  evolveWallets,
  isWalletEntry,
  moveWalletFunds,
  openWallet,
  renameWallet,
} from './wallet-rules.js';
import { evolveTips } from './tip-rules.js';
import { evolveUnpaid } from './unpaid-rules.js';
import type { Layer } from './layer.js';

/**
 * Decides a command: the entry it causes, word that it has happened already, or a question for the archive.
 * Whatever entry it answers, `evolve` applies, and its key stands in no other. Throws Rejected when a rule
 * says no. `now` is milliseconds since 1970.
 */
export function decide(
  command: JournalCommand,
  context: KeyedProvenance,
  books: Books,
  now: number,
  history?: History,
  limits: Limits = DEFAULT_LIMITS,
): Decision {
  const known: Case = { context, books, now, history, limits };
  const decision = ruleOn(command, known);
  if (decision.kind !== 'entry') return decision;
  const { key } = decision;
  const event = withoutClosedAccounts(decision.event, books);
  const before = findWritten(key, event, known);
  if (isQuestion(before)) return ask(before);
  if (before) return repeat(key, before);
  const other = findOtherBooking(key, event, known);
  if (isQuestion(other)) return ask(other);
  if (other) throw new Rejected('OtherProviderId', { key, bookedAs: other.key ?? other.revision });
  assertApplies(event, books);
  return { ...decision, event };
}

function ruleOn(command: JournalCommand, known: Case): Decision {
  const { books } = known;
  switch (command.type) {
    case 'FoundLedger':
      return foundLedger(command, books);
    case 'BeginEpoch':
      return beginEpoch(command, books);
    case 'CloseMonth':
      return closeMonth(command, known);
    case 'SuspendDebits':
    case 'ResumeDebits':
      return setDebits(command, books);
    case 'RecoverPayment':
      return recoverPayment(command, known);
    case 'RecoverPayout':
      return recoverPayout(command, known);
    case 'OpenAccount':
      return openAccount(command, books);
    case 'CloseAccount':
      return closeAccount(command, books);
    case 'ClearClosedAccount':
      return clearClosedAccount(command, books);
    case 'WriteOffDebt':
      return writeOffDebt(command, books);
    case 'PayUnclaimed':
      return payUnclaimed(command, known);
    case 'OpenPayment':
      return openPayment(command, known);
    case 'PostTransfer':
      return postTransfer(command, known);
    case 'SettlePayment':
      return settlePayment(command, known);
    case 'RefundUnapplied':
      return refundUnapplied(command, known);
    case 'FailUnappliedRefund':
      return failUnappliedRefund(command, known);
    case 'SubmitPayment':
    case 'RecordFailedAttempt':
    case 'CancelPayment':
    case 'RefundPayment':
    case 'FailRefund':
      return aboutPayment(command, known);
    case 'OpenDispute':
    case 'WithdrawDisputed':
    case 'ReinstateDisputed':
    case 'CloseDispute':
    case 'BookProviderFee':
      return aboutCharge(command, known);
    case 'BookPlatformMoney':
      return bookPlatformMoney(command, known);
    case 'CollectOccurrence':
      return collectOccurrence(command, known);
    case 'RequestPayout':
      return requestPayout(command, known);
    case 'RecordPayoutTransferred':
    case 'SubmitPayout':
    case 'CompletePayout':
    case 'ReturnPayout':
    case 'FailPayout':
      return aboutPayout(command, known);
    case 'OpenWallet':
      return openWallet(command, known);
    case 'RenameWallet':
      return renameWallet(command, known);
    case 'CloseWallet':
      return closeWallet(command, known);
    case 'FundWallet':
    case 'WithdrawWallet':
      return moveWalletFunds(command, known);
  }
}

function foundLedger({ providerAccountId, mode, timeZone }: Command<'FoundLedger'>, books: Books): Decision {
  const key = 'ledger-founded';
  const founding = books.founding.get('ledger');
  // Months of entries that stand there already have been cut in UTC.
  const isFirst = books.months.get('first') === undefined;
  const zone = timeZone !== undefined && isFirst ? { timeZone } : {};
  if (!founding) return entry(key, { type: 'LedgerFounded', data: { providerAccountId, mode, ...zone } });
  if (founding.providerAccountId !== providerAccountId || founding.mode !== mode)
    throw new Rejected('OtherProviderAccount', { founded: founding, asked: { providerAccountId, mode } });
  return repeat(key, books.keys.get(key));
}

function openAccount({ userId }: Command<'OpenAccount'>, books: Books): Decision {
  const key = `account:${userId}`;
  if (books.closed.get(userId)) throw new Rejected('Forgotten', { userId });
  return books.isOpen(userId)
    ? repeat(key, books.keys.get(key))
    : entry(key, { type: 'AccountOpened', data: { account: available(userId), userId } });
}

/** Makes what the archive told resident again, before an entry that was decided on it is applied. */
export function admit(history: History, books: Books): void {
  for (const [id, past] of history.subjects) {
    const payment = paymentFrom(past);
    admitTo(books.payments, id, payment, history.throughRevision);
    if (payment) nameIntents(payment, books);
    admitTo(books.unapplied, id, unappliedFrom(past), history.throughRevision);
    admitTo(books.payouts, id, payoutFrom(past), history.throughRevision);
    admitTo(books.occurrences, id, occurrenceFrom(past), history.throughRevision);
  }
}

function admitTo<T extends { readonly status: string; readonly last: KeptEntry }>(
  items: Layer<string, T | NonResident>,
  id: string,
  found: T | undefined,
  throughRevision: number,
): void {
  const resident = items.get(id);
  // What was written since the archive was asked is not in its answer.
  if (!found || (resident && !(isElsewhere(resident) && resident.last.revision <= throughRevision))) return;
  items.set(id, found);
}

/** Applies an entry to the books; one that does not hold is thrown before anything has changed. */
export function evolve(event: JournalEvent, at: EntryPlace, books: Books): void {
  const balances = balancesAfter(postingsOf(event), books, Number.MAX_SAFE_INTEGER);
  for (const [account, balance] of balances) books.accounts.set(account, balance);
  const { revision, landing, fingerprint, key } = at;
  const last: KeptEntry = { revision, landing, fingerprint, key, subject: subjectsOf(event)[0] };
  if (key !== undefined) books.keys.set(key, last);
  // While the payment still stands as it was before this entry.
  evolveUnpaid(event, at.recordedAtMs, books);
  evolveTips(event, at.recordedAtMs, books);

  if (isPaymentEntry(event)) evolvePayments(event, last, at.recordedAtMs, books);
  else if (isUnappliedEntry(event)) evolveUnapplied(event, last, books);
  else if (isChargeEntry(event)) evolveCharges(event, last, books);
  else if (isPayoutEntry(event)) evolvePayouts(event, last, books);
  else if (isRecoveryEntry(event)) evolveRecovery(event, last, books);
  else if (event.type === 'LedgerFounded') books.founding.set('ledger', event.data);
  else if (event.type === 'AccountOpened') {
    if (!books.hasAccount(event.data.userId)) books.accounts.set(event.data.account, 0);
  } else if (event.type === 'AccountClosed') books.closed.set(event.data.userId, true);
  else if (isWalletEntry(event)) evolveWallets(event, at.recordedAtMs, books);
  evolveClosedAccounts(event, revision, books);
  evolveMonths(event, at, books);
  const route = routeOf(event, last);
  if (route && 'occurrence' in event.data && event.data.occurrence)
    evolveOccurrences(event.data.occurrence, route, books);
}
