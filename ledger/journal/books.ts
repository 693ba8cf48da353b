/**
 * The books: what the journal adds up to, and every rule about money. Pure: `decide` says which entry a command causes,
 * `evolve` applies an entry; time, ids and amounts arrive in the command.
 *
 * Memory grows with accounts and open payments, not with history. Closed payments and the keys of past entries stay for
 * a window (minutes, and a number of entries); `floor` is the revision from which on everything is resident. What lies
 * before it is asked of the archive: `decide` answers `ask`, and is called again with what the archive said.
 */
import type { JournalEvent, Posting } from '#contracts/events/journal';
import { available, currencyOf, ownerOf, platform } from '#contracts/accounts';
import type { Position } from '#contracts/log';
import { Rejected } from '../rejection.js';
import type { CommandContext, JournalCommand } from './commands.js';
import { KEY_SKEW_MS, keyTimeMs } from './keys.js';
import { Layer } from './layer.js';

/** Where an entry landed. Shared by the entries of one append, and filled when it is durable. */
export interface Landing {
  position: Position | undefined;
}

/** An entry that can be answered again. */
export interface KeptEntry {
  readonly revision: number;
  readonly landing: Landing;
  readonly fingerprint: string | undefined;
}

interface Terms {
  readonly payerId: string;
  readonly recipientId: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** The provider's ids of declined attempts, so that each is recorded once. */
  readonly attempts: readonly string[];
  /** The latest entry about this payment. */
  readonly last: KeptEntry;
}

export type Payment =
  | (Terms & { readonly status: 'opened' })
  | (Terms & { readonly status: 'submitted'; readonly intentId: string })
  | (Terms & { readonly status: 'canceled'; readonly intentId: string | undefined })
  | (Terms & {
      readonly status: 'settled';
      readonly intentId: string;
      readonly chargeId: string;
      readonly refunds: readonly Refund[];
    })
  /** Entries about it came while it was not resident: the archive must be asked, at least up to `last`. */
  | { readonly status: 'elsewhere'; readonly last: KeptEntry };

type Settled = Extract<Payment, { status: 'settled' }>;
export type KnownPayment = Exclude<Payment, { status: 'elsewhere' }>;

interface Refund {
  readonly refundId: string;
  readonly amountMinor: number;
  readonly failed: boolean;
}

/** Money that no payment explains and that has not gone back yet. */
export interface Unapplied {
  readonly intentId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly last: KeptEntry;
}

/** What the archive (a read model and the log) said about a command's past, up to and including a revision. */
export interface History {
  readonly throughRevision: number;
  readonly entries: ReadonlyMap<string, KeptEntry>;
  readonly payments: ReadonlyMap<string, KnownPayment>;
}

/** What is to be asked of the archive, and how far it must have read for its "no" to count. */
export type Question = { readonly throughRevision: number } & ({ readonly key: string } | { readonly paymentId: string });

export type Decision =
  | { readonly kind: 'entry'; readonly key: string; readonly event: JournalEvent }
  /** It has happened already: nothing to write, the same answer. `of` is unknown for what is older than the window. */
  | { readonly kind: 'repeat'; readonly key: string; readonly of: KeptEntry | undefined }
  | { readonly kind: 'ask'; readonly question: Question };

/** A place in the journal, as `evolve` needs it. */
export interface Placed {
  readonly revision: number;
  readonly key: string | undefined;
  readonly fingerprint: string | undefined;
  readonly recordedAtMs: number;
  readonly landing: Landing;
}

/** Attempts of one payment that are told apart; a payer who fails more often than this is no longer written down. */
const MAX_ATTEMPTS = 100;

interface Residency {
  /** From this revision on, every key and payment of the journal is resident. */
  floor: number;
  /** The latest time that a user's key below the floor was made at: a key made after that is resident or new. */
  floorKeyMadeMs: number;
}

export class Books {
  readonly accounts: Layer<string, number>;
  readonly payments: Layer<string, Payment>;
  readonly unapplied: Layer<string, Unapplied>;
  readonly keys: Layer<string, KeptEntry>;
  /** Where residency begins; one for these books and all drafts on them. */
  readonly residency: Residency;

  constructor(below?: Books) {
    this.accounts = new Layer(below?.accounts);
    this.payments = new Layer(below?.payments);
    this.unapplied = new Layer(below?.unapplied);
    this.keys = new Layer(below?.keys);
    this.residency = below?.residency ?? { floor: 0, floorKeyMadeMs: -Infinity };
  }

  /** A draft on top of these books: what is written to it is seen in it only, until absorbed. */
  draft(): Books {
    return new Books(this);
  }

