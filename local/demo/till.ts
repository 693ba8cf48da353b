/**
 * The card provider's stand-in as the demo meets it: payers' browsers with the publishable key, its back
 * office with the secret one, and the control that dates charges back.
 */
import { DemoStuck } from './visitor.js';

export interface TillSettings {
  readonly apiUrl: string;
  readonly secretKey: string;
  readonly publishableKey: string;
  /** Where a payer comes back to. */
  readonly returnUrl: string;
  readonly signal: AbortSignal;
}

export const GOOD_CARD = '4242424242424242';
export const DECLINED_CARD = '4000000000000002';

/** The test number of a bank account of which the bank says, when it is paid to, that it has been closed. */
export const CLOSED_ACCOUNT = '000111111113';

interface Intent {
  readonly status: string;
  readonly latest_charge?: string | null;
  readonly last_payment_error?: object | null;
  readonly next_action?: {
    cashapp_handle_redirect_or_display_qr_code?: { hosted_instructions_url?: string };
  } | null;
}

type Fields = Readonly<Record<string, string>>;

export class Till {
  constructor(private readonly settings: TillSettings) {}

  /** Pays, or tries to, unless this payment was tried before. `at`: the second that its charge names. */
  async pay(clientSecret: string, how: { card: string } | 'cashapp', at: Date): Promise<void> {
    const id = intentOf(clientSecret);
    const before = await this.#browser('GET', `/v1/payment_intents/${id}?client_secret=${clientSecret}`);
    if (before.status === 'succeeded' || before.last_payment_error) return;
    await this.#send('POST', `/test/payment_intents/${id}/charged_at`, {
      key: this.settings.secretKey,
      json: { at: Math.floor(at.getTime() / 1000) },
    });
    const details: Fields =
      how === 'cashapp' ? { 'payment_method_data[type]': 'cashapp' } : cardFields(how.card);
    const { returnUrl } = this.settings;
    const asked = await this.#browser('POST', `/v1/payment_intents/${id}/confirm`, {
      ...details,
      client_secret: clientSecret,
      return_url: returnUrl,
    });
    const page = asked.next_action?.cashapp_handle_redirect_or_display_qr_code?.hosted_instructions_url;
    // In Cash App the payer agrees on a page of its own.
    if (page !== undefined)
      await this.#send('POST', `${new URL(page).pathname}/answer`, {
        form: { client_secret: clientSecret, outcome: 'succeed' },
        taken: [303],
      });
  }

  /** Saves a card for payments to come, unless this setup has one. */
  async saveCard(clientSecret: string, card: string): Promise<void> {
    const id = intentOf(clientSecret);
    const before = await this.#browser('GET', `/v1/setup_intents/${id}?client_secret=${clientSecret}`);
    if (before.status === 'succeeded') return;
    await this.#browser('POST', `/v1/setup_intents/${id}/confirm`, {
      ...cardFields(card),
      client_secret: clientSecret,
      return_url: this.settings.returnUrl,
    });
  }

  /** Completes the identity questions on the provider's onboarding page. */
  async accept(onboardingUrl: string): Promise<void> {
    await this.#send('POST', new URL(onboardingUrl).pathname, { form: { outcome: 'succeed' }, taken: [303] });
  }

  /** Brings money of the platform's own to its balance, once: it can be used at once. */
  async topUp(amountMinor: number, key: string): Promise<void> {
    await this.#send('POST', '/v1/topups', {
      key: this.settings.secretKey,
      form: { amount: String(amountMinor), currency: 'usd', description: 'For the provider’s fees' },
      idempotencyKey: key,
    });
  }

  /** Gives part of a payment back, once. */
  async refund(clientSecret: string, amountMinor: number): Promise<void> {
    const id = intentOf(clientSecret);
    await this.#send('POST', '/v1/refunds', {
      key: this.settings.secretKey,
      form: { payment_intent: id, amount: String(amountMinor), reason: 'requested_by_customer' },
      idempotencyKey: `demo-refund-${id}`,
    });
  }

  async #browser(method: 'GET' | 'POST', path: string, form?: Fields): Promise<Intent> {
    // 402: the card was declined, which is what was wanted of it.
    const text = await this.#send(method, path, {
      key: this.settings.publishableKey,
      form,
      taken: [200, 402],
    });
    return JSON.parse(text) as Intent;
  }

  async #send(
    method: string,
    path: string,
    how: { key?: string; form?: Fields; json?: object; idempotencyKey?: string; taken?: readonly number[] },
  ): Promise<string> {
    const { key, form, json, idempotencyKey, taken = [200] } = how;
    const answer = await fetch(new URL(path, this.settings.apiUrl), {
      method,
      redirect: 'manual',
      signal: this.settings.signal,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
    });
    const text = await answer.text();
    if (!taken.includes(answer.status))
      throw new DemoStuck(
        `${method} ${path.split('?')[0]} at the card provider was answered ${answer.status}: ${text}`,
      );
    return text;
  }
}

const cardFields = (number: string): Fields => ({
  'payment_method_data[type]': 'card',
  'payment_method_data[card][number]': number,
  'payment_method_data[card][exp_month]': '12',
  'payment_method_data[card][exp_year]': '2040',
  'payment_method_data[card][cvc]': '123',
});
const intentOf = (clientSecret: string): string => clientSecret.split('_secret_')[0] ?? '';
