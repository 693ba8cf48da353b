/**
 * The domain's no: a rule refused a command, and nothing has changed. Anything else that is thrown is a bug
 * or an outage.
 */
import type { CallerAnswer } from '#contracts/api/error';
import { OUTAGE_CODE } from '#contracts/outage';
import { monthInWords } from '#contracts/plain/months';
import { dollarsFromMinor } from '#contracts/plain/money';
import { parkedSentence, STREAM_PARKED } from '#contracts/plain/parked';

type Details = Readonly<Record<string, unknown>>;
interface Rejection {
  readonly status: number;
  readonly message: string | ((details: Details) => string);
  /** For a program that shows something else than the sentence: a form that asks for a card. */
  readonly code?: string;
}

/** A time among a rejection's details, in words. */
const MOMENT = new Intl.DateTimeFormat('en-US', {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
  timeZoneName: 'short',
});
const moment = (at: unknown): string => MOMENT.format(new Date(String(at)));
/** An amount among a rejection's details, in words. */
const dollars = (amountMinor: unknown): string => dollarsFromMinor(Number(amountMinor));

/**
 * Each reason, with what the person is told. `details` stay in the log line, but for amounts that a sentence
 * names.
 */
export const REJECTIONS = {
  RecipientLeaves: {
    status: 409,
    message: 'They are closing their account, and nobody can pay them any more. Nothing was paid.',
  },
  RecipientNotFound: { status: 404, message: 'Recipient user not found' },
  PayerNotFound: { status: 404, message: 'User not found' },
  /** Made into the 403 that asks for a proof by whoever knows the call. */
  ProofNeeded: { status: 403, message: 'Please confirm this first.' },
  HandleTaken: {
    status: 409,
    message: 'Somebody else has this handle, or one that looks like it. Please choose another one.',
  },
  NameLooksTaken: {
    status: 409,
    message:
      'This stage name is written in letters that look like those of a performer who is here already. Please choose another one.',
  },
  NameLooksOurs: {
    status: 409,
    message: 'This stage name could be taken for one of ours. Please choose another one.',
  },
  TooManyHandles: {
    status: 422,
    message: ({ most }: Details) =>
      `You have claimed ${String(most)} handles. They stay yours: choose one of them.`,
  },
  AlreadyThanked: { status: 409, message: 'You have thanked for this payment already.' },
  ReceiptClaimed: { status: 409, message: 'This receipt is in another account already.' },
  NoHandle: { status: 409, message: 'Choose a handle first: the page stands under it.' },
  SamePerson: { status: 422, message: 'You cannot pay yourself. Choose somebody else as the recipient.' },
  InsufficientFunds: {
    status: 422,
    message: ({ available, asked, wallet }: Details) =>
      `${wallet === undefined ? 'Your available balance is' : 'This wallet holds'} ${dollars(available)}, which does not cover ${dollars(asked)}.`,
  },
  MethodInactive: {
    status: 422,
    message: 'This payment method is not available for this payment right now. Please choose another one.',
  },
  PaymentNotFound: { status: 404, message: 'Payment not found' },
  /** With a code: a server that does not know the call answers 404, too. */
  PaymentOfIntentNotFound: { status: 404, message: 'Payment not found', code: 'payment_not_found' },
  PaymentAlreadySettled: { status: 409, message: 'This payment has already been paid.' },
  PaymentCanceled: { status: 409, message: 'This payment was canceled. Start a new one.' },
  PaymentNotSettled: { status: 409, message: 'This payment has not been paid.' },
  RefundNotFound: { status: 404, message: 'There is no such refund.' },
  RefundExceedsPayment: {
    status: 422,
    message: 'A refund cannot be larger than what is left of the payment.',
  },
  UnappliedNotFound: { status: 404, message: 'There is no such unapplied charge.' },
  SubscriptionNotFound: { status: 404, message: 'Subscription not found' },
  SubscriptionCanceled: { status: 409, message: 'This subscription is cancelled. Start a new one.' },
  ScheduledPaymentNotFound: { status: 404, message: 'Scheduled payment not found' },
  ScheduledPaymentCompleted: {
    status: 409,
    message: 'This payment has already been made and cannot be cancelled.',
  },
  ScheduledPaymentFailed: { status: 409, message: 'This payment has failed and will not be tried again.' },
  ScheduledPaymentEnded: {
    status: 409,
    message: 'This payment was cancelled or has been made. Schedule a new one.',
  },
  NothingToPayNow: {
    status: 409,
    message: 'There is no failed payment to pay now: it has been paid, or the next one is due already.',
  },
  TriedTooOften: {
    status: 422,
    message: ({ most }: Details) =>
      `This payment was tried ${String(most)} times. It is not tried again: pay it as a new payment.`,
  },
  CardRequired: {
    status: 422,
    message:
      'Your available balance does not cover this payment. Add a card, and it is charged when the payment is due.',
    code: 'card_required',
  },
  CardNotFound: { status: 404, message: 'Saved card not found' },
  DueInThePast: { status: 422, message: 'The date of a scheduled payment must be in the future.' },
  RefundNotHeld: { status: 422, message: 'More would go back than is held of this charge.' },
  ChargeNotFound: { status: 404, message: 'There is no such charge.' },
  DisputeNotFound: { status: 404, message: 'There is no such dispute.' },
  WalletNotFound: { status: 404, message: 'Wallet not found' },
  TooManyWallets: {
    status: 422,
    message: ({ most }: Details) =>
      `You can have ${String(most)} wallets at most. Close one that you no longer use first.`,
  },
  TooManyNewWallets: {
    status: 429,
    message: ({ most, wait }: Details) =>
      `You can open ${String(most)} wallets in a day. Please open the next one in ${String(wait)}.`,
  },
  TooManySubscriptions: {
    status: 422,
    message: ({ most }: Details) => `You can have ${String(most)} subscriptions at most. Cancel one first.`,
  },
  TooManyScheduledPayments: {
    status: 422,
    message: ({ most }: Details) =>
      `You can have ${String(most)} payments scheduled at most. Cancel one, or wait until one is made.`,
  },
  ScheduledTooMuch: {
    status: 422,
    message: ({ mostMinor, aheadMinor }: Details) =>
      `You can schedule ${dollars(mostMinor)} ahead at most, and ${dollars(aheadMinor)} is scheduled already. Choose a smaller amount, or cancel a payment first.`,
  },
  TooManyUnpaidPayments: {
    status: 429,
    message: ({ most, wait }: Details) =>
      `You have started ${String(most)} payments within an hour and not paid them. Please start the next one in ${String(wait)}.`,
  },
  PayoutNotFound: { status: 404, message: 'Payout not found' },
  PayoutNotTransferred: { status: 409, message: 'This payout has not reached the connected account.' },
  PayoutNotSubmitted: { status: 409, message: 'This payout has not been sent to the bank.' },
  PayoutNotReversed: { status: 409, message: 'The money of this payout has not come back yet.' },
  PayoutEnded: { status: 409, message: 'This payout has ended.' },
  OtherProviderId: { status: 409, message: 'Another id of the provider is recorded for this step.' },
  NoFunding: { status: 422, message: 'The available balance does not cover this.' },
  OccurrenceUnderWay: { status: 409, message: 'An earlier attempt at this payment has not ended yet.' },
  AttemptSuperseded: { status: 409, message: 'A later attempt at this payment was made already.' },
  OtherProviderAccount: {
    status: 409,
    message: 'This ledger was founded over another account of the card provider.',
  },
  MonthNotOver: {
    status: 409,
    message: ({ month, end }: Details) =>
      `${monthInWords(String(month))} ends at ${moment(end)}. Close it after that.`,
  },
  MonthClosedAlready: {
    status: 409,
    message: ({ month }: Details) =>
      `${monthInWords(String(month))} is closed already. What comes later is booked in the month in which it comes.`,
  },
  MonthOutOfOrder: {
    status: 409,
    message: ({ month, next }: Details) =>
      `Months are closed in order: close ${monthInWords(String(next))} before ${monthInWords(String(month))}.`,
  },
  MonthWithoutEntries: {
    status: 422,
    message: ({ month }: Details) =>
      `The books have no entry of ${monthInWords(String(month))} or before it: there is nothing to close.`,
  },
  /** The figures were read while another ledger still wrote into the month: they are read again. */
  MonthStillWritten: {
    status: 503,
    message: 'The month was still being written to while its figures were read. Please try again.',
  },
  RefundNotOurs: {
    status: 409,
    message: 'The journal never recorded the object of this charge, so it is not given back by itself.',
  },
  BalanceTransactionNotFound: {
    status: 404,
    message: 'The balance at the card provider has no such balance transaction.',
  },
  NotPlatformMoney: {
    status: 409,
    message: 'This balance transaction belongs to a payment or a payout of the ledger, or moved nothing.',
  },
  OtherCurrency: { status: 422, message: 'This is in another currency than the payment.' },
  DoesNotApply: {
    status: 422,
    message: 'The ledger cannot book this. Nothing has changed, and whoever runs it has been told.',
  },
  KeyReused: {
    status: 422,
    message: 'This request was already made with other details. Start again to make a new one.',
  },
  KeyFromTheFuture: {
    status: 400,
    // Which of the two is wrong cannot be known here.
    message:
      'The clock of this device is more than five minutes ahead of the server’s. Check it; if it is right, the server’s is wrong: tell whoever runs it.',
  },
  BankAccountNotFound: { status: 404, message: 'Bank account not found' },
  BankAccountNeeded: { status: 422, message: 'Add a bank account first.' },
  BankAccountNotReady: {
    status: 409,
    message: 'This bank account is still being added. Please try again in a moment.',
  },
  BankAccountRefused: {
    status: 422,
    message: 'This bank account was not accepted. Please check its numbers and add it again.',
  },
  BankAccountTwice: { status: 422, message: 'You have already added this bank account.' },
  TooManyBankAccounts: {
    status: 422,
    message: 'You can keep 10 bank accounts at most. Remove one that you no longer use first.',
  },
  PasskeyNotFound: { status: 404, message: 'There is no such passkey.' },
  TooManyPasskeys: { status: 422, message: 'You have at most 10 passkeys. Remove one first.' },
  MoneyLeft: {
    status: 409,
    message: ({ left }: Details) =>
      `${dollars(left)} of theirs is left in the balance, in wallets or on its way to a bank. Pay it out first, and wait until it has arrived.`,
  },
  DebtCovered: {
    status: 409,
    message: ({ left }: Details) =>
      `${dollars(left)} of theirs is in wallets or on its way to a bank: that may pay the debt. Ask them to move it to their balance, or wait until it has arrived.`,
  },
  NothingOwed: { status: 409, message: 'This user owes nothing: nothing was written off.' },
  DebtDisputed: {
    status: 409,
    message: ({ taken }: Details) =>
      `Banks still look into payments to this user, and may give ${dollars(taken)} back to them. Write the debt off once they have decided.`,
  },
  YourMoneyLeft: {
    status: 409,
    message: ({ left }: Details) =>
      `${dollars(left)} of yours is left in your balance, in wallets or on its way to a bank. Pay it out first, and wait until it has arrived.`,
  },
  DebitsSuspended: {
    status: 409,
    message:
      'Part of what happened on this account was lost in an outage and is being looked into. You can be paid, and you can use your balance again once that is done.',
  },
  NothingToRecover: {
    status: 409,
    message: 'No passkey is asked for on this account, so there is nothing to recover: signing in is enough.',
  },
  NoRecovery: { status: 409, message: 'No recovery of this account is under way.' },
  RecoveryRefusedLately: {
    status: 409,
    message: ({ againFrom }: Details) =>
      `A recovery of this account was refused a short time ago. You can begin another one from ${moment(againFrom)} on, or ask whoever runs this service.`,
  },
  RecoveryTooEarly: {
    status: 409,
    message: ({ until }: Details) =>
      `The recovery of this account can be completed from ${moment(until)} on. Nothing makes that earlier.`,
  },
  RecoverySignInNeeded: {
    status: 403,
    message: 'Sign in once more to go on with the recovery of this account.',
    code: 'sign_in_required',
  },
  RecoveryUnderWay: {
    status: 409,
    message: ({ until }: Details) =>
      `A recovery of this account is under way, and until it has ended no money is moved and nothing is changed that guards it. It can be completed from ${moment(until)} on, or refused with a passkey or the link in the mail.`,
    code: 'recovery_under_way',
  },
  ForgettingNotRequested: { status: 409, message: 'Nobody has asked for this account to be forgotten.' },
  ForgettingUnderWay: {
    status: 409,
    message: 'The wait is over and this account is being forgotten: that cannot be stopped any more.',
  },
  ForgettingTooEarly: {
    status: 409,
    message: ({ until }: Details) => `This account is forgotten from ${moment(until)} on, not before.`,
  },
  AccountOpen: { status: 409, message: 'This account is not closed.' },
  UnclaimedPaidAlready: {
    status: 409,
    message: ({ reference }: Details) =>
      `This money is booked as paid already, under another reference: ${String(reference)}. Nothing was booked now. If it was sent a second time, get that back.`,
  },
  UnclaimedPaidOtherwise: {
    status: 409,
    message: ({ paid, asked }: Details) =>
      `This money is booked as paid already, by this reference: ${dollars(paid)} of it, and not ${dollars(asked)}. Nothing was booked now.`,
  },
  UnclaimedAmountDiffers: {
    status: 409,
    message: ({ left, asked }: Details) => {
      if (Number(left) === 0)
        return 'Nothing is left of this money: what was taken from its owner later has used it up. Nothing was booked. If it was sent, get it back.';
      if (Number(left) < Number(asked))
        return `Only ${dollars(left)} is left of this money, not ${dollars(asked)}: the rest went for what was taken from its owner later. Nothing was booked. If more than that was sent, get the rest back.`;
      return `${dollars(left)} is left of this money, not ${dollars(asked)}, and it is paid whole. Nothing was booked.`;
    },
  },
  UnclaimedNotFound: { status: 404, message: 'There is no such unclaimed money.' },
  UserNotFound: { status: 404, message: 'User not found' },
  Forgotten: { status: 410, message: 'This account no longer exists.' },
} as const satisfies Record<string, Rejection>;

