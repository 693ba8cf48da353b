/**
 * Given / when / then for the books, in the words of people who count money:
 *
 *     given(opened(tip), settled(tip)).when(settle(tip)).thenNothing()
 */
import { expect } from '@jest/globals';
import { available } from '#contracts/plain/accounts';
import type { JournalEvent } from '#contracts/events/journal';
import { minorFromDecimal } from '#contracts/plain/money';
import { decide, evolve } from '#ledger/journal/books';
import type { Decision } from '#ledger/journal/decision';
import type { KeyedProvenance } from '#log/record';
import type { JournalCommand } from '#ledger/journal/commands';
import { idFrom } from '#ledger/journal/keys';
import { Books } from '#ledger/journal/state';
import { Rejected, type RejectionReason } from '#ledger/rejection';
import { sealedFor } from '#test/support/plain-vault';

/** `"20.00"` → 2000: amounts in specs read as people say them. */
export function minor(decimal: string): number {
  const read = minorFromDecimal(decimal);
  if ('problem' in read) throw new Error(`${decimal} is not an amount: ${read.problem}`);
  return read.minor;
}

export const AT = '2026-03-01T20:00:00.000Z';

/** A UUIDv7 made at a time, told apart by a number. */
export function uuidV7(atMs: number, n: number): string {
  const time = atMs.toString(16).padStart(12, '0');
  const tail = n.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`;
}

type GivenCommand = JournalCommand | { command: JournalCommand; context: Partial<KeyedProvenance> };

/** The id of what a person asks for; undefined for a command that makes its own key. */
function idOfAsked(command: JournalCommand): string | undefined {
  switch (command.type) {
    case 'OpenPayment':
      return command.paymentId;
    case 'PostTransfer':
      return command.transferId;
    case 'RequestPayout':
      return command.payoutId;
    case 'OpenWallet':
      return command.walletId;
    case 'FundWallet':
    case 'WithdrawWallet':
    case 'CloseWallet':
      return command.movementId;
    case 'RenameWallet':
      return `${command.walletId} renamed`;
    default:
      return undefined;
  }
}

/** Keys of commands that need one derive from their ids, unless a spec names another. */
export function contextOf(command: JournalCommand, own: Partial<KeyedProvenance> = {}): KeyedProvenance {
  const id = idOfAsked(command);
  return { correlationId: 'spec', ...(id === undefined ? {} : { key: `spec:${id}` }), ...own };
}

const unpack = (given: GivenCommand) => ('command' in given ? given : { command: given, context: {} });

/** Executes commands one after the other on empty books; each must be taken. */
export function booksAfter(...commands: readonly GivenCommand[]): Books {
  const books = new Books();
  let revision = -1;
  for (const step of commands) {
    const { command, context } = unpack(step);
    const decision = decide(command, contextOf(command, context), books, Date.parse(AT));
    if (decision.kind === 'ask') throw new Error('Nothing is beyond the window in a spec');
    if (decision.kind === 'entry') apply(books, decision, ++revision, context.fingerprint);
  }
  return books;
}

export function apply(
  books: Books,
  decision: Extract<Decision, { kind: 'entry' }>,
  revision: number,
  fingerprint?: string,
): void {
  const position = { commit: BigInt(revision), prepare: BigInt(revision) };
  evolve(
    decision.event,
    { revision, key: decision.key, fingerprint, recordedAtMs: Date.parse(AT), landing: { position } },
    books,
  );
}

export const given = (...commands: readonly GivenCommand[]) => ({
  when: (step: GivenCommand) => {
    const { command, context } = unpack(step);
    const books = booksAfter(...commands);
    const before = snapshot(books);
    const decided = (): Decision => decide(command, contextOf(command, context), books, Date.parse(AT));
    const entry = (): JournalEvent => {
      const decision = decided();
      if (decision.kind !== 'entry') throw new Error(`Expected an entry, got a ${decision.kind}`);
      apply(books, decision, 1_000, context.fingerprint);
      return decision.event;
    };
    return {
      /** The entry it causes, and what stands in the books afterwards (decimal strings by account). */
      then(type: JournalEvent['type'], balances: Readonly<Record<string, string>> = {}): JournalEvent {
        const event = entry();
        expect(event.type).toBe(type);
        for (const [account, decimal] of Object.entries(balances))
          expect({ [account]: books.balanceOf(account) }).toEqual({ [account]: signed(decimal) });
        expect(trialBalance(books)).toBe(0);
        return event;
      },
      /** It has happened already: no entry, the same answer. */
      thenNothing(): void {
        expect(decided().kind).toBe('repeat');
        expect(snapshot(books)).toEqual(before);
      },
      thenRejects(reason: RejectionReason): void {
        let refusal: unknown;
        try {
          decided();
        } catch (error) {
          refusal = error;
        }
        expect(refusal).toBeInstanceOf(Rejected);
        expect((refusal as Rejected).reason).toBe(reason);
        expect(snapshot(books)).toEqual(before);
      },
    };
  },
});

const signed = (decimal: string): number =>
  decimal.startsWith('-') ? -minor(decimal.slice(1)) : minor(decimal);

export const snapshot = (books: Books): Record<string, number> =>
  Object.fromEntries([...books.accounts.entries()].sort());

/** All credits less all debits: zero, or money was made or lost. */
export const trialBalance = (books: Books): number =>
  [...books.accounts.entries()].reduce((sum, [, balance]) => sum + balance, 0);

// ---- builders
// ---------------------------------------------------------------------------------------------------

export const JUNO = 'usr_juno';
export const MILO = 'usr_milo';
export const ADA = 'usr_ada';

export const openAccount = (userId: string): JournalCommand => ({ type: 'OpenAccount', userId });

export interface Tip {
  readonly paymentId: string;
  readonly amount: string;
  readonly from?: string;
  readonly to?: string;
  readonly charge?: string;
}

export const open = ({ paymentId, amount, from = MILO, to = JUNO }: Tip): JournalCommand => ({
  type: 'OpenPayment',
  paymentId,
  payerId: from,
  recipientId: to,
  amountMinor: minor(amount),
  currency: 'usd',
  method: 'card',
});
export const submit = ({ paymentId }: Tip): JournalCommand => ({
  type: 'SubmitPayment',
  paymentId,
  intentId: `pi_${paymentId}`,
});
export const decline = ({ paymentId }: Tip, attempt = 1): JournalCommand => ({
  type: 'RecordFailedAttempt',
  paymentId,
  attemptId: `ch_declined_${paymentId}_${attempt}`,
  code: 'card_declined',
  reason: 'Your card was declined.',
  occurredAt: AT,
});
export const settle = (
  { paymentId, amount, charge }: Tip,
  other: Partial<Extract<JournalCommand, { type: 'SettlePayment' }>> = {},
): JournalCommand => ({
  type: 'SettlePayment',
  paymentId,
  intentId: `pi_${paymentId}`,
  chargeId: charge ?? `ch_${paymentId}`,
  amountMinor: minor(amount),
  currency: 'usd',
  occurredAt: AT,
  ...other,
});
export const cancel = ({ paymentId }: Tip): JournalCommand => ({
  type: 'CancelPayment',
  paymentId,
  reason: 'abandoned',
  occurredAt: AT,
});
export const refund = ({ paymentId }: Tip, amount: string, refundId = `re_${paymentId}`): JournalCommand => ({
  type: 'RefundPayment',
  paymentId,
  refundId,
  amountMinor: minor(amount),
  occurredAt: AT,
});
export const failRefund = ({ paymentId }: Tip, refundId = `re_${paymentId}`): JournalCommand => ({
  type: 'FailRefund',
  paymentId,
  refundId,
  reason: 'expired_or_canceled_card',
  occurredAt: AT,
});
export const transfer = (amount: string, from: string, to: string, transferId = 'trf_1'): JournalCommand => ({
  type: 'PostTransfer',
  transferId,
  payerId: from,
  recipientId: to,
  amountMinor: minor(amount),
  currency: 'usd',
});
export const returnUnapplied = (chargeId: string, amount: string): JournalCommand => ({
  type: 'RefundUnapplied',
  chargeId,
  refundId: `re_${chargeId}`,
  amountMinor: minor(amount),
  occurredAt: AT,
});

export const failUnapplied = (chargeId: string, refundId = `re_${chargeId}`): JournalCommand => ({
  type: 'FailUnappliedRefund',
  chargeId,
  refundId,
  reason: 'lost_or_stolen_card',
  occurredAt: AT,
});

export const PAYOUT = 'out_1';
export const requestPayout = (amount: string, userId = JUNO, payoutId = PAYOUT): JournalCommand => ({
  type: 'RequestPayout',
  payoutId,
  userId,
  bankAccountId: 'ba_1',
  amountMinor: minor(amount),
  currency: 'usd',
});
export const payoutTransferred = (payoutId = PAYOUT): JournalCommand => ({
  type: 'RecordPayoutTransferred',
  payoutId,
  providerTransferId: `tr_${payoutId}`,
  connectAccountId: 'acct_1',
  occurredAt: AT,
});
export const submitPayout = (payoutId = PAYOUT, arrivesOn?: string): JournalCommand => ({
  type: 'SubmitPayout',
  payoutId,
  providerPayoutId: `po_${payoutId}`,
  arrivesOn,
  occurredAt: AT,
});
export const completePayout = (payoutId = PAYOUT): JournalCommand => ({
  type: 'CompletePayout',
  payoutId,
  providerPayoutId: `po_${payoutId}`,
  occurredAt: AT,
});
export const returnPayout = (payoutId = PAYOUT): JournalCommand => ({
  type: 'ReturnPayout',
  payoutId,
  providerPayoutId: `po_${payoutId}`,
  code: 'account_closed',
  reason: 'The bank account has been closed.',
  occurredAt: AT,
});
export const failPayout = (
  reversalId: string | undefined = undefined,
  payoutId = PAYOUT,
): JournalCommand => ({
  type: 'FailPayout',
  payoutId,
  reversalId,
  code: 'account_closed',
  reason: 'The bank account has been closed.',
  occurredAt: AT,
});

export const CARD = { customerId: 'cus_milo', paymentMethodId: 'pm_milo' };
/** Milo's subscription to Juno falls due. */
export const collect = (
  amount: string,
  attempt = 1,
  other: Partial<Extract<JournalCommand, { type: 'CollectOccurrence' }>> = {},
): JournalCommand => ({
  type: 'CollectOccurrence',
  occurrenceId: 'occ_1',
  attempt,
  scheduleKind: 'subscription',
  scheduleId: 'sub_1',
  dueAt: AT,
  payerId: MILO,
  recipientId: JUNO,
  amountMinor: minor(amount),
  currency: 'usd',
  ...other,
});
/** The payment that an attempt at the occurrence became. */
export const collecting = (amount: string, attempt = 1, occurrenceId = 'occ_1'): Tip => ({
  paymentId: idFrom('pay', `occurrence:${occurrenceId}:${attempt}`),
  amount,
});

export const WALLET = 'wal_1';
export const openWallet = (userId = JUNO, walletId = WALLET): JournalCommand => ({
  type: 'OpenWallet',
  walletId,
  userId,
  displayName: sealedFor(userId, 'Tour'),
  currency: 'usd',
});
const moved = (amount: string, movementId: string, userId: string, walletId: string) => ({
  movementId,
  walletId,
  userId,
  amountMinor: minor(amount),
  currency: 'usd',
});
export const fund = (
  amount: string,
  movementId = 'wtx_in',
  userId = JUNO,
  walletId = WALLET,
): JournalCommand => ({
  type: 'FundWallet',
  ...moved(amount, movementId, userId, walletId),
});
export const withdraw = (
  amount: string,
  movementId = 'wtx_out',
  userId = JUNO,
  walletId = WALLET,
): JournalCommand => ({
  type: 'WithdrawWallet',
  ...moved(amount, movementId, userId, walletId),
});

export const renameWallet = (name: string, userId = JUNO, walletId = WALLET): JournalCommand => ({
  type: 'RenameWallet',
  walletId,
  userId,
  displayName: sealedFor(userId, name),
});
export const closeWallet = (movementId = 'wtx_close', userId = JUNO, walletId = WALLET): JournalCommand => ({
  type: 'CloseWallet',
  movementId,
  walletId,
  userId,
  currency: 'usd',
});

/** A dispute of a payment's charge, or of the charge alone where none is named. */
const disputed = ({ paymentId, charge }: Tip) => ({
  disputeId: `dp_${paymentId}`,
  paymentId,
  chargeId: charge ?? `ch_${paymentId}`,
  currency: 'usd',
  occurredAt: AT,
});
export const dispute = (tip: Tip): JournalCommand => ({
  type: 'OpenDispute',
  ...disputed(tip),
  amountMinor: minor(tip.amount),
  reason: 'fraudulent',
});
export const withdrawDisputed = (tip: Tip, amount = tip.amount, fee = '15.00', n = 1): JournalCommand => ({
  type: 'WithdrawDisputed',
  ...disputed(tip),
  balanceTransactionId: `txn_out_${tip.paymentId}_${n}`,
  amountMinor: minor(amount),
  feeMinor: minor(fee),
  feeCurrency: 'usd',
});
export const reinstateDisputed = (tip: Tip, amount = tip.amount, fee = '0', n = 1): JournalCommand => ({
  type: 'ReinstateDisputed',
  ...disputed(tip),
  balanceTransactionId: `txn_in_${tip.paymentId}_${n}`,
  amountMinor: minor(amount),
  feeMinor: minor(fee),
  feeCurrency: 'usd',
});
export const closeDispute = (tip: Tip, outcome: 'won' | 'lost'): JournalCommand => ({
  type: 'CloseDispute',
  ...disputed(tip),
  amountMinor: minor(tip.amount),
  outcome,
});
export const providerFee = (
  { paymentId, charge, amount }: Tip,
  fee: string,
  availableOn = AT,
): JournalCommand => ({
  type: 'BookProviderFee',
  paymentId,
  chargeId: charge ?? `ch_${paymentId}`,
  balanceTransactionId: `txn_fee_${paymentId}`,
  amountMinor: minor(fee),
  currency: 'usd',
  netMinor: minor(amount) - minor(fee),
  availableOn,
  occurredAt: AT,
});

export const JUNO_AVAILABLE = available(JUNO);
export const MILO_AVAILABLE = available(MILO);
