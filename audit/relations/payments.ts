/**
 * A payment from its opening to its refunds: one charge pays one payment, with its own amount, to its own
 * recipient and for its own occurrence; a refund is of a settled payment, is booked once, and all of them are
 * no more than was paid. Money is unapplied for a reason that is true.
 */
import type { JournalEventOf } from '#contracts/events/journal';
import { hashNumber } from '../flat/id-hash.js';
import { Column, IdTable, Names } from '../flat/id-table.js';
import type { Derivation } from '../derivation/derivation.js';
import type { Check } from '../report.js';
import { differing, shown, whereOf, type JournalEntry, type Relation } from './relation.js';
import type { WriteOffs } from './write-offs.js';

interface Payment {
  readonly row: number;
  readonly payerId: string;
  readonly recipientId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly refundedMinor: number;
  /** The revision at which it was settled. */
  readonly settledAt: number | undefined;
}

const EXPECTED = ['payerId', 'recipientId', 'amountMinor', 'currency'] as const;

/** The attempt at an occurrence that a payment is, as a number; zero for one that is none. */
const attemptNumber = ({
  occurrence,
}: Pick<JournalEventOf<'PaymentSettled'>['data'], 'occurrence'>): number =>
  occurrence === undefined
    ? 0
    : hashNumber(`${occurrence.scheduleId} ${occurrence.occurrenceId} ${occurrence.attempt}`);

/**
 * The provider's payment objects, each recorded for one payment. Most payments are settled by the one that
 * was recorded for them, so all are kept as numbers, and are looked for only where one was not.
 */
class Intents {
  readonly #first = new Column(Float64Array);
  /** Payments by object: all of them, from the first time that one was looked for. */
  #rows: Map<number, number> | undefined;
  /** Second ones, which a failure of the provider may have made. */
  readonly #more = new Map<number, number>();

