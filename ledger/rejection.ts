/** The domain's no: a rule refused a command, and nothing has changed. Anything else that is thrown is a bug or an outage. */

/** Each reason, with what the person is told. `details` stay in the log line. */
export const REJECTIONS = {
  RecipientNotFound: { status: 404, message: 'Recipient user not found' },
  PayerNotFound: { status: 404, message: 'User not found' },
  SamePerson: { status: 422, message: 'You cannot pay yourself. Choose somebody else as the recipient.' },
  InsufficientFunds: { status: 422, message: 'Your available balance does not cover this amount.' },
  PaymentNotFound: { status: 404, message: 'Payment not found' },
  PaymentAlreadySettled: { status: 409, message: 'This payment has already been paid.' },
  PaymentCanceled: { status: 409, message: 'This payment was canceled. Start a new one.' },
  PaymentNotSettled: { status: 409, message: 'This payment has not been paid.' },
  RefundNotFound: { status: 404, message: 'There is no such refund.' },
  RefundExceedsPayment: { status: 422, message: 'A refund cannot be larger than what is left of the payment.' },
  UnappliedNotFound: { status: 404, message: 'There is no such unapplied charge.' },
  SubscriptionNotFound: { status: 404, message: 'Subscription not found' },
  SubscriptionCanceled: { status: 409, message: 'This subscription is cancelled. Start a new one.' },
  ScheduledPaymentNotFound: { status: 404, message: 'Scheduled payment not found' },
  ScheduledPaymentCompleted: { status: 409, message: 'This payment has already been made and cannot be cancelled.' },
  ScheduledPaymentFailed: { status: 409, message: 'This payment has failed and will not be tried again.' },
  DueInThePast: { status: 422, message: 'The date of a scheduled payment must be in the future.' },
  KeyReused: { status: 422, message: 'This request was already made with other details. Start again to make a new one.' },
  KeyFromTheFuture: { status: 400, message: 'The Idempotency-Key lies in the future. Check the clock of this device.' },
  BankAccountNotFound: { status: 404, message: 'Bank account not found' },
  BankAccountNotReady: { status: 409, message: 'This bank account is still being added. Please try again in a moment.' },
  BankAccountRefused: { status: 422, message: 'This bank account was not accepted. Please check its numbers and add it again.' },
  BankAccountTwice: { status: 422, message: 'You have already added this bank account.' },
  TooManyBankAccounts: {
    status: 422,
    message: 'You can keep 10 bank accounts at most. Remove one that you no longer use first.',
  },
  Forgotten: { status: 410, message: 'This account no longer exists.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type RejectionReason = keyof typeof REJECTIONS;

export class Rejected extends Error {
  override readonly name = 'Rejected';
  readonly status: number;
  constructor(
    readonly reason: RejectionReason,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(REJECTIONS[reason].message);
    this.status = REJECTIONS[reason].status;
  }
}

/** Not a no: the ledger cannot say yet. The same request with the same key may be sent again. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}