  absorb(draft: Books): void {
    this.accounts.absorb(draft.accounts);
    this.payments.absorb(draft.payments);
    this.unapplied.absorb(draft.unapplied);
    this.keys.absorb(draft.keys);
  }

  /** Puts a draft on other books: those that have absorbed the draft below it. */
  rebase(below: Books): void {
    this.accounts.rebase(below.accounts);
    this.payments.rebase(below.payments);
    this.unapplied.rebase(below.unapplied);
    this.keys.rebase(below.keys);
  }

  /** An account's credits less its debits, in minor units; undefined for a user's account that was never opened. */
  balanceOf(account: string): number | undefined {
    return this.accounts.get(account) ?? (ownerOf(account) === undefined ? 0 : undefined);
  }

  isOpen(userId: string): boolean {
    return this.accounts.get(available(userId)) !== undefined;
  }
}

/**
 * Decides a command: the entry it causes, word that it has happened already, or a question for the archive. Throws
 * Rejected when a rule says no. `now` is milliseconds since 1970.
 */
export function decide(command: JournalCommand, context: CommandContext, books: Books, now: number, history?: History): Decision {
  switch (command.type) {
    case 'OpenAccount':
      return openAccount(command, books);
    case 'OpenPayment':
    case 'PostTransfer':
      return asked(command, context, books, now, history);
    case 'SettlePayment':
      return settlePayment(command, books, history);
    case 'RefundUnapplied':
      return refundUnapplied(command, books, history);
    case 'SubmitPayment':
    case 'RecordFailedAttempt':
    case 'CancelPayment':
    case 'RefundPayment':
    case 'FailRefund': {
      const payment = findPayment(command.paymentId, books, history);
      if (payment === undefined) throw new Rejected('PaymentNotFound', { paymentId: command.paymentId });
      return isQuestion(payment) ? { kind: 'ask', question: payment } : aboutPayment(command, payment);
    }
  }
}

type Command<T extends JournalCommand['type']> = Extract<JournalCommand, { type: T }>;

function openAccount({ userId }: Command<'OpenAccount'>, books: Books): Decision {
  const account = available(userId);
  const key = `account:${userId}`;
  return books.isOpen(userId)
    ? { kind: 'repeat', key, of: books.keys.get(key) }
    : { kind: 'entry', key, event: { type: 'AccountOpened', data: { account, userId } } };
}

/** What a user asks for, under a key of their client's: at most once, and never with another body. */
function asked(
  command: Command<'OpenPayment' | 'PostTransfer'>,
  context: CommandContext,
  books: Books,
  now: number,
  history?: History,
): Decision {
  const { key } = context;
  if (key === undefined) throw new Error(`${command.type} needs a key`);
  const made = keyTimeMs(key);
  if (made !== undefined && made > now + KEY_SKEW_MS) throw new Rejected('KeyFromTheFuture', { key });

  const before = findEntry(key, books, history, made);
  if (isQuestion(before)) return { kind: 'ask', question: before };
  if (before) {
    if (before.fingerprint !== context.fingerprint) throw new Rejected('KeyReused', { key });
    return { kind: 'repeat', key, of: before };
  }

  const { payerId, recipientId, amountMinor } = command;
  if (!books.isOpen(recipientId)) throw new Rejected('RecipientNotFound', { recipientId });
  if (!books.isOpen(payerId)) throw new Rejected('PayerNotFound', { payerId });
  if (payerId === recipientId) throw new Rejected('SamePerson', { payerId });
  if (command.type === 'OpenPayment') {
    const { paymentId, currency, method, note } = command;
    return {
      kind: 'entry',
      key,
      event: { type: 'PaymentOpened', data: { paymentId, payerId, recipientId, amountMinor, currency, method, note } },
    };
  }
  const covered = books.balanceOf(available(payerId)) ?? 0;
  if (covered < amountMinor) throw new Rejected('InsufficientFunds', { available: covered, asked: amountMinor });
  const { transferId, currency, note } = command;
  const postings = [{ debit: available(payerId), credit: available(recipientId), amountMinor }];
  return {
    kind: 'entry',
    key,
    event: { type: 'TransferPosted', data: { transferId, payerId, recipientId, amountMinor, currency, note, postings } },
  };
}

