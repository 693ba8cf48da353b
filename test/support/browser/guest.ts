/**
 * Somebody at a browser: a window of their own on a phone or a desktop, in the light or the dark, and what
 * they do by the words that they read. What goes wrong unseen (an error in the console, a breach of the
 * content policy) fails the test.
 *
 *     const guests = useGuests(stack);
 *     const juno = await guests.open('Juno', { device: 'phone' });
 *     await juno.signUp();
 */
import { afterAll, afterEach, expect } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { openBrowser } from '#test/support/chromium';
import type { TestStack } from '#test/support/start-stack';
import { newUsername } from '#test/support/usernames';
import { FakeCamera } from './camera.js';
import { DEVICES, type Device } from './devices.js';
import { watchLayoutShift } from './layout.js';
import { watchMotion } from './motion.js';

export type Scheme = 'light' | 'dark';

const PASSWORD = 'correct horse battery';
const MOST_TABS = 120;
/** Long, because it is waited for only where something is amiss, and two cores carry three suites. */
const WITHIN_MS = 60_000;

interface GuestOptions extends BrowserContextOptions {
  readonly device?: Device;
  readonly scheme?: Scheme;
  /** A browser of another start: with a camera, say. */
  readonly browser?: Browser;
}

/** An account that is there already. */
export interface Account {
  readonly email: string;
  readonly password: string;
}

export class Guest {
  readonly username: string;
  readonly email: string;
  password = PASSWORD;
  readonly #faults: string[] = [];
  /** Requests that did not reach their end, and why. */
  readonly #lost: string[] = [];
  readonly #expected: RegExp[] = [];

  private constructor(
    readonly url: string,
    readonly firstName: string,
    readonly device: Device,
    readonly scheme: Scheme,
    readonly context: BrowserContext,
    readonly page: Page,
  ) {
    this.username = newUsername(firstName);
    this.email = `${this.username}@valastro.example`;
  }

  static async open(
    browser: Browser,
    url: string,
    firstName: string,
    options: GuestOptions = {},
  ): Promise<Guest> {
    const { device = 'phone', scheme = 'light', browser: _, ...more } = options;
    // No suite waits for a worker to be installed; the one that looks at it allows it.
    const serviceWorkers = 'block';
    const context = await browser.newContext({
      ...DEVICES[device],
      colorScheme: scheme,
      locale: 'en-US',
      serviceWorkers,
      // What moves is computed frame by frame where no graphics card does it: suites that are not about
      // motion do without.
      reducedMotion: 'reduce',
      ...more,
    });
    context.setDefaultTimeout(WITHIN_MS);
    const page = await context.newPage();
    const guest = new Guest(url, firstName, device, scheme, context, page);
    await watchLayoutShift(page);
    if (more.reducedMotion !== 'no-preference') await watchMotion(page);
    page.on('requestfailed', (request) =>
      guest.#lost.push(`${request.failure()?.errorText ?? 'lost'} ${request.url()}`),
    );
    // What a policy does not let a page do is told to its server too, by a request that the page does not
    // see.
    page.on('request', (request) => {
      if (request.url().endsWith('/api/policy-reports'))
        guest.#note(`Report: ${request.postData() ?? 'of what the policy does not allow'}`);
    });
    page.on('pageerror', (error) => guest.#note(`Uncaught: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if (message.type() !== 'error' && !/Content.Security.Policy|Permissions.Policy/i.test(message.text()))
        return;
      const { url: from } = message.location();
      // A refused call is an answer: 401 tells the app that nobody is signed in, 402 that a card was
      // declined.
      if (/^Failed to load resource.* status of 4\d\d/.test(message.text()) && /\/(api|v1)\//.test(from))
        return;
      // A change of the machine's own networks; the browser asks again, and what it could not get would be
      // missed on the page.
      if (/net::ERR_NETWORK_CHANGED/.test(message.text())) return;
      guest.#note(`Console: ${message.text()} (${from})`);
    });
    return guest;
  }

  /** What goes wrong on purpose in this guest's window, and is no fault. */
  expectFault(words: RegExp): void {
    this.#expected.push(words);
  }

  /**
   * What went wrong since the last look. A part of the app that could not be loaded is named with the
   * requests that were lost: the browser tells neither of one that it ended itself, nor which script of the
   * part it was.
   */
  takeFaults(): string[] {
    const lost = this.#lost.splice(0);
    return this.#faults
      .splice(0)
      .map((fault) =>
        fault.includes('dynamically imported module') ? [fault, ...lost].join('\n  ') : fault,
      );
  }

