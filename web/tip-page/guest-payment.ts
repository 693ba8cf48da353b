/** A payment as a guest: opened at the ledger, confirmed at the card provider, followed to its receipt. */
import type { Stripe, StripeElements } from '@stripe/stripe-js';
import { EARLIER_STANDS } from '#contracts/plain/earlier-payment';
import { IDEMPOTENCY_KEY_HEADER } from '#contracts/plain/headers';
import type { Attempt, Attempts } from './attempts.js';
import { keepForm } from './draft.js';
import type { Fields, Tip } from './fields.js';
import { isPaid, LOST, post, reasonOf, type Answer, type Refused } from './page.js';

const PAGE_IS_GONE = 'This tip page is not open any more. Your receipt says what was paid.';
const NOT_COMPLETE = 'The payment is not complete. Try again, or pay another way.';

/** A payment that the ledger has opened, and the secret by which the card provider confirms it. */
interface OpenedPayment {
  readonly attempt: Attempt;
  readonly clientSecret: string;
}

/** What the card provider says of a confirmation. */
interface Confirmation {
  readonly paymentIntent?: { readonly status: string } | undefined;
  readonly error?: Refused | undefined;
}

/** What pays leaves the page for the receipt, or answers why it does not. */
export class GuestPayment {
  constructor(
    private readonly handle: string,
    private readonly fields: Fields,
    private readonly attempts: Attempts,
  ) {}

  /** Pays by a card or a wallet, as it stands in the provider's fields or in its sheet. */
  async payByCard(
    provider: Stripe,
    elements: StripeElements,
    incomplete: string,
  ): Promise<string | undefined> {
    // What was pressed is what is paid, whatever is chosen while the provider looks at the card.
    const tip = this.fields.tip();
    if (tip === undefined) return '';
    const submitted = await elements.submit();
    if (submitted.error) return submitted.error.message ?? incomplete;
    const opened = await this.#open('card', tip);
    if (typeof opened === 'string') return opened;
    const confirmation = await provider.confirmPayment({
      elements,
      clientSecret: opened.clientSecret,
      confirmParams: { return_url: this.#returnUrlOf(opened) },
      redirect: 'if_required',
    });
    this.attempts.answered();
    const { error } = confirmation;
    if (error?.type === 'card_error')
      return `${error.message ?? 'The card was declined.'} You were not charged.`;
    return this.#finish(opened.attempt, confirmation, 'The payment did not go through. Try another card.');
  }

  async payByCashApp(load: () => Promise<Stripe>): Promise<string | undefined> {
    const tip = this.fields.tip();
    if (tip === undefined) return '';
    const provider = await load();
    const opened = await this.#open('cashapp', tip);
    if (typeof opened === 'string') return opened;
    const confirmation = await provider.confirmCashappPayment(opened.clientSecret, {
      payment_method: {},
      return_url: this.#returnUrlOf(opened),
    });
    // Its code on a desktop can be closed, which is no error.
    const otherwise = 'Cash App could not be opened. Try again, or pay another way.';
    return this.#finish(opened.attempt, confirmation, otherwise);
  }

  /** Ends what was left open as a guest before an account pays. Answers why it stands, if it does. */
  async endEarlier(body: string): Promise<string | undefined> {
    const attempt = this.attempts.for(body);
    const { insteadOf: keys, isAlone } = attempt;
    if (isAlone || keys.length === 0) return undefined;
    const answer = await post(`${this.#receiptOf(attempt)}/end`, { keys });
    if (!answer?.ok) return this.#refused(attempt, answer);
    this.attempts.othersEnded(attempt);
    return undefined;
  }

  /** Opens the payment. Answers why it is not opened; '' where the visitor knows. */
  async #open(method: string, { amount, note, name }: Tip): Promise<OpenedPayment | string> {
    const { attempts } = this;
    // It is compared with what is kept, so the order of its fields stays.
    const body = JSON.stringify({ amount, method, note, name });
    if (!attempts.mayPay(body, false)) return '';
    // Whoever goes back from Cash App's page finds what they wrote.
    keepForm(this.handle, this.fields.draft());
    const attempt = attempts.for(body);
    const answer = await post(
      `/@${this.handle}/payments`,
      { ...JSON.parse(body), token: attempt.token, insteadOf: attempt.insteadOf },
      { [IDEMPOTENCY_KEY_HEADER]: attempt.key },
    );
    if (answer?.ok) {
      attempts.othersEnded(attempt);
      return { attempt, clientSecret: String(answer.body.clientSecret) };
    }
    // The key is spent: the next press is a new payment, and one of a new guest where this one was forgotten.
    if (answer?.status === 409 || answer?.status === 422) attempts.spend(attempt);
    else if (answer?.status === 410) attempts.forget();
    return this.#refused(attempt, answer);
  }

  /**
   * What to say of a refusal. Where an earlier payment stands, or may stand, its receipt is what there is to
   * see.
   */
  #refused(attempt: Attempt, answer: Answer | undefined): string {
    // A page that was taken back says that nothing was paid, and knows of this press alone.
    const mayBePaid = answer?.status === 404 && (attempt.isAlone || attempt.insteadOf.length > 0);
    if (!mayBePaid && answer?.body.code !== EARLIER_STANDS) return answer?.message ?? LOST;
    this.#leaveFor(this.#receiptOf(attempt));
    return mayBePaid ? PAGE_IS_GONE : answer.message;
  }

  /**
   * Leaves for the receipt of what is paid or on its way, also by a press whose answer was lost; answers why
   * it is neither.
   */
  #finish(attempt: Attempt, { paymentIntent, error }: Confirmation, otherwise: string): string | undefined {
    if (isPaid(paymentIntent ?? error?.payment_intent)) {
      // As the card provider says it where it leads back itself.
      this.#leaveFor(`${this.#receiptOf(attempt)}?redirect_status=succeeded`);
      return undefined;
    }
    const refused = error ? (reasonOf(error) ?? otherwise) : NOT_COMPLETE;
    if (refused === LOST) this.attempts.unanswered(attempt.body, false);
    else this.attempts.answered();
    return refused;
  }

  #receiptOf({ token }: Attempt): string {
    return `/@${this.handle}/paid/${token}`;
  }

  #returnUrlOf({ attempt }: OpenedPayment): string {
    return new URL(this.#receiptOf(attempt), location.href).href;
  }

  #leaveFor(receipt: string): void {
    this.attempts.leave();
    location.assign(receipt);
  }
}