/** A proven provider success is always booked: to the payment it pays, or, where none explains it, as unapplied. */
function settlePayment(command: Command<'SettlePayment'>, books: Books, history?: History): Decision {
  const { paymentId, intentId, chargeId, amountMinor, currency, occurredAt } = command;
  const payment = paymentId === undefined ? undefined : findPayment(paymentId, books, history);
  if (isQuestion(payment)) return { kind: 'ask', question: payment };

  const unapplied = (reason: 'unknown-payment' | 'already-settled' | 'amount-differs' | 'currency-differs'): Decision => {
    const key = `unapplied:${chargeId}`;
    const before = books.unapplied.get(chargeId)?.last ?? findEntry(key, books, history);
    if (isQuestion(before)) return { kind: 'ask', question: before };
    if (before) return { kind: 'repeat', key, of: before };
    const postings = [{ debit: platform('card-clearing', currency), credit: platform('unapplied', currency), amountMinor }];
    return {
      kind: 'entry',
      key,
      event: {
        type: 'UnappliedReceived',
        data: { chargeId, intentId, paymentId, amountMinor, currency, reason, occurredAt, postings },
      },
    };
  };

  if (paymentId === undefined || payment === undefined) return unapplied('unknown-payment');
  const key = `settle:${chargeId}`;
  if (payment.status === 'settled')
    return payment.chargeId === chargeId ? { kind: 'repeat', key, of: payment.last } : unapplied('already-settled');
  if (payment.currency !== currency) return unapplied('currency-differs');
  if (payment.amountMinor !== amountMinor) return unapplied('amount-differs');
  const { payerId, recipientId } = payment;
  const postings = [{ debit: platform('card-clearing'), credit: available(recipientId), amountMinor }];
  return {
    kind: 'entry',
    key,
    event: {
      type: 'PaymentSettled',
      data: { paymentId, payerId, recipientId, amountMinor, currency, intentId, chargeId, occurredAt, postings },
    },
  };
}

function refundUnapplied(command: Command<'RefundUnapplied'>, books: Books, history?: History): Decision {
  const { chargeId, refundId, amountMinor, occurredAt } = command;
  const key = `unapplied-refund:${chargeId}`;
  const held = books.unapplied.get(chargeId);
  if (!held) {
    const before = findEntry(key, books, history);
    if (isQuestion(before)) return { kind: 'ask', question: before };
    if (before) return { kind: 'repeat', key, of: before };
    throw new Rejected('UnappliedNotFound', { chargeId });
  }
  if (amountMinor !== held.amountMinor)
    throw new Rejected('RefundExceedsPayment', { asked: amountMinor, held: held.amountMinor });
  const { currency } = held;
  const postings = [{ debit: platform('unapplied', currency), credit: platform('card-clearing', currency), amountMinor }];
  return {
    kind: 'entry',
    key,
    event: { type: 'UnappliedRefunded', data: { chargeId, refundId, amountMinor, currency, occurredAt, postings } },
  };
}

type AboutPayment = Command<'SubmitPayment' | 'RecordFailedAttempt' | 'CancelPayment' | 'RefundPayment' | 'FailRefund'>;

function aboutPayment(command: AboutPayment, payment: KnownPayment): Decision {
  const { paymentId } = command;
  const quiet = (key: string): Decision => ({ kind: 'repeat', key, of: payment.last });
  switch (command.type) {
    case 'SubmitPayment': {
      const key = `submit:${paymentId}`;
      if (payment.status === 'canceled' && payment.intentId === undefined) throw new Rejected('PaymentCanceled', { paymentId });
      if (payment.status !== 'opened') return quiet(key);
      return { kind: 'entry', key, event: { type: 'PaymentSubmitted', data: { paymentId, intentId: command.intentId } } };
    }
    case 'RecordFailedAttempt': {
      const { attemptId, code, reason, occurredAt } = command;
      const key = `attempt:${attemptId}`;
      if (payment.attempts.includes(attemptId) || payment.attempts.length >= MAX_ATTEMPTS) return quiet(key);
      return {
        kind: 'entry',
        key,
        event: { type: 'PaymentAttemptFailed', data: { paymentId, attemptId, code, reason, occurredAt } },
      };
    }
    case 'CancelPayment': {
      const key = `cancel:${paymentId}`;
      if (payment.status === 'canceled') return quiet(key);
      if (payment.status === 'settled') throw new Rejected('PaymentAlreadySettled', { paymentId });
      // Failures of the provider may have made a second intent; the end of that one is not the payment's.
      if (payment.status === 'submitted' && command.intentId !== undefined && command.intentId !== payment.intentId)
        return quiet(key);
      return {
        kind: 'entry',
        key,
        event: { type: 'PaymentCanceled', data: { paymentId, reason: command.reason, occurredAt: command.occurredAt } },
      };
    }
    case 'RefundPayment': {
      const { refundId, amountMinor, occurredAt } = command;
      const key = `refund:${refundId}`;
      const settled = mustBeSettled(paymentId, payment);
      if (settled.refunds.some((refund) => refund.refundId === refundId)) return quiet(key);
      const refundedMinor = refundedOf(settled) + amountMinor;
      if (refundedMinor > settled.amountMinor)
        throw new Rejected('RefundExceedsPayment', { paymentId, asked: amountMinor, refundedMinor });
      const postings = [{ debit: available(settled.recipientId), credit: platform('card-clearing'), amountMinor }];
      return {
        kind: 'entry',
        key,
        event: {
          type: 'PaymentRefunded',
          data: { ...refundTerms(paymentId, settled), refundId, amountMinor, refundedMinor, occurredAt, postings },
        },
      };
    }
    case 'FailRefund': {
      const { refundId, reason, occurredAt } = command;
      const key = `refund-failed:${refundId}`;
      const settled = mustBeSettled(paymentId, payment);
      const refund = settled.refunds.find((known) => known.refundId === refundId);
      if (!refund) throw new Rejected('RefundNotFound', { paymentId, refundId });
      if (refund.failed) return quiet(key);
      const { amountMinor } = refund;
      const refundedMinor = refundedOf(settled) - amountMinor;
      const postings = [{ debit: platform('card-clearing'), credit: available(settled.recipientId), amountMinor }];
      return {
        kind: 'entry',
        key,
        event: {
          type: 'RefundFailed',
          data: { ...refundTerms(paymentId, settled), refundId, amountMinor, refundedMinor, reason, occurredAt, postings },
        },
      };
    }
  }
}

