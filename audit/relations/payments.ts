/**
 * A payment from its opening to its refunds: one charge pays one payment, with its own amount, to its own recipient; a
 * refund is of a settled payment, is booked once, and all of them are no more than was paid.
 */
import type { JournalEventOf } from '#contracts/events/journal';
import type { Check } from '../report.js';
import { differing, shown, whereOf, type JournalEntry, type Relation } from './relation.js';

interface Payment {
  readonly payerId: string;
  readonly recipientId: string;
  readonly amountMinor: number;
  readonly currency: string;
  chargeId?: string;
  isCanceled?: true;
  refundedMinor: number;
  refunds?: Map<string, { readonly amountMinor: number; failed: boolean }>;
}

const EXPECTED = ['payerId', 'recipientId', 'amountMinor', 'currency'] as const;

export class Payments implements Relation {
  readonly #payments = new Map<string, Payment>();
  readonly #findings: string[] = [];

  /** The payment that a charge has paid, if so: for relations of charges. */
  chargeOf(paymentId: string): string | undefined {
    return this.#payments.get(paymentId)?.chargeId;
  }

  partiesOf(paymentId: string): Pick<Payment, 'payerId' | 'recipientId' | 'amountMinor'> | undefined {
    return this.#payments.get(paymentId);
  }

  refundedOf(paymentId: string): number {
    return this.#payments.get(paymentId)?.refundedMinor ?? 0;
  }

  entry(entry: JournalEntry): void {
    const wrong = this.#wrong(entry);
    if (wrong.length > 0)
      this.#findings.push(`${whereOf(entry)}: ${entry.type} of ${subjectOf(entry)}: ${wrong.join('; ')}`);
  }

  check(): Check {
    return {
      name: 'payments, charges and refunds fit',
      figure: `${this.#payments.size} payments`,
      findings: this.#findings,
    };
  }

  #wrong(entry: JournalEntry): readonly string[] {
    switch (entry.type) {
      case 'PaymentOpened':
        return this.#opened(entry);
      case 'PaymentSubmitted':
      case 'PaymentAttemptFailed':
        return this.#known(entry.data.paymentId);
      case 'PaymentCanceled':
        return this.#canceled(entry);
      case 'PaymentSettled':
        return this.#settled(entry);
      case 'PaymentRefunded':
        return this.#refunded(entry);
      case 'RefundFailed':
        return this.#refundFailed(entry);
      default:
        return [];
    }
  }

  #known(paymentId: string): readonly string[] {
    return this.#payments.has(paymentId) ? [] : ['the payment was never opened'];
  }

  #opened({ data }: JournalEventOf<'PaymentOpened'>): readonly string[] {
    const { paymentId, payerId, recipientId, amountMinor, currency } = data;
    const wrong = payerId === recipientId ? ['payer and recipient are one person'] : [];
    if (this.#payments.has(paymentId)) return [...wrong, 'it was opened before'];
    this.#payments.set(paymentId, { payerId, recipientId, amountMinor, currency, refundedMinor: 0 });
    return wrong;
  }

  #canceled({ data: { paymentId } }: JournalEventOf<'PaymentCanceled'>): readonly string[] {
    const payment = this.#payments.get(paymentId);
    if (!payment) return ['the payment was never opened'];
    const wrong = [
      ...(payment.chargeId === undefined ? [] : ['it was settled before']),
      ...(payment.isCanceled ? ['it was canceled before'] : []),
    ];
    payment.isCanceled = true;
    return wrong;
  }

  #settled({ data }: JournalEventOf<'PaymentSettled'>): readonly string[] {
    const payment = this.#payments.get(data.paymentId);
    if (!payment) return ['the payment was never opened'];
    const wrong = EXPECTED.flatMap((field) => differing(field, data[field], payment[field]));
    if (payment.chargeId !== undefined) return [...wrong, `charge ${payment.chargeId} had paid it`];
    payment.chargeId = data.chargeId;
    return wrong;
  }

  #refunded({ data }: JournalEventOf<'PaymentRefunded'>): readonly string[] {
    const payment = this.#payments.get(data.paymentId);
    if (payment?.chargeId === undefined) return ['the payment was never settled'];
    const refunds = (payment.refunds ??= new Map());
    const again = refunds.has(data.refundId);
    payment.refundedMinor += data.amountMinor;
    refunds.set(data.refundId, { amountMinor: data.amountMinor, failed: false });
    return [
      ...(again ? [`refund ${data.refundId} was booked before`] : []),
      ...termsOf(data, payment),
      ...(payment.refundedMinor > payment.amountMinor
        ? [`${payment.refundedMinor} minor units are refunded, of ${payment.amountMinor} that were paid`]
        : []),
    ];
  }

  #refundFailed({ data }: JournalEventOf<'RefundFailed'>): readonly string[] {
    const payment = this.#payments.get(data.paymentId);
    const refund = payment?.refunds?.get(data.refundId);
    if (!payment || !refund) return [`there was no refund ${data.refundId}`];
    const again = refund.failed ? [`refund ${data.refundId} had failed before`] : [];
    refund.failed = true;
    payment.refundedMinor -= data.amountMinor;
    return [
      ...again,
      ...differing('amountMinor', data.amountMinor, refund.amountMinor),
      ...termsOf(data, payment),
    ];
  }
}

const termsOf = (
  data: JournalEventOf<'PaymentRefunded' | 'RefundFailed'>['data'],
  { payerId, recipientId, amountMinor, refundedMinor }: Payment,
): string[] => [
  ...differing('payerId', data.payerId, payerId),
  ...differing('recipientId', data.recipientId, recipientId),
  ...differing('originalMinor', data.originalMinor, amountMinor),
  ...differing('refundedMinor', data.refundedMinor, refundedMinor),
];

const subjectOf = ({ data }: JournalEntry): string => ('paymentId' in data ? shown(data.paymentId) : '');
