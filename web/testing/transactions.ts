/** Lines of a history for component tests. */
import type { Transaction } from '#contracts/api/payments';

const HOUR_MS = 3_600_000;

/** The ISO time of so many hours ago: a label such as `3 hours ago` then holds on any day. */
export const hoursAgo = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString();

/** A tip of $20.00 that wren sent just now, or what else is said of it. */
export const line = (id: string, more: Partial<Transaction> = {}): Transaction => ({
  id,
  type: 'payment_received',
  amount: '20.00',
  status: 'completed',
  createdAt: hoursAgo(0),
  kind: 'payment',
  refundedAmount: '0.00',
  disputedAmount: '0.00',
  disputeStatus: null,
  thanks: null,
  scheduleKind: null,
  scheduleId: null,
  paymentMethod: 'card',
  description: null,
  failureReason: null,
  counterpartyId: 'wren-1',
  counterpartyUsername: 'wren',
  counterpartyName: null,
  ...more,
});
