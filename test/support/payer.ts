/**
 * What happens at the card provider: a payer's browser, by the provider's SDK and a publishable key; the
 * provider as the dashboard sees it, by the secret key; and accidents, by the stand-in's switches.
 */
import Stripe from 'stripe';
import { eventually } from '#test/conformance/stripe-process';
import type { TestStack } from './start-stack.js';

export const VISA = '4242424242424242';
export const MASTERCARD = '5555555555554444';
export const DECLINED = '4000000000000002';
export const INSUFFICIENT = '4000000000009995';
export const ASKS_THE_PAYER = '4000002760003184';
/** Its refunds fail some time after they were given. */
export const REFUND_FAILS = '4000000000005126';

export class CardProviderWorld {
  readonly #clients = new Map<string, Stripe>();

  /** The stack may start later than this is made. */
  constructor(private readonly stack: () => Pick<TestStack, 'env' | 'url'>) {}

  /** As the payer's browser: may see and confirm what it holds the secret of. */
  get browser(): Stripe {
    return this.#clientWith(this.#setting('STRIPE_PUBLISHABLE_KEY'));
  }
  get stripe(): Stripe {
    return this.#clientWith(this.#setting('STRIPE_SECRET_KEY'));
  }

  #setting(name: string): string {
    return this.stack().env[name] ?? '';
  }

  #clientWith(key: string): Stripe {
    const { hostname, port } = new URL(this.#setting('STRIPE_API_URL'));
    const at = { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false } as const;
    const client = this.#clients.get(key) ?? new Stripe(key, at);
    this.#clients.set(key, client);
    return client;
  }

  /** The payer enters a card and presses Pay. Throws the provider's decline. */
  async card(clientSecret: string, number = VISA): Promise<Stripe.PaymentIntent> {
    const card = { number, exp_month: 12, exp_year: 2040, cvc: '123' };
    const { id } = await this.browser.paymentMethods.create({ type: 'card', card });
    return this.#confirm(clientSecret, { payment_method: id });
  }

  /** The browser confirms a setup with a card; answers the saved card's id. Throws the provider's decline. */
  async saveCard(clientSecret: string, number = VISA): Promise<string> {
    const card = { number, exp_month: 12, exp_year: 2040, cvc: '123' };
    const { id } = await this.browser.paymentMethods.create({ type: 'card', card });
    // The SDK's types are a server's: only a browser shows the secret.
    const shown: Stripe.SetupIntentConfirmParams & { client_secret: string } = {
      client_secret: clientSecret,
      return_url: `${this.stack().url}/payment-success`,
      payment_method: id,
    };
    const setup = await this.browser.setupIntents.confirm(intentOf(clientSecret), shown);
    // The payer answers on the bank's page, where the bank wants that.
    if (setup.next_action)
      await this.control('POST', `/test/setup_intents/${setup.id}/action`, { outcome: 'succeed' });
    return id;
  }

  /** The payer chooses Cash App and is sent there. */
  cashApp(clientSecret: string): Promise<Stripe.PaymentIntent> {
    return this.#confirm(clientSecret, { payment_method_data: { type: 'cashapp' } });
  }

  #confirm(clientSecret: string, how: Stripe.PaymentIntentConfirmParams): Promise<Stripe.PaymentIntent> {
    // The SDK's types are a server's: only a browser shows the secret.
    const shown: Stripe.PaymentIntentConfirmParams & { client_secret: string } = {
      client_secret: clientSecret,
      return_url: `${this.stack().url}/payment-success`,
      ...how,
    };
    return this.browser.paymentIntents.confirm(intentOf(clientSecret), shown);
  }

  /**
   * The payer answers on the bank's page or in Cash App; returns what the address they come back to says of
   * it.
   */
  async answer(
    { next_action: action }: Stripe.PaymentIntent,
    outcome: 'succeed' | 'fail',
  ): Promise<string | null> {
    const url =
      action?.redirect_to_url?.url ??
      action?.cashapp_handle_redirect_or_display_qr_code?.hosted_instructions_url ??
      undefined;
    if (url === undefined) throw new Error('There is no page to go to.');
    const page = await (await fetch(url)).text();
    const target = /action="([^"]+)"/.exec(page)?.[1] ?? '';
    const fields = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name, value]) => [name, value],
    );
    const answer = await fetch(new URL(target, url), {
      method: 'POST',
      body: new URLSearchParams([...(fields as [string, string][]), ['outcome', outcome]]),
      redirect: 'manual',
    });
    const back = new URL(answer.headers.get('location') ?? '', this.stack().url);
    if (back.origin !== this.stack().url || back.pathname !== '/payment-success')
      throw new Error(`Sent to ${back.href}`);
    return back.searchParams.get('redirect_status');
  }

  /** A `/test/…` endpoint of the stand-in. */
  async control(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<Record<string, unknown>> {
    const answer = await fetch(`${this.#setting('STRIPE_API_URL')}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#setting('STRIPE_SECRET_KEY')}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const found = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(found)}`);
    return found;
  }

  /** Waits until every webhook was taken: answered 2xx, so that its entries are in the log. */
  async delivered(): Promise<void> {
    await eventually(async () => {
      const { owed } = await this.control('GET', '/test/webhooks');
      if (owed === 0) return true;
      await this.control('POST', '/test/webhooks/send_now');
      return false;
    }, 'the webhooks to be delivered');
  }
}

/** The intent that a client secret opens. */
export const intentOf = (clientSecret: string): string => clientSecret.split('_secret_')[0]!;
