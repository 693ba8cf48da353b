/**
 * Given / when / then for the books, in the words of people who count money:
 *
 *     given(opened(tip), settled(tip)).when(settle(tip)).thenNothing()
 */
import { expect } from '@jest/globals';
import { available } from '#contracts/accounts';
import type { JournalEvent } from '#contracts/events/journal';
import { minorFromDecimal } from '#contracts/money';
import { Books, decide, evolve, type Decision } from '#ledger/journal/books';
import type { CommandContext, JournalCommand } from '#ledger/journal/commands';
import { Rejected, type RejectionReason } from '#ledger/rejection';

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

type Given = JournalCommand | { command: JournalCommand; context: Partial<CommandContext> };

/** Keys of commands that need one derive from their ids, unless a spec names another. */
export function contextOf(command: JournalCommand, own: Partial<CommandContext> = {}): CommandContext {
  const id =
    command.type === 'OpenPayment' ? command.paymentId : command.type === 'PostTransfer' ? command.transferId : undefined;
  return { correlationId: 'spec', ...(id === undefined ? {} : { key: `spec:${id}` }), ...own };
}

const unpack = (given: Given) => ('command' in given ? given : { command: given, context: {} });

/** Executes commands one after the other on empty books; each must be taken. */
export function booksAfter(...commands: readonly Given[]): Books {
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

export const given = (...commands: readonly Given[]) => ({
  when: (step: Given) => {
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

const signed = (decimal: string): number => (decimal.startsWith('-') ? -minor(decimal.slice(1)) : minor(decimal));

export const snapshot = (books: Books): Record<string, number> => Object.fromEntries([...books.accounts.entries()].sort());

/** All credits less all debits: zero, or money was made or lost. */
export const trialBalance = (books: Books): number =>
  [...books.accounts.entries()].reduce((sum, [, balance]) => sum + balance, 0);

// ---- builders ---------------------------------------------------------------------------------------------------

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
export const submit = ({ paymentId }: Tip): JournalCommand => ({ type: 'SubmitPayment', paymentId, intentId: `pi_${paymentId}` });
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

export const JUNO_AVAILABLE = available(JUNO);
export const MILO_AVAILABLE = available(MILO);
