/**
 * What the provider does by itself later on. Tasks are kept with the objects, so that a restart forgets none.
 */
import type { DisputeReason } from './objects.js';
import { disputeOpens } from './resources/disputes.js';
import { movePayout, returnPayout } from './resources/payouts.js';
import { refundFails, refundSucceeds } from './resources/refunds.js';
import { settleProcessing } from './resources/payment-intents.js';
import { bookCharge } from './resources/charges.js';
import type { Transaction } from './store.js';

export type Task =
  | { kind: 'settle_intent'; intent: string }
  | { kind: 'book_charge'; charge: string }
  | { kind: 'refund_succeeds'; refund: string }
  | { kind: 'refund_fails'; refund: string }
  | { kind: 'payout_moves'; account: string; payout: string }
  | { kind: 'payout_returns'; account: string; payout: string }
  | { kind: 'dispute_opens'; charge: string; reason: DisputeReason };

export function runTask(transaction: Transaction, task: Task): void {
  switch (task.kind) {
    case 'settle_intent':
      return settleProcessing(transaction, task.intent);
    case 'book_charge':
      return bookCharge(transaction, task.charge);
    case 'refund_succeeds':
      return refundSucceeds(transaction, task.refund);
    case 'refund_fails':
      return refundFails(transaction, task.refund);
    case 'payout_moves':
      return transaction.within(task.account, () => movePayout(transaction, task.payout));
    case 'payout_returns':
      return transaction.within(task.account, () => returnPayout(transaction, task.payout));
    case 'dispute_opens':
      return disputeOpens(transaction, task.charge, task.reason);
  }
}
