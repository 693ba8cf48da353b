/**
 * The wallets of this phone, as the card provider draws them; their place stays empty where there are none.
 */
import type {
  Stripe,
  StripeElements,
  StripeExpressCheckoutElement,
  StripeExpressCheckoutElementConfirmEvent,
} from '@stripe/stripe-js';
import type { Attempts } from './attempts.js';
import type { Fields } from './fields.js';
import type { GuestPayment } from './guest-payment.js';
import { found, LOST, show } from './page.js';
import { appearance, cardElements, DARK } from './provider.js';
import type { Screen } from './screen.js';

const UNDER_WAY = 'Another payment is under way. Wait for it, then press the button again.';
const OTHER_AMOUNT =
  'The amount was changed while the wallet was open. You were not charged: press its button again.';

/** The wallet buttons of the card provider. */
export class Wallets {
  #group: StripeElements | undefined;
  /**
   * What the wallet's sheet asks to pay while it is open. A desktop shows it in a window beside this page.
   */
  #sheetMinor: number | undefined;
  /** Undefined until the provider has said so: their room is kept. */
  #hasSome: boolean | undefined;
  /** The form of a card stands in their place. */
  #isCovered = false;

  constructor(
    private readonly fields: Fields,
    private readonly attempts: Attempts,
    private readonly payment: GuestPayment,
    private readonly screen: Screen,
  ) {}

  /** Draws their buttons, once the provider's script is there; without it there are none. */
  offer(provider: Stripe | undefined): void {
    if (provider === undefined) return this.#has(false);
    const group = cardElements(provider, this.fields.chosenMinor());
    this.#group = group;
    let drawn = this.#draw(provider, group);
    DARK.addEventListener('change', () => {
      void group.update({ appearance: appearance() });
      // The provider's button keeps its colour, so it is drawn anew; not under a phone's sheet that is open.
      if (this.screen.isBusy || this.#sheetMinor !== undefined) return;
      drawn.destroy();
      drawn = this.#draw(provider, group);
    });
  }

  charge(amount: number): void {
    void this.#group?.update({ amount });
  }

  cover(isCovered: boolean): void {
    this.#isCovered = isCovered;
    this.#show();
  }

  #has(some: boolean): void {
    this.#hasSome = some;
    this.#show();
  }

  #show(): void {
    show(found('wallets'), !this.#isCovered && this.#hasSome !== false);
  }

  #draw(provider: Stripe, group: StripeElements): StripeExpressCheckoutElement {
    const element = group.create('expressCheckout', { buttonHeight: 55, buttonTheme: buttonTheme() });
    element.on('ready', ({ availablePaymentMethods }) => this.#has(!!availablePaymentMethods));
    element.on('loaderror', () => this.#has(false));
    element.on('click', (event) => {
      // The provider's own button is not among those that are disabled meanwhile.
      const { isBusy, isPreview } = this.screen;
      const minor = isBusy || isPreview ? undefined : this.fields.chosenMinor(true);
      if (minor === undefined) event.reject?.();
      else {
        this.#sheetMinor = minor;
        event.resolve();
      }
    });
    element.on('cancel', () => {
      // A sheet may also be dismissed after it was confirmed: then a payment is under way, or nobody knows
      // what became of it.
      if (this.#sheetMinor !== undefined && !this.attempts.isOneUnanswered)
        this.screen.tell('Canceled. You were not charged.');
      this.#sheetMinor = undefined;
    });
    element.on('confirm', (event) => this.#confirmed(provider, group, event));
    element.mount('#wallets');
    return element;
  }

  /** Pays what the sheet showed. It waits for an answer, whatever became of that. */
  async #confirmed(
    provider: Stripe,
    group: StripeElements,
    event: StripeExpressCheckoutElementConfirmEvent,
  ): Promise<void> {
    const isOther = this.#sheetMinor !== this.fields.chosenMinor();
    this.#sheetMinor = undefined;
    const refused = this.screen.isBusy
      ? UNDER_WAY
      : isOther
        ? OTHER_AMOUNT
        : await this.screen.busy(() => this.payment.payByCard(provider, group, LOST));
    if (refused === undefined) return;
    event.paymentFailed({ reason: 'fail' });
    this.screen.fail(refused);
  }
}

/** Wallet buttons are black on light and white on dark. */
function buttonTheme(): { readonly applePay: 'black' | 'white'; readonly googlePay: 'black' | 'white' } {
  const theme = DARK.matches ? 'white' : 'black';
  return { applePay: theme, googlePay: theme };
}
