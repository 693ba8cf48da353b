/**
 * A person at a browser, over HTTP alone: cookies, redirects that are followed, the sign-up form, and the
 * calls that the pages make. Knows nothing of the app but what a browser meets.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { PASSWORD, type DemoPerson } from './people.js';

const MOST_REDIRECTS = 12;
const MOST_TRIES = 8;
const FIRST_BACK_OFF_MS = 200;
const LOOKS_EVERY_MS = 250;
const MOST_LOOKS = 240;

/** A step of the demo was answered otherwise than it must be; the message is one sentence. */
export class DemoStuck extends Error {
  override readonly name = 'DemoStuck';
}

interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

export class Visitor {
  /** Known once signed in. */
  id = '';
  /** By path and name: the app and the identity provider have cookies of one name. All are of one origin. */
  readonly #cookies = new Map<string, { readonly path: string; readonly pair: string }>();

  constructor(
    readonly url: string,
    readonly person: DemoPerson,
    readonly signal: AbortSignal,
  ) {}

  /** Signs up, or signs in where the account is there already: from an earlier start that was cut short. */
  async arrive(): Promise<void> {
    const { firstName, lastName, username, email } = this.person;
    const form = await this.#navigate('/api/login?returnTo=/');
    let page = await this.#navigate(`${form.url}/sign-up`, {
      firstName,
      lastName,
      username,
      email,
      password: PASSWORD,
    });
    if (page.status === 422) page = await this.#navigate(form.url, { email, password: PASSWORD });
    if (page.status !== 200 || page.url !== `${this.url}/`)
      throw new DemoStuck(`${email} could not sign in: it ended at ${page.url} with ${page.status}.`);
    const user: unknown = await this.call('GET', '/api/auth/user');
    if (typeof user !== 'object' || user === null || !('id' in user))
      throw new DemoStuck(`${email} is nobody when signed in.`);
    this.id = String(user.id);
  }

  /**
   * A call of the API; returns what it was answered. One that may be given again (a GET, a PUT, or under a
   * key) is tried again while the app is busy or starts anew.
   */
  async call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    key?: string,
  ): Promise<unknown> {
    const mayRepeat = method === 'GET' || method === 'PUT' || key !== undefined;
    for (let tries = 1; ; tries += 1) {
      const isLast = !mayRepeat || tries === MOST_TRIES;
      const answer = await this.#send(new URL(path, this.url).href, method, body && JSON.stringify(body), {
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(method === 'GET' ? {} : { origin: this.url }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      }).catch((failure: unknown) => {
        if (isLast || this.signal.aborted) throw failure;
        return undefined;
      });
      if (answer?.ok) return answer.status === 204 ? undefined : await answer.json();
      const text = await answer?.text();
      if (answer && (isLast || (answer.status < 500 && answer.status !== 429)))
        throw new DemoStuck(
          `${method} ${path} of ${this.person.email} was answered ${answer.status}: ${text}`,
        );
      await pause(FIRST_BACK_OFF_MS * 2 ** (tries - 1), undefined, { signal: this.signal });
    }
  }

  /**
   * Looks at a list until it has something: what the app does by itself, such as collecting a payment, takes
   * a moment.
   */
  async until<T>(path: string, what: string, isThere: (row: T) => boolean): Promise<void> {
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      if ((await this.list<T>(path)).some(isThere)) return;
      await pause(LOOKS_EVERY_MS, undefined, { signal: this.signal });
    }
    throw new DemoStuck(`${this.person.email} waited for ${what}, and ${path} never showed it.`);
  }

  /** A list of theirs. */
  async list<T>(path: string): Promise<readonly T[]> {
    return (await this.call('GET', path)) as readonly T[];
  }

  /** Opens a page, or posts a form, and follows where it leads. */
  async #navigate(to: string, form?: Record<string, string>): Promise<Page> {
    let at = new URL(to, this.url).href;
    let body = form && new URLSearchParams(form).toString();
    for (let hops = 0; hops < MOST_REDIRECTS; hops += 1) {
      const answer = await this.#send(at, body === undefined ? 'GET' : 'POST', body, {
        accept: 'text/html',
        ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      });
      const text = await answer.text();
      const location = answer.headers.get('location');
      if (location === null) return { url: at, status: answer.status, text };
      at = new URL(location, at).href;
      body = undefined;
    }
    throw new DemoStuck(`Signing in goes in circles at ${at}.`);
  }

  async #send(
    url: string,
    method: string,
    body: string | undefined,
    headers: Record<string, string>,
  ): Promise<Response> {
    const { pathname } = new URL(url);
    const sent = [...this.#cookies.values()].filter(({ path }) => pathname.startsWith(path));
    const cookie = sent.map(({ pair }) => pair).join('; ');
    const answer = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(cookie === '' ? {} : { cookie }) },
      signal: this.signal,
      ...(body === undefined ? {} : { body }),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const path = /;\s*path=([^;]+)/i.exec(set)?.[1] ?? '/';
      const isOver = /;\s*(max-age=0(;|$)|expires=Thu, 01 Jan 1970)/i.test(set);
      const key = `${path} ${pair.split('=')[0]}`;
      if (isOver) this.#cookies.delete(key);
      else this.#cookies.set(key, { path, pair });
    }
    return answer;
  }
}