export type RejectionReason = keyof typeof REJECTIONS;

/** Our ids and the provider's: a short kind and many letters and digits. */
const OUR_ID = /^[a-z]{2,5}_[0-9A-Za-z]{14,80}$/;

export class Rejected extends Error {
  override readonly name = 'Rejected';
  readonly answer: CallerAnswer;
  constructor(
    readonly reason: RejectionReason,
    readonly details: Details = {},
  ) {
    const { status, message, code }: Rejection = REJECTIONS[reason];
    super(typeof message === 'string' ? message : message(details));
    const { retryAfterSeconds } = details;
    this.answer = {
      status,
      message: this.message,
      code,
      ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
    };
  }

  /** What stands in the place of an id may be what somebody typed: an address, a phone number, a name. */
  get logged() {
    const details = Object.entries(this.details).map(([name, value]) => [
      name,
      name.endsWith('Id') && !(typeof value === 'string' && OUR_ID.test(value)) ? 'no id' : value,
    ]);
    return { reason: this.reason, details: Object.fromEntries(details) as Details };
  }
}

/** Not a no: the ledger cannot say yet. The same request with the same key may be sent again. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';
  readonly answer: CallerAnswer = { status: 503, message: this.message };
}

/**
 * A stream holds an event that cannot be read, and nothing may be decided on it before an operator has taken
 * that event out. The message is for people; the log line names the event.
 */
