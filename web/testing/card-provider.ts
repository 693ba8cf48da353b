/**
 * The card provider for component tests: `window.Stripe` with fields that are ready at once. What it answers
 * is set per test.
 *
 *     provider.confirmPayment = async () => ({ error: { type: 'card_error', message: 'Your card was declined.' } });
 */
import { jest } from '@jest/globals';

type Answer = Record<string, unknown>;

interface FakeProvider {
  confirmPayment: (given: Answer) => Promise<Answer>;
  confirmSetup: (given: Answer) => Promise<Answer>;
  /** What the payer's bank asks for. */
  handleNextAction: (given: Answer) => Promise<Answer>;
  retrievePaymentIntent: (clientSecret: string) => Promise<Answer>;
  retrieveSetupIntent: (clientSecret: string) => Promise<Answer>;
  /** What the fields were made with, in their order. */
  readonly elements: Answer[];
  /** Whether its fields ever load: a blocker may keep their frame away. */
  hasFields: boolean;
}

export const CONFIGURATION = {
  stripePublishableKey: 'pk_test_fields',
  stripeScriptUrl: 'http://localhost:12111/v3/',
};

const intent = (status: string): Answer => ({
  paymentIntent: { id: 'pi_1', client_secret: 'pi_1_secret_x', status, amount: 2000 },
});
/** An intent in some state, as the provider answers it. */
export const intentThat = intent;
const setup = (status: string): Answer => ({ setupIntent: { id: 'seti_1', status } });
/** A setup in some state, as the provider answers it. */
export const setupThat = setup;
/** A question whose answer never came. */
export const lost = async (): Promise<Answer> =>
  Promise.resolve({ error: { type: 'api_connection_error', message: 'No connection.' } });

export const provider: FakeProvider = {
  confirmPayment: async () => Promise.resolve(intent('succeeded')),
  confirmSetup: async () => Promise.resolve(setup('succeeded')),
  handleNextAction: async () => Promise.resolve(intent('succeeded')),
  retrievePaymentIntent: async () => Promise.resolve(intent('requires_payment_method')),
  retrieveSetupIntent: async () => Promise.resolve(setup('requires_payment_method')),
  elements: [],
  hasFields: true,
};

/** Back to a payment that is still to be made, and will be. */
export function resetProvider(): void {
  provider.confirmPayment = jest.fn(async () => Promise.resolve(intent('succeeded')));
  provider.confirmSetup = jest.fn(async () => Promise.resolve(setup('succeeded')));
  provider.handleNextAction = jest.fn(async () => Promise.resolve(intent('succeeded')));
  provider.retrievePaymentIntent = jest.fn(async () => Promise.resolve(intent('requires_payment_method')));
  provider.retrieveSetupIntent = jest.fn(async () => Promise.resolve(setup('requires_payment_method')));
  provider.elements.length = 0;
  provider.hasFields = true;
}

class FakeElement {
  readonly #handlers = new Map<string, Set<(event: Answer) => void>>();
  mount(place: HTMLElement): void {
    if (!provider.hasFields) return;
    place.append('The card’s fields');
    queueMicrotask(() => this.#handlers.get('ready')?.forEach((hear) => hear({ elementType: 'payment' })));
  }
  on(name: string, handler: (event: Answer) => void): this {
    this.#handlers.set(name, (this.#handlers.get(name) ?? new Set()).add(handler));
    return this;
  }
  once = this.on;
  off(name: string, handler: (event: Answer) => void): this {
    this.#handlers.get(name)?.delete(handler);
    return this;
  }
  update(): void {}
  unmount(): void {}
  destroy(): void {}
}

function elements(options: Answer) {
  provider.elements.push(options);
  let element: FakeElement | null = null;
  return {
    create: () => (element = new FakeElement()),
    getElement: () => element,
    update: () => undefined,
    submit: async () => Promise.resolve({}),
    fetchUpdates: async () => Promise.resolve({}),
  };
}

const never = () => {
  throw new Error('The app does not call this.');
};

Object.assign(window, {
  Stripe: Object.assign(
    () => ({
      elements,
      createToken: never,
      createPaymentMethod: never,
      confirmCardPayment: never,
      handleNextAction: async (given: Answer) => provider.handleNextAction(given),
      registerAppInfo: () => undefined,
      _registerWrapper: () => undefined,
      confirmPayment: async (given: Answer) => provider.confirmPayment(given),
      confirmSetup: async (given: Answer) => provider.confirmSetup(given),
      retrievePaymentIntent: async (secret: string) => provider.retrievePaymentIntent(secret),
      retrieveSetupIntent: async (secret: string) => provider.retrieveSetupIntent(secret),
    }),
    { version: 'endive' },
  ),
});
