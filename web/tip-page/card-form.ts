/** The form of a card, opened in the place of the other ways to pay. */
import type { StripeElements } from '@stripe/stripe-js';
import type { Fields } from './fields.js';
import type { GuestPayment } from './guest-payment.js';
import { found, show } from './page.js';
import { appearance, cardElements, DARK, type ProviderScript } from './provider.js';
import type { Screen } from './screen.js';
import type { Wallets } from './wallets.js';

const NO_FIELDS_YET = 'The card’s fields have not loaded yet. Wait a moment, or pay another way.';
const NO_FORM = 'The card form could not be opened. Try again.';

/** Opens, pays and closes the card form. */
export class CardForm {
  #group: StripeElements | undefined;
  /** Whether its fields are shown: before that a submit would wait for the provider forever. */
  #isReady = false;

  constructor(
    private readonly fields: Fields,
    private readonly payment: GuestPayment,
    private readonly screen: Screen,
    private readonly script: ProviderScript,
    private readonly wallets: Wallets,
  ) {
    DARK.addEventListener('change', () => void this.#group?.update({ appearance: appearance() }));
    found('card').addEventListener('click', () => {
      if (!screen.isPreview) void this.#open().catch(() => this.#isOpen && screen.fail(NO_FORM));
    });
    found('back').addEventListener('click', () => this.#close());
    found('pay-card').addEventListener('click', () => void screen.busy(() => this.#pay()));
  }

  charge(amount: number): void {
    void this.#group?.update({ amount });
  }

  get #isOpen(): boolean {
    return !found('card-form').hidden;
  }

  async #open(): Promise<void> {
    this.#show(true);
    // The button that had the focus is hidden now.
    found('card-form').focus();
    if (this.#group) return;
    const provider = await this.script.loadForPress();
    // Another press may have waited for the same script.
    if (this.#group) return;
    this.#group = cardElements(provider, this.fields.chosenMinor());
    const element = this.#group.create('payment', { wallets: { applePay: 'never', googlePay: 'never' } });
    element.on('ready', () => this.#setReady(true));
    element.on('loaderror', () => {
      element.destroy();
      this.#group = undefined;
      this.#setReady(false);
      // Whoever has gone back meanwhile is doing something else.
      if (!this.#isOpen) return;
      this.#close();
      this.screen.fail(NO_FORM);
    });
    element.mount('#card-fields');
  }

  /** Until they are there, their room is seen to be waiting. */
  #setReady(is: boolean): void {
    this.#isReady = is;
    found('card-form').setAttribute('aria-busy', String(!is));
  }

  #close(): void {
    this.#show(false);
    found('card').focus();
    this.screen.fail('');
  }

  async #pay(): Promise<string | undefined | void> {
    // The fields have not arrived: there is nothing to pay with yet.
    if (!this.#group) return this.#open();
    if (!this.#isReady) return NO_FIELDS_YET;
    const provider = await this.script.loadForPress();
    return this.payment.payByCard(provider, this.#group, 'Check the card’s details.');
  }

  #show(isOpen: boolean): void {
    show(found('card-form'), isOpen);
    show(found('methods'), !isOpen);
    this.wallets.cover(isOpen);
  }
}