export class StreamParked extends Error {
  override readonly name = 'StreamParked';
  readonly answer: CallerAnswer;
  constructor(
    readonly stream: string,
    readonly revision: number,
    readonly why: string,
  ) {
    super(parkedSentence(stream));
    this.answer = { status: 409, message: this.message, code: STREAM_PARKED };
  }

  get logged() {
    return { stream: this.stream, revision: this.revision, why: this.why };
  }
}

const AWAY =
  'This could not be finished right now. Nothing is lost, and nothing is done twice: please try again in a moment.';
const RETRY_AFTER_SECONDS = 5;

/**
 * The event store is away, or too slow, and whoever asked has waited for it as long as anybody is let wait.
 * It says nothing of what was asked, nor whether it was written.
 */
export class StoreAway extends Unavailable {
  override readonly name: string = 'StoreAway';
  override readonly answer = {
    status: 503,
    message: this.message,
    code: OUTAGE_CODE,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  };
  constructor(options?: ErrorOptions, message = AWAY) {
    super(message, options);
  }
}

const CLOSED =
  'Payments and changes are closed for now, because records have to be put in order first. Nothing was done: please try again later.';

/**
 * Nothing may be appended: the log has lost something, or its events are hidden. `why` is for the log line.
 */
export class WritesClosed extends StoreAway {
  override readonly name = 'WritesClosed';
  constructor(why: string) {
    super({ cause: new Error(why) }, CLOSED);
  }
}

const OPEN =
  'It is not certain yet whether this was done. Please try again in a moment: it is done once, however often you ask.';

/**
 * What was asked is on its way to the event store, which has not said in time what became of it. Nobody may
 * be told that nothing was written.
 */
export class OutcomeOpen extends StoreAway {
  override readonly name = 'OutcomeOpen';
  constructor(options?: ErrorOptions) {
    super(options, OPEN);
  }
}
