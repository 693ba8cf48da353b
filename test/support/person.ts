/**
 * A person at a browser, without the browser: a cookie jar, redirects that are followed, and the calls that
 * the web makes.
 *
 *     const juno = await Person.signUp(stack().url, 'Juno');
 *     const { clientSecret } = await juno.pay(milo.id, '20.00');
 *     expect((await milo.me()).earnings).toBe('20.00');
 */
import { CookieJar } from 'tough-cookie';
import { z } from 'zod';
import { PaymentIntentAnswer, Transaction } from '#contracts/api/payments';
import { NEXT_CURSOR_HEADER } from '#contracts/plain/headers';
import { SettingsAnswer } from '#contracts/api/settings';
import { SavedCardAnswer, SetupIntentAnswer } from '#contracts/api/payment-methods';
import { ScheduledPaymentAnswer } from '#contracts/api/scheduled-payments';
import { SubscriptionAnswer } from '#contracts/api/subscriptions';
import { CurrentUser, FoundUser } from '#contracts/api/users';
import type { CardProviderWorld } from './payer.js';
import { newUsername } from './usernames.js';

const PASSWORD = 'correct horse battery';
const MOST_REDIRECTS = 12;

/** What a call was answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}
/** Where a navigation ended. */
export interface Page extends Answer {
  readonly url: string;
}

export const json = ({ text }: Answer): unknown => JSON.parse(text);

/** The sentence of a refused call, with its status. */
export function refusal(answer: Answer): [number, string] {
  return [answer.status, z.object({ message: z.string() }).parse(json(answer)).message];
}

/** The status of a refused call and its code, which programs read; undefined where it has none. */
export function refusalCode(answer: Answer): [number, string | undefined] {
  return [answer.status, z.object({ code: z.string().optional() }).parse(json(answer)).code];
}

export class Person {
  readonly jar = new CookieJar();
  /** What the browser says it is. */
  userAgent: string | undefined;
  /** Known from the first sign-in on. */
  id = '';
  /**
   * Confirms what a refused call asks a passkey for; answers the headers under which the call is then sent
   * again. Undefined for somebody who confirms nothing by themselves.
   */
  confirms: ((refused: Answer) => Promise<Record<string, string>>) | undefined;

  constructor(
    readonly url: string,
    readonly firstName: string,
    readonly username: string,
    readonly email: string,
  ) {}

  /** Somebody with a new account, signed in. */
  static async signUp(url: string, firstName: string, returnTo = '/'): Promise<Person> {
    const username = newUsername(firstName);
    const person = new Person(url, firstName, username, `${username}@valastro.example`);
    const form = await person.navigate(`/api/login?returnTo=${encodeURIComponent(returnTo)}`);
    if (!form.text.includes('name="password"'))
      throw new Error(`No sign-in form at ${form.url} (${form.status}): ${form.text}`);
    const fields = { firstName, lastName: 'Valastro', username, email: person.email, password: PASSWORD };
    await person.arrive(await person.navigate(`${form.url}/sign-up`, fields), returnTo);
    return person;
  }

  /** The same person at another browser, not signed in there yet. */
  elsewhere(userAgent: string): Person {
    const other = new Person(this.url, this.firstName, this.username, this.email);
    other.userAgent = userAgent;
    return other;
  }

  /** Signs in with the account that is there. */
  async signIn(returnTo = '/'): Promise<void> {
    const form = await this.navigate(`/api/login?returnTo=${encodeURIComponent(returnTo)}`);
    if (!form.text.includes('name="password"'))
      throw new Error(`No sign-in form at ${form.url}: ${form.text}`);
    await this.arrive(await this.navigate(form.url, { email: this.email, password: PASSWORD }), returnTo);
  }

  /** Goes to sign in and gives the password; answers where that ends, signed in or not. */
  async showPassword(): Promise<Page> {
    const form = await this.navigate('/api/login');
    return this.navigate(form.url, { email: this.email, password: PASSWORD });
  }

  /** Shows the identity provider again who they are, as before a guarded call. */
  async signInAgain(returnTo = '/'): Promise<void> {
    const form = await this.navigate(`/api/login?fresh=1&returnTo=${encodeURIComponent(returnTo)}`);
    if (!form.text.includes('name="password"'))
      throw new Error(`Not asked for the password again at ${form.url}: ${form.text}`);
    await this.arrive(await this.navigate(form.url, { email: this.email, password: PASSWORD }), returnTo);
  }

  async signOut(): Promise<Page> {
    return this.navigate('/api/logout');
  }

