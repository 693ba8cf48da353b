/**
 * The rules of a log that is won back. What the provider's sealed objects prove is booked again although what
 * once covered it may be lost: the money has moved. A user of whom something is lost may be paid and nothing
 * more, until an operator has looked at it.
 */
import { available, payouts } from '#contracts/plain/accounts';
import { isGuest } from '#contracts/plain/guest';
import type { JournalEvent, JournalEventOf } from '#contracts/events/journal';
import { Rejected } from '../rejection.js';
import type { Command } from './commands.js';
import { ask, entry, repeat, type Case, type Decision } from './decision.js';
import { findItem, isQuestion } from './find.js';
import { findPayment } from './payment-state.js';
import { payoutFrom } from './payout-rules.js';
import type { Books, KeptEntry } from './state.js';

/** One epoch follows one common entry; a recovery that is run again begins no second one. */
export function beginEpoch(command: Command<'BeginEpoch'>, books: Books): Decision {
  const { type: _, ...data } = command;
  const key = `epoch:${data.commonRevision}`;
  const isBegun = books.epoch.get('last')?.commonRevision === data.commonRevision;
  return isBegun ? repeat(key, books.keys.get(key)) : entry(key, { type: 'EpochBegun', data });
}

export function setDebits(command: Command<'SuspendDebits' | 'ResumeDebits'>, books: Books): Decision {
  const { userId } = command;
  const known = books.debits.get(userId);
  const isToSuspend = command.type === 'SuspendDebits';
  // Suspended, resumed and suspended again by another recovery: each is an entry of its own.
  const key = `debits:${userId}:${(known?.entry.revision ?? -1) + 1}`;
  if ((known?.isSuspended ?? false) === isToSuspend) return repeat(key, known?.entry);
  return entry(
    key,
    isToSuspend
      ? { type: 'DebitsSuspended', data: { userId, reason: 'log-recovery' } }
      : { type: 'DebitsResumed', data: { userId } },
  );
}

/** Opens a payment again, whoever its parties are by now: each must have an account. */
export function recoverPayment(command: Command<'RecoverPayment'>, known: Case): Decision {
  const { type: _, ...data } = command;
  const { paymentId, payerId, recipientId } = data;
  const key = known.context.key ?? `recovered:${paymentId}`;
  const payment = findPayment(paymentId, known);
  if (isQuestion(payment)) return ask(payment);
  if (payment) return repeat(key, payment.last);
  for (const userId of [payerId, recipientId])
    if (!isGuest(userId) && !known.books.hasAccount(userId)) throw new Rejected('PayerNotFound', { userId });
  return entry(key, { type: 'PaymentOpened', data });
}

/**
 * Holds the money of a payout again that the provider proves. Without what once covered it, that is a debt.
 */
export function recoverPayout(command: Command<'RecoverPayout'>, known: Case): Decision {
  const { type: _, ...terms } = command;
  const { payoutId, userId, amountMinor } = terms;
  const key = known.context.key ?? `recovered:${payoutId}`;
  const payout = findItem(payoutId, known.books.payouts, payoutFrom, known);
  if (isQuestion(payout)) return ask(payout);
  if (payout) return repeat(key, payout.last);
  if (!known.books.hasAccount(userId)) throw new Rejected('PayerNotFound', { userId });
  const postings = [{ debit: available(userId), credit: payouts(userId), amountMinor }];
  return entry(key, { type: 'PayoutRequested', data: { ...terms, postings } });
}

const ENTRIES: ReadonlySet<JournalEvent['type']> = new Set([
  'EpochBegun',
  'DebitsSuspended',
  'DebitsResumed',
]);
type RecoveryEntry = JournalEventOf<'EpochBegun' | 'DebitsSuspended' | 'DebitsResumed'>;

export const isRecoveryEntry = (event: JournalEvent): event is RecoveryEntry => ENTRIES.has(event.type);

/** Applies an entry that only a recovery or its operator writes. */
export function evolveRecovery(event: RecoveryEntry, last: KeptEntry, books: Books): void {
  if (event.type === 'EpochBegun') books.epoch.set('last', event.data);
  else
    books.debits.set(event.data.userId, {
      isSuspended: event.type === 'DebitsSuspended',
      entry: last,
    });
}
