/**
 * What a worker may ask of a ledger at its internal port (POST /internal/commands). A command names things by
 * id and never carries an amount: the ledger decides.
 */
import { z } from 'zod';
import { Mail, MailOutcome, MAILS_AT_ONCE } from './mails.js';
import { MONTH_FORM } from '../plain/months.js';
import { ScheduleKind } from '../events/occurrence.js';

/**
 * So many accounts are gone through in one call, which has to end in time also where the provider answers
 * slowly.
 */
export const ACCOUNTS_AT_ONCE = 20;

/** An entry of the journal as somebody outside remembers it: where it stood, and the chain's hash at it. */
export const LogEnd = z.object({ revision: z.number().int(), hash: z.string() });
export type LogEnd = z.infer<typeof LogEnd>;

export const InternalCommand = z.discriminatedUnion('type', [
  /** Read this payment at the provider and book what the log lacks. */
  z.object({ type: z.literal('SyncPayment'), intentId: z.string().min(1) }),
  /** The same for everything that changed at the provider in this time. `until` absent: until now. */
  z.object({
    type: z.literal('ReconcileSince'),
    since: z.iso.datetime(),
    until: z.iso.datetime().optional(),
  }),
  /** Say where the log ends, and whether it holds what was known of it. */
  z.object({ type: z.literal('FindLogEnd'), known: LogEnd.optional() }),
  /** Ask the provider to cancel a payment that nobody completed; the entry follows its answer. */
  z.object({ type: z.literal('CancelAbandoned'), paymentId: z.string().min(1) }),
  /** Give money that no payment explains back to where it came from. */
  z.object({ type: z.literal('RefundUnapplied'), chargeId: z.string().min(1) }),
  /**
   * Finish a payment that was opened but never reached the provider, or whose answer was lost; end it where
   * its payer, who was told that it failed, waits for it no more.
   */
  z.object({ type: z.literal('ResumePayment'), paymentId: z.string().min(1) }),
  /**
   * Read what moved in the platform's balance at the provider since the last time, book what is the
   * platform's own, and compare the balance with the books.
   */
  z.object({ type: z.literal('CompareProviderBalance') }),
  /** Book this movement of the platform's balance as the platform's own: an operator says so. */
  z.object({ type: z.literal('BookPlatformMoney'), balanceTransactionId: z.string().min(1) }),
  /** Take a payout as far as it can go now: to the provider, to the bank, or back to its owner. */
  z.object({ type: z.literal('AdvancePayout'), payoutId: z.string().min(1) }),
  /** Look once more into every payout for which the provider made a transfer in this time. */
  z.object({ type: z.literal('ReconcileTransfers'), since: z.iso.datetime(), until: z.iso.datetime() }),
  /**
   * Look once more into all that changed at these accounts of users with the payout provider in this time;
   * into one to verify whatever the provider remembers of it.
   */
  z.object({
    type: z.literal('ReconcilePayoutAccounts'),
    accounts: z
      .array(z.object({ connectAccountId: z.string().min(1), isToVerify: z.boolean() }))
      .min(1)
      .max(ACCOUNTS_AT_ONCE),
    since: z.iso.datetime(),
    until: z.iso.datetime(),
  }),
  /** Finish or give up a user's bank accounts that never got to the provider. */
  z.object({ type: z.literal('CareForBankAccounts'), userId: z.string().min(1) }),
  /** Forget a user who asked for it, or finish that. Refused while money of theirs is left. */
  z.object({ type: z.literal('ForgetUser'), userId: z.string().min(1) }),
  /** Forget a user who asked for it and whose wait is over; the ledger looks at its own clock. */
  z.object({ type: z.literal('CarryOutForgetting'), userId: z.string().min(1) }),
  /**
   * Begin the recovery of a user's account: an operator says so. It skips neither the wait nor the sign-ins.
   */
  z.object({ type: z.literal('StartAccountRecovery'), userId: z.string().min(1) }),
  /** End all sessions of a user: an operator says so. No payment stops. */
  z.object({ type: z.literal('EndSessions'), userId: z.string().min(1) }),
  /** Give up what a user owes, for a reason that an operator wrote. */
  z.object({
    type: z.literal('WriteOffDebt'),
    userId: z.string().min(1),
    because: z.string().min(1).max(500),
  }),
  /** Close a month of the books, such as 2026-11, which is over: an operator says so. */
  z.object({ type: z.literal('CloseMonth'), month: z.string().regex(MONTH_FORM) }),
  /**
   * Unclaimed money was given to whom it belongs, by hand. `reference` says where that can be looked up;
   * another amount than what is left of it is refused.
   */
  z.object({
    type: z.literal('PayUnclaimed'),
    itemId: z.string().min(1),
    amountMinor: z.number().int().positive(),
    reference: z.string().min(1).max(200),
  }),
  /**
   * This schedule has something due, to be tried again, or stopped half way. What was seen is for the log:
   * the ledger looks itself.
   */
  z.object({
    type: z.literal('CollectDue'),
    scheduleKind: ScheduleKind,
    scheduleId: z.string().min(1),
    dueAt: z.iso.datetime(),
    attempt: z.number().int().positive(),
  }),
  /** Hand out mails that are to be sent now. */
  z.object({ type: z.literal('ClaimMails'), limit: z.number().int().positive().max(MAILS_AT_ONCE) }),
  /** What became of mails that were handed out. */
  z.object({ type: z.literal('NoteMails'), outcomes: z.array(MailOutcome).max(MAILS_AT_ONCE) }),
]);
export type InternalCommand = z.infer<typeof InternalCommand>;

/**
 * What was done: how many things were looked at, and which of them must be again. `isUnfinished`: there is
 * more to look at, when asked once more.
 */
export const InternalAnswer = z.object({
  looked: z.number().int(),
  failed: z.array(z.string()),
  isUnfinished: z.boolean().optional(),
  /** Of a time: up to when it was looked at, where that is not all of it. */
  through: z.iso.datetime().optional(),
  /** Where the log ends, and whether it holds what the command knew of it. */
  log: LogEnd.optional(),
  isKnown: z.boolean().optional(),
  /** What is to be mailed now: addresses and texts, which no log line holds. */
  mails: z.array(Mail).optional(),
});
export type InternalAnswer = z.infer<typeof InternalAnswer>;

/**
 * A payment that nobody completed in a day is abandoned. The ledger looks at its own clock as well: a
 * worker's may be fast.
 */
export const ABANDONED_AFTER_MS = 24 * 3_600_000;