  /** Opens a page, or posts a form, and follows where it leads; no page's script runs. */
  async navigate(to: string, form?: Record<string, string>): Promise<Page> {
    let at = new URL(to, this.url).href;
    let body = form && new URLSearchParams(form).toString();
    for (let hops = 0; hops < MOST_REDIRECTS; hops += 1) {
      const answer = await this.#send(at, body === undefined ? 'GET' : 'POST', body, {
        accept: 'text/html',
        ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      });
      const location = answer.headers.get('location');
      if (location === null) return { ...answer, url: at };
      at = new URL(location, at).href;
      body = undefined;
    }
    throw new Error(`Redirected in circles at ${at}`);
  }

  /** One call of the API; nothing is thrown for a refusal. `body` is sent as JSON, a string as it is. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const send = (more: Record<string, string>): Promise<Answer> =>
      this.#send(new URL(path, this.url).href, method, text, {
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...(method === 'GET' ? {} : { origin: this.url }),
        ...headers,
        ...more,
      });
    const answer = await send({});
    const isAsked = answer.status === 403 && answer.text.includes('"passkey_required"');
    return isAsked && this.confirms ? send(await this.confirms(answer)) : answer;
  }

  get(path: string): Promise<Answer> {
    return this.call('GET', path);
  }
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('POST', path, body, headers);
  }
  put(path: string, body: unknown): Promise<Answer> {
    return this.call('PUT', path, body);
  }

  /** Opens a payment; throws unless it was. */
  async pay(
    toUserId: string,
    amount: string | number,
    more: object = {},
    key?: string,
  ): Promise<PaymentIntentAnswer> {
    const headers = key === undefined ? undefined : { 'idempotency-key': key };
    const answer = await this.post('/api/create-payment-intent', { toUserId, amount, ...more }, headers);
    return PaymentIntentAnswer.parse(taken(answer));
  }

  /** Saves a card, as the browser does it: the number goes to the provider. Answers its id. */
  async saveCard(provider: CardProviderWorld, number?: string): Promise<string> {
    const { clientSecret } = SetupIntentAnswer.parse(taken(await this.post('/api/setup-intent', {})));
    return provider.saveCard(clientSecret, number);
  }
  async cards(): Promise<SavedCardAnswer[]> {
    return z.array(SavedCardAnswer).parse(taken(await this.get('/api/payment-methods')));
  }
  async subscribe(
    toUserId: string,
    amount: string,
    frequency: string,
    more: object = {},
  ): Promise<SubscriptionAnswer> {
    return SubscriptionAnswer.parse(
      taken(await this.post('/api/subscriptions', { toUserId, amount, frequency, ...more })),
    );
  }
  async subscription(id: string): Promise<SubscriptionAnswer> {
    const all = z
      .array(SubscriptionAnswer.partial({ notice: true }))
      .parse(taken(await this.get('/api/subscriptions')));
    const found = all.find((one) => one.id === id);
    if (!found) throw new Error(`${this.firstName} has no subscription ${id}.`);
    return { notice: null, ...found };
  }
  async schedule(
    toUserId: string,
    amount: string,
    scheduledDate: Date,
    more: object = {},
  ): Promise<ScheduledPaymentAnswer> {
    const body = { toUserId, amount, scheduledDate: scheduledDate.toISOString(), ...more };
    return ScheduledPaymentAnswer.parse(taken(await this.post('/api/scheduled-payments', body)));
  }
  async scheduled(id: string): Promise<ScheduledPaymentAnswer> {
    const all = z
      .array(ScheduledPaymentAnswer.partial({ notice: true }))
      .parse(taken(await this.get('/api/scheduled-payments')));
    const found = all.find((one) => one.id === id);
    if (!found) throw new Error(`${this.firstName} has no scheduled payment ${id}.`);
    return { notice: null, ...found };
  }

  async me(): Promise<CurrentUser> {
    return CurrentUser.parse(taken(await this.get('/api/auth/user')));
  }
  /** All of the history, page by page. */
  async transactions(): Promise<Transaction[]> {
    const lines: Transaction[] = [];
    let path = '/api/transactions';
    for (;;) {
      const answer = await this.get(path);
      lines.push(...z.array(Transaction).parse(taken(answer)));
      const cursor = answer.headers.get(NEXT_CURSOR_HEADER);
      if (cursor === null) return lines;
      path = `/api/transactions?cursor=${encodeURIComponent(cursor)}`;
    }
  }
  async settings(): Promise<SettingsAnswer> {
    return SettingsAnswer.parse(taken(await this.get('/api/settings')));
  }
  async find(idOrEmail: string): Promise<FoundUser> {
    return FoundUser.parse(taken(await this.get(`/api/users/${encodeURIComponent(idOrEmail)}`)));
  }

  private async arrive(page: Page, returnTo: string): Promise<void> {
    if (page.url !== new URL(returnTo, this.url).href)
      throw new Error(`Signing in ended at ${page.url} (${page.status}): ${page.text}`);
    this.id = (await this.me()).id;
  }

  async #send(
    url: string,
    method: string,
    body: string | undefined,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const cookie = await this.jar.getCookieString(url);
    const answer = await fetch(url, {
      method,
      body,
      redirect: 'manual',
      headers: {
        ...headers,
        ...(cookie === '' ? {} : { cookie }),
        ...(this.userAgent === undefined ? {} : { 'user-agent': this.userAgent }),
      },
    });
    for (const set of answer.headers.getSetCookie()) await this.jar.setCookie(set, url);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
}

function taken(answer: Answer): unknown {
  if (answer.status !== 200) throw new Error(`Answered ${answer.status}: ${answer.text}`);
  return json(answer);
}
