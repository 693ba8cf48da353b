/** What the provider does by itself later on. Tasks are kept with the objects, so that a restart forgets none. */
import { refundFails, refundSucceeds } from './resources/refunds.js';
import { settleProcessing } from './resources/payment-intents.js';
import { bookCharge } from './resources/charges.js';
import type { Transaction } from './store.js';

export type Task =
  | { kind: 'settle_intent'; intent: string }
  | { kind: 'book_charge'; charge: string }
  | { kind: 'refund_succeeds'; refund: string }
  | { kind: 'refund_fails'; refund: string };

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
  }
}
