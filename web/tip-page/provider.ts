/** The card provider's script, loaded once, and its elements in the page's colours. */
import type { Appearance, Stripe, StripeElements } from '@stripe/stripe-js';
import type { Screen } from './screen.js';

export interface ProviderFacts {
  readonly stripeKey: string;
  readonly stripeScript: string;
}

const CURRENCY = 'usd';
const LOADING = 'One moment: what the payment needs is still being loaded.';
export const DARK = matchMedia('(prefers-color-scheme: dark)');

/** Loads the script once, or again after it failed, and tells `onEnd` how that ended. */
export class ProviderScript {
  #stripe: Promise<Stripe> | undefined;

  constructor(
    private readonly facts: ProviderFacts,
    private readonly screen: Screen,
    private readonly onEnd: (provider: Stripe | undefined) => void,
  ) {}

  /** The card provider's script. Where it did not arrive, the next press asks for it anew. */
  load(): Promise<Stripe> {
    this.#stripe ??= loadStripe(this.facts).then(
      (provider) => {
        this.onEnd(provider);
        return provider;
      },
      (failure: unknown) => {
        this.#stripe = undefined;
        this.onEnd(undefined);
        throw failure;
      },
    );
    return this.#stripe;
  }

  /** The same for a press, which waits for it in words. */
  async loadForPress(): Promise<Stripe> {
    this.screen.tell(LOADING);
    try {
      return await this.load();
    } finally {
      this.screen.tell('');
    }
  }
}

/**
 * What the provider draws for a card or a wallet. Without an amount it is drawn for any: one is told later.
 */
export const cardElements = (provider: Stripe, amount = 1000): StripeElements =>
  provider.elements({
    mode: 'payment',
    amount,
    currency: CURRENCY,
    appearance: appearance(),
    allowedPaymentMethodTypes: ['card'],
  });

/** The provider's fields in the page's colours. */
export function appearance(): Appearance {
  const isDark = DARK.matches;
  return {
    theme: isDark ? 'night' : 'stripe',
    variables: {
      colorPrimary: isDark ? '#FFBE3D' : '#7A1435',
      colorBackground: isDark ? '#1F1519' : '#FFFFFF',
      colorText: isDark ? '#F8F0F2' : '#1D1014',
      borderRadius: '12px',
      fontSizeBase: '16px',
    },
  };
}

function loadStripe({ stripeKey, stripeScript }: ProviderFacts): Promise<Stripe> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = stripeScript;
    script.addEventListener('load', () => {
      const { Stripe } = window;
      if (Stripe) resolve(Stripe(stripeKey));
      else reject(new Error('The card provider’s script did not load.'));
    });
    script.addEventListener('error', () => reject(new Error('The card provider cannot be reached.')));
    document.head.append(script);
  });
}