  /** False where it was recorded for this payment before. */
  record(row: number, intentId: string): boolean {
    const number = hashNumber(intentId);
    const isNew = this.#first.get(row) !== number && this.#more.get(number) !== row;
    if (this.#first.get(row) === 0) this.#first.set(row, number);
    else if (!this.#more.has(number)) this.#more.set(number, row);
    if (this.#rows && !this.#rows.has(number)) this.#rows.set(number, row);
    return isNew;
  }

  /** Whether an object was recorded for another payment than this; `size` is how many payments there are. */
  isOfAnother(row: number, intentId: string, size: number): boolean {
    const number = hashNumber(intentId);
    if (this.#first.get(row) === number) return false;
    if (!this.#rows) {
      this.#rows = new Map(this.#more);
      for (let at = 0; at < size; at += 1)
        if (this.#first.get(at) !== 0) this.#rows.set(this.#first.get(at), at);
    }
    const found = this.#rows.get(number);
    return found !== undefined && found !== row;
  }
}

export class Payments implements Relation {
  // There are as many of them as anything in the log: they are kept as rows of numbers.
  readonly #ids = new IdTable();
  readonly #users = new Names();
  readonly #currencies = new Names();
  readonly #payer = new Column(Uint32Array);
  readonly #recipient = new Column(Uint32Array);
  readonly #currency = new Column(Uint32Array);
  readonly #amountMinor = new Column(Float64Array);
  readonly #refundedMinor = new Column(Float64Array);
  readonly #isCanceled = new Column(Uint8Array);
  readonly #attempt = new Column(Float64Array);
  readonly #intents = new Intents();
  /** Where it was settled: the revision + 1. */
  readonly #settled = new Column(Uint32Array);
  readonly #refunds = new RefundRows();
  readonly #findings: string[] = [];

  constructor(
    private readonly derivation: Derivation,
    private readonly writeOffs: WriteOffs,
  ) {}

  /** The entry since which its recipient bears a refund: its own, until somebody says otherwise. */
  refundSince(refundId: string): number | undefined {
    return this.#refunds.since(refundId);
  }

  /** A dispute had taken what was refunded before: its recipient bears that since then. */
  hasBorneSince(refundId: string, revision: number): void {
    this.#refunds.hasBorneSince(refundId, revision);
  }

  /** Whether a refund of this id was booked of a payment. */
  isRefund(refundId: string): boolean {
    return this.#refunds.has(refundId);
  }

  /** The row by which {@link at} finds a payment; -1 where it was never opened. */
  rowOf(paymentId: string): number {
    return this.#ids.find(paymentId);
  }

  at(row: number): Payment {
    const settled = this.#settled.get(row);
    return {
      row,
      payerId: this.#users.nameOf(this.#payer.get(row)),
      recipientId: this.#users.nameOf(this.#recipient.get(row)),
      amountMinor: this.#amountMinor.get(row),
      currency: this.#currencies.nameOf(this.#currency.get(row)),
      refundedMinor: this.#refundedMinor.get(row),
      settledAt: settled === 0 ? undefined : settled - 1,
    };
  }

  #of(paymentId: string): Payment | undefined {
    const row = this.rowOf(paymentId);
    return row < 0 ? undefined : this.at(row);
  }

  entry(entry: JournalEntry): void {
    const wrong = this.#wrong(entry);
    if (wrong.length > 0)
      this.#findings.push(`${whereOf(entry)}: ${entry.type} of ${subjectOf(entry)}: ${wrong.join('; ')}`);
  }

  check(): Check {
    return {
      name: 'payments, charges and refunds fit',
      figure: `${this.#ids.size} payments`,
      findings: this.#findings,
    };
  }

  #wrong(entry: JournalEntry): readonly string[] {
    switch (entry.type) {
      case 'PaymentOpened':
        return this.#opened(entry);
      case 'PaymentSubmitted': {
        const { paymentId, intentId } = entry.data;
        const row = this.rowOf(paymentId);
        if (row < 0) return this.#known(paymentId);
        return this.#intents.record(row, intentId)
          ? []
          : [`the provider's payment ${intentId} was recorded before`];
      }
      case 'PaymentAttemptFailed':
        return this.#known(entry.data.paymentId);
      case 'UnappliedReceived':
        return this.#unapplied(entry);
      case 'PaymentCanceled':
        return this.#canceled(entry);
      case 'PaymentSettled':
        return this.#settle(entry);
      case 'PaymentRefunded':
        return this.#refunded(entry);
      case 'DebtWrittenOff':
        this.writeOffs.add(entry.data.userId, entry.revision, entry.data.amountMinor);
        return [];
      case 'RefundFailed':
        return this.#refundFailed(entry);
      default:
        return [];
    }
  }

  #known(paymentId: string): readonly string[] {
    return this.#ids.find(paymentId) >= 0 ? [] : ['the payment was never opened'];
  }

  #opened({ data }: JournalEventOf<'PaymentOpened'>): readonly string[] {
    const { paymentId, payerId, recipientId, amountMinor, currency } = data;
    const wrong = payerId === recipientId ? ['payer and recipient are one person'] : [];
    if (this.#ids.find(paymentId) >= 0) return [...wrong, 'it was opened before'];
    const row = this.#ids.row(paymentId);
    this.#payer.set(row, this.#users.numberOf(payerId));
    this.#recipient.set(row, this.#users.numberOf(recipientId));
    this.#currency.set(row, this.#currencies.numberOf(currency));
    this.#amountMinor.set(row, amountMinor);
    if (data.occurrence) this.#attempt.set(row, attemptNumber(data));
    return wrong;
  }

  #canceled({ data: { paymentId } }: JournalEventOf<'PaymentCanceled'>): readonly string[] {
    const payment = this.#of(paymentId);
    if (!payment) return ['the payment was never opened'];
    const wrong = [
      ...(payment.settledAt === undefined ? [] : ['it was settled before']),
      ...(this.#isCanceled.get(payment.row) === 1 ? ['it was canceled before'] : []),
    ];
    this.#isCanceled.set(payment.row, 1);
    return wrong;
  }

  #settle({ data, revision }: JournalEntry & { readonly type: 'PaymentSettled' }): readonly string[] {
    const payment = this.#of(data.paymentId);
    if (!payment) return ['the payment was never opened'];
    const wrong = [
      ...EXPECTED.flatMap((field) => differing(field, data[field], payment[field])),
      ...(attemptNumber(data) === this.#attempt.get(payment.row)
        ? []
        : [
            `it was not opened for ${data.occurrence ? `occurrence ${data.occurrence.occurrenceId}` : 'no occurrence'}`,
          ]),
      ...(this.#intents.isOfAnother(payment.row, data.intentId, this.#ids.size)
        ? [`the provider's payment ${data.intentId} was recorded for another one`]
        : []),
    ];
    if (payment.settledAt !== undefined)
      return [...wrong, `it was settled before, at revision ${payment.settledAt}`];
    this.#settled.set(payment.row, revision + 1);
    return wrong;
  }

  /** Money that a payment explains is never unapplied: what kept it from that payment must be so. */
  #unapplied({ data }: JournalEventOf<'UnappliedReceived'>): readonly string[] {
    const { paymentId, reason, amountMinor, currency } = data;
    const payment = paymentId === undefined ? undefined : this.#of(paymentId);
    const holds = ((): boolean => {
      if (!payment) return reason === 'unknown-payment';
      switch (reason) {
        case 'unknown-payment':
          return false;
        case 'already-settled':
          return payment.settledAt !== undefined;
        case 'amount-differs':
          return amountMinor !== payment.amountMinor;
        case 'currency-differs':
          return currency !== payment.currency;
        case 'attempt-ended':
          return this.#isCanceled.get(payment.row) === 1;
        case 'already-collected':
          return this.#attempt.get(payment.row) !== 0;
        case 'account-closed':
          return this.derivation.isClosed(payment.recipientId);
      }
    })();
    return holds ? [] : [`it is unapplied because of "${reason}", which is not so`];
  }