  async goto(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.url).href);
  }

  /** The path and query that this guest is at. */
  get at(): string {
    const { pathname, search } = new URL(this.page.url());
    return pathname + search;
  }

  /** Waits until the window is at a path of the app; its query may be anything. */
  async arriveAt(path: string): Promise<void> {
    await this.page.waitForURL((url) => url.origin === this.url && url.pathname === path);
  }

  /** Makes an account, from the landing page or from wherever the sign-in form has come up, and arrives. */
  async signUp(arrivesAt = '/'): Promise<void> {
    await this.#toSignIn();
    const { page } = this;
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('First name').fill(this.firstName);
    await page.getByLabel('Last name').fill('Valastro');
    await page.getByLabel('Username').fill(this.username);
    await page.getByLabel('Email').fill(this.email);
    await page.getByLabel('Password', { exact: true }).fill(this.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await this.arriveAt(arrivesAt);
  }

  /** Signs in with the account of this guest, or one that is given. */
  async signIn(arrivesAt = '/', { email, password }: Account = this): Promise<void> {
    await this.#toSignIn();
    const { page } = this;
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await this.arriveAt(arrivesAt);
  }

  /**
   * Makes an account and is signed in without the pages for it, then opens the app: for suites that are about
   * something else. Throws when the account was not made.
   */
  async join(arrivesAt = '/'): Promise<void> {
    const { firstName, username, email, password } = this;
    await this.#enter(arrivesAt, '/sign-up', { firstName, lastName: 'Valastro', username, email, password });
  }

  /** Signs in without the page for it, then opens the app. */
  async enter(arrivesAt: string, { email, password }: Account): Promise<void> {
    await this.#enter(arrivesAt, '', { email, password });
  }

  async #enter(arrivesAt: string, page: string, form: Record<string, string>): Promise<void> {
    const { request } = this.context;
    const login = new URL(`/api/login?returnTo=${encodeURIComponent(arrivesAt)}`, this.url).href;
    const shown = await request.get(login);
    const arrived = await request.post(`${shown.url()}${page}`, { form });
    if (new URL(arrived.url()).pathname !== new URL(arrivesAt, this.url).pathname)
      throw new Error(`${this.firstName} is at ${arrived.url()} instead of ${arrivesAt}.`);
    await this.goto(arrivesAt);
  }

  async #toSignIn(): Promise<void> {
    const isThere = (url: URL): boolean => url.pathname.startsWith('/identity/interaction/');
    if (isThere(new URL(this.page.url()))) return;
    if (this.at !== '/') await this.goto('/');
    await this.page.getByText('Get Started', { exact: true }).click();
    await this.page.waitForURL(isThere);
  }

  /** Waits for a toast; the sentence, where given, must be its own. */
  async toast(title: string, sentence?: string): Promise<void> {
    // Both at once: the page may be left a moment later.
    let region = this.page.getByRole('region', { name: 'Notifications' });
    for (const words of [title, ...(sentence === undefined ? [] : [sentence])])
      region = region.filter({ has: this.page.getByText(words, { exact: true }) });
    await this.#waitFor(region);
  }

  /** Presses something, as one does on this device: with a finger on a phone, where nothing hovers. */
  async press(target: Locator): Promise<void> {
    // The card provider's form is a frame of another origin: until a page that was scrolled is drawn, the
    // browser hands what is pressed to the frame that was there before.
    await target.scrollIntoViewIfNeeded();
    await this.page.evaluate(async () => {
      for (let frame = 0; frame < 3; frame += 1) await new Promise((drawn) => requestAnimationFrame(drawn));
    });
    await (this.device === 'phone' ? target.tap() : target.click());
  }

  /** Waits until these words can be read. */
  async sees(...words: (string | RegExp)[]): Promise<void> {
    for (const each of words)
      await this.#waitFor(this.page.getByText(each).filter({ visible: true }).first());
  }

  async heading(name: string | RegExp): Promise<void> {
    await this.#waitFor(this.page.getByRole('heading', { name }).filter({ visible: true }).first());
  }

  /** Presses Tab until the focus is there: it can be reached without a mouse. */
  async tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    for (let presses = 0; presses < MOST_TABS; presses += 1) {
      if (await target.evaluate((element) => element === document.activeElement && document.hasFocus()))
        return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`${String(target)} is not reached by ${MOST_TABS} presses of Tab.`);
  }

  /** What is there instead says more than that something is not. */
  async #waitFor(target: Locator): Promise<void> {
    try {
      await target.waitFor();
    } catch (error) {
      const text = await this.page
        .locator('body')
        .innerText({ timeout: 1000 })
        .catch(() => '(nothing)');
      throw new Error(
        `${String(error)}\n${this.firstName} is at ${this.page.url()} and reads there:\n${text}`,
        { cause: error },
      );
    }
  }

  #note(fault: string): void {
    if (!this.#expected.some((words) => words.test(fault)))
      this.#faults.push(`${this.firstName} at ${this.page.url()}: ${fault}`);
  }
}

export interface Guests {
  /** Lets somebody in, in the suite's browser or one of their own. */
  open(firstName: string, options?: GuestOptions): Promise<Guest>;
  /** A second browser, with a camera that the suite holds things before. */
  openWithCamera(firstName: string, options?: GuestOptions): Promise<{ guest: Guest; camera: FakeCamera }>;
}

/**
 * Guests for a suite. Their faults fail the test in which they are seen; their windows are closed at the end.
 */
export function useGuests(stack: () => Pick<TestStack, 'url'>): Guests {
  const browsers: Browser[] = [];
  const cameras: FakeCamera[] = [];
  const present: Guest[] = [];
  let common: Promise<Browser> | undefined;
  const browserWith = async (flags: readonly string[]): Promise<Browser> => {
    const browser = await openBrowser({ flags });
    browsers.push(browser);
    return browser;
  };
  afterEach(() => {
    const faults = present.flatMap((guest) => guest.takeFaults());
    expect(faults).toEqual([]);
  });
  afterAll(async () => {
    await Promise.all(browsers.map((browser) => browser.close()));
    for (const camera of cameras) camera.close();
  });
  const open = async (firstName: string, options: GuestOptions = {}): Promise<Guest> => {
    const browser = options.browser ?? (await (common ??= browserWith([])));
    const guest = await Guest.open(browser, stack().url, firstName, options);
    present.push(guest);
    return guest;
  };
  return {
    open,
    openWithCamera: async (firstName, options = {}) => {
      const camera = new FakeCamera();
      cameras.push(camera);
      const guest = await open(firstName, { ...options, browser: await browserWith(camera.flags) });
      return { guest, camera };
    },
  };
}