function mustBeSettled(paymentId: string, payment: KnownPayment): Settled {
  if (payment.status !== 'settled') throw new Rejected('PaymentNotSettled', { paymentId, status: payment.status });
  return payment;
}

/** What of a payment has gone back and stayed back, in minor units. */
const refundedOf = (payment: Settled): number =>
  payment.refunds.reduce((sum, refund) => sum + (refund.failed ? 0 : refund.amountMinor), 0);

const refundTerms = (paymentId: string, { payerId, recipientId, amountMinor }: Settled) => ({
  paymentId,
  payerId,
  recipientId,
  originalMinor: amountMinor,
});

const isQuestion = (found: object | undefined): found is Question => found !== undefined && 'throughRevision' in found;

/** The payment, undefined when there is none, or the question that would tell. */
function findPayment(paymentId: string, books: Books, history: History | undefined): KnownPayment | Question | undefined {
  const resident = books.payments.get(paymentId);
  if (resident && resident.status !== 'elsewhere') return resident;
  if (!resident && books.residency.floor === 0) return undefined;
  const throughRevision = resident ? resident.last.revision : books.residency.floor - 1;
  return history && history.throughRevision >= throughRevision ? history.payments.get(paymentId) : { paymentId, throughRevision };
}

/** The entry with this key, undefined when there is none, or the question that would tell. `madeMs`: when a user's key was made. */
function findEntry(key: string, books: Books, history: History | undefined, madeMs?: number): KeptEntry | Question | undefined {
  const resident = books.keys.get(key);
  if (resident) return resident;
  if (books.residency.floor === 0) return undefined;
  if (madeMs !== undefined && madeMs > books.residency.floorKeyMadeMs) return undefined;
  const throughRevision = books.residency.floor - 1;
  return history && history.throughRevision >= throughRevision ? history.entries.get(key) : { key, throughRevision };
}

/** Whether an entry moves money as entries must: whole positive amounts, two accounts of one currency, users' accounts open. */
export function assertBalanced(postings: readonly Posting[], books: Books): void {
  for (const { debit, credit, amountMinor } of postings) {
    if (!Number.isSafeInteger(amountMinor) || amountMinor <= 0)
      throw new Error(`A posting of ${amountMinor} is not a whole positive amount`);
    if (debit === credit) throw new Error(`A posting from ${debit} to itself`);
    if (currencyOf(debit) !== currencyOf(credit)) throw new Error(`A posting from ${debit} to ${credit} changes its currency`);
    for (const account of [debit, credit])
      if (books.balanceOf(account) === undefined) throw new Error(`A posting to ${account}, which was never opened`);
  }
}

/** Makes what the archive told resident again, before an entry that was decided on it is applied. */
export function admit(history: History, books: Books): void {
  for (const [paymentId, payment] of history.payments) {
    const resident = books.payments.get(paymentId);
    if (!resident || resident.status === 'elsewhere') books.payments.set(paymentId, payment);
  }
}