  #refunded({ data, revision }: JournalEntry & { readonly type: 'PaymentRefunded' }): readonly string[] {
    const payment = this.#of(data.paymentId);
    if (payment?.settledAt === undefined) return ['the payment was never settled'];
    const refundedMinor = payment.refundedMinor + data.amountMinor;
    this.#refundedMinor.set(payment.row, refundedMinor);
    const isNew = this.#refunds.add(payment.row, revision, data);
    return [
      ...(isNew ? [] : [`refund ${data.refundId} was booked before`]),
      ...termsOf(data, { ...payment, refundedMinor }),
      ...(refundedMinor > payment.amountMinor
        ? [`${refundedMinor} minor units are refunded, of ${payment.amountMinor} that were paid`]
        : []),
    ];
  }

  #refundFailed({ data }: JournalEventOf<'RefundFailed'>): readonly string[] {
    const payment = this.#of(data.paymentId);
    const refund = payment && this.#refunds.find(payment.row, data.refundId);
    if (!payment || !refund) return [`there was no refund ${data.refundId}`];
    const again = this.#refunds.fail(refund.row) ? [] : [`refund ${data.refundId} had failed before`];
    const refundedMinor = payment.refundedMinor - data.amountMinor;
    this.#refundedMinor.set(payment.row, refundedMinor);
    return [
      ...again,
      ...this.writeOffs.cameBack(
        data.recipientId,
        refund.since,
        data.amountMinor - (data.disputedMinor ?? 0),
        data,
      ),
      ...differing('amountMinor', data.amountMinor, refund.amountMinor),
      ...termsOf(data, { ...payment, refundedMinor }),
    ];
  }
}

/**
 * Refunds by id, which the provider gives once: of which payment, what was given back, and whether that
 * failed.
 */
class RefundRows {
  readonly #ids = new IdTable();
  readonly #payment = new Column(Uint32Array);
  readonly #amountMinor = new Column(Float64Array);
  readonly #hasFailed = new Column(Uint8Array);
  readonly #since = new Column(Uint32Array);

  /** Takes a refund of the payment in a row, in the place of one of this id. False where there was one. */
  add(
    payment: number,
    revision: number,
    { refundId, amountMinor }: Pick<JournalEventOf<'PaymentRefunded'>['data'], 'refundId' | 'amountMinor'>,
  ): boolean {
    const before = this.#ids.size;
    const row = this.#ids.row(refundId);
    this.#payment.set(row, payment);
    this.#amountMinor.set(row, amountMinor);
    this.#hasFailed.set(row, 0);
    this.#since.set(row, revision);
    return this.#ids.size > before;
  }

  has(refundId: string): boolean {
    return this.#ids.has(refundId);
  }

  find(
    payment: number,
    refundId: string,
  ): { readonly row: number; readonly amountMinor: number; readonly since: number } | undefined {
    const row = this.#ids.find(refundId);
    return row < 0 || this.#payment.get(row) !== payment
      ? undefined
      : { row, amountMinor: this.#amountMinor.get(row), since: this.#since.get(row) };
  }

  since(refundId: string): number | undefined {
    const row = this.#ids.find(refundId);
    return row < 0 ? undefined : this.#since.get(row);
  }

  hasBorneSince(refundId: string, revision: number): void {
    const row = this.#ids.find(refundId);
    if (row >= 0) this.#since.set(row, Math.min(this.#since.get(row), revision));
  }

  /** False where it had failed. */
  fail(row: number): boolean {
    const isFirst = this.#hasFailed.get(row) === 0;
    this.#hasFailed.set(row, 1);
    return isFirst;
  }
}

const termsOf = (
  data: JournalEventOf<'PaymentRefunded' | 'RefundFailed'>['data'],
  { payerId, recipientId, amountMinor, refundedMinor }: Omit<Payment, 'row' | 'settledAt'>,
): string[] => [
  ...differing('payerId', data.payerId, payerId),
  ...differing('recipientId', data.recipientId, recipientId),
  ...differing('originalMinor', data.originalMinor, amountMinor),
  ...differing('refundedMinor', data.refundedMinor, refundedMinor),
];

const subjectOf = ({ data }: JournalEntry): string =>
  'paymentId' in data && data.paymentId !== undefined
    ? shown(data.paymentId)
    : 'chargeId' in data
      ? `charge ${shown(data.chargeId)}`
      : '';