/** Applies an entry to the books. */
export function evolve(event: JournalEvent, at: Placed, books: Books): void {
  if ('postings' in event.data) {
    assertBalanced(event.data.postings, books);
    for (const { debit, credit, amountMinor } of event.data.postings) {
      move(books, debit, -amountMinor);
      move(books, credit, amountMinor);
    }
  }
  const last: KeptEntry = { revision: at.revision, landing: at.landing, fingerprint: at.fingerprint };
  if (at.key !== undefined) books.keys.set(at.key, last);

  switch (event.type) {
    case 'AccountOpened':
      if (!books.isOpen(event.data.userId)) books.accounts.set(event.data.account, 0);
      break;
    case 'PaymentOpened': {
      const { paymentId, payerId, recipientId, amountMinor, currency } = event.data;
      books.payments.set(paymentId, { status: 'opened', payerId, recipientId, amountMinor, currency, attempts: [], last });
      break;
    }
    case 'UnappliedReceived': {
      const { chargeId, intentId, amountMinor, currency } = event.data;
      books.unapplied.set(chargeId, { intentId, amountMinor, currency, last });
      break;
    }
    case 'UnappliedRefunded':
      books.unapplied.delete(event.data.chargeId);
      break;
    case 'TransferPosted':
      break;
    default: {
      const payment = books.payments.get(event.data.paymentId);
      books.payments.set(
        event.data.paymentId,
        payment && payment.status !== 'elsewhere' ? evolvePayment(event, payment, last) : { status: 'elsewhere', last },
      );
    }
  }
}

type PaymentEntry = Exclude<
  JournalEvent,
  { type: 'AccountOpened' | 'PaymentOpened' | 'UnappliedReceived' | 'UnappliedRefunded' | 'TransferPosted' }
>;

function evolvePayment(event: PaymentEntry, payment: KnownPayment, last: KeptEntry): KnownPayment {
  switch (event.type) {
    case 'PaymentSubmitted':
      return payment.status === 'opened'
        ? { ...payment, status: 'submitted', intentId: event.data.intentId, last }
        : { ...payment, last };
    case 'PaymentAttemptFailed':
      return { ...payment, attempts: [...payment.attempts, event.data.attemptId], last };
    case 'PaymentSettled':
      return { ...payment, status: 'settled', intentId: event.data.intentId, chargeId: event.data.chargeId, refunds: [], last };
    case 'PaymentCanceled':
      return { ...payment, status: 'canceled', intentId: 'intentId' in payment ? payment.intentId : undefined, last };
    case 'PaymentRefunded': {
      const { refundId, amountMinor } = event.data;
      return payment.status === 'settled'
        ? { ...payment, refunds: [...payment.refunds, { refundId, amountMinor, failed: false }], last }
        : payment;
    }
    case 'RefundFailed': {
      if (payment.status !== 'settled') return payment;
      const refunds = payment.refunds.map((refund) =>
        refund.refundId === event.data.refundId ? { ...refund, failed: true } : refund,
      );
      return { ...payment, refunds, last };
    }
  }
}

/** Folds one payment's entries, as the archive read them from the log, in order. */
export function paymentFrom(entries: readonly { event: JournalEvent; last: KeptEntry }[]): KnownPayment | undefined {
  let payment: KnownPayment | undefined;
  for (const { event, last } of entries) {
    if (event.type === 'PaymentOpened') {
      const { payerId, recipientId, amountMinor, currency } = event.data;
      payment = { status: 'opened', payerId, recipientId, amountMinor, currency, attempts: [], last };
    } else if (payment && isPaymentEntry(event)) payment = evolvePayment(event, payment, last);
  }
  return payment;
}

const OTHER_ENTRIES: ReadonlySet<JournalEvent['type']> = new Set([
  'AccountOpened',
  'PaymentOpened',
  'UnappliedReceived',
  'UnappliedRefunded',
  'TransferPosted',
]);
const isPaymentEntry = (event: JournalEvent): event is PaymentEntry => !OTHER_ENTRIES.has(event.type);

/** The payment that an entry is about, if any. */
export const paymentIdOf = (event: JournalEvent): string | undefined =>
  event.type === 'PaymentOpened' || isPaymentEntry(event) ? event.data.paymentId : undefined;

function move(books: Books, account: string, byMinor: number): void {
  const balance = (books.balanceOf(account) ?? 0) + byMinor;
  if (!Number.isSafeInteger(balance)) throw new Error(`The balance of ${account} would leave the safe integers`);
  books.accounts.set(account, balance);
}
