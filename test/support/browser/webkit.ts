/**
 * The engine of Safari, which is every iPhone's, as Debian has it (`apt-get install webkit2gtk-driver xvfb`):
 * a window without a screen, driven by the WebDriver protocol (https://www.w3.org/TR/webdriver2/).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { freePort } from '#local/launch/free-port';
import { eventually } from '#test/conformance/stripe-process';

const DRIVER = '/usr/bin/WebKitWebDriver';
const SCREEN = '/usr/bin/Xvfb';
const BROWSER = [
  '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
  '/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
].find((path) => existsSync(path));

export const hasWebKit = BROWSER !== undefined && [DRIVER, SCREEN].every((path) => existsSync(path));

const Said = z.object({ value: z.unknown() });
const Refused = z.object({ error: z.string(), message: z.string() });
const Session = z.object({ sessionId: z.string() });
/** How WebDriver names an element: https://www.w3.org/TR/webdriver2/#elements */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const Element = z.object({ [ELEMENT]: z.string() });

const WITHIN_MS = 30_000;

export class WebKitWindow {
  private constructor(
    private readonly programs: readonly ChildProcess[],
    private readonly session: string,
  ) {}

  /** A window as wide as a phone's. */
  static async open(): Promise<WebKitWindow> {
    const screen = spawn(SCREEN, ['-displayfd', '1', '-screen', '0', '800x1000x24'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [display] = (await once(createInterface(screen.stdout!), 'line')) as [string];
    const port = await freePort(new Set());
    const driver = spawn(DRIVER, [`--port=${port}`], {
      stdio: 'ignore',
      env: { ...process.env, DISPLAY: `:${display}`, LIBGL_ALWAYS_SOFTWARE: '1' },
    });
    const url = `http://127.0.0.1:${port}/session`;
    const capabilities = {
      alwaysMatch: { 'webkitgtk:browserOptions': { binary: BROWSER, args: ['--automation'] } },
    };
    await eventually(
      () =>
        fetch(`http://127.0.0.1:${port}/status`).then(
          ({ ok }) => ok,
          () => false,
        ),
      'WebKitWebDriver to answer',
    );
    const { sessionId } = Session.parse(await call('POST', url, { capabilities }));
    const window = new WebKitWindow([driver, screen], `${url}/${sessionId}`);
    await window.#call('POST', '/window/rect', { width: 430, height: 900 });
    return window;
  }

  async close(): Promise<void> {
    await this.#call('DELETE', '').catch(() => undefined);
    for (const program of this.programs) program.kill();
  }

  async goto(url: string): Promise<void> {
    await this.#call('POST', '/url', { url });
  }

  /** A cookie of the site that is open. */
  async giveCookie(name: string, value: string): Promise<void> {
    await this.#call('POST', '/cookie', { cookie: { name, value, path: '/' } });
  }

  /** What a function of the page answers; it is sent as text, and knows its arguments alone. */
  run<A extends readonly unknown[], R>(work: (...args: A) => R, ...args: A): Promise<R> {
    return this.#call('POST', '/execute/sync', {
      script: `return (${work.toString()})(...arguments)`,
      args,
    }) as Promise<R>;
  }

  /** From now on `run` is within the frame that matches, or with null within the page. */
  async within(selector: string | null): Promise<void> {
    const id =
      selector === null
        ? null
        : Element.parse(await this.#call('POST', '/element', { using: 'css selector', value: selector }));
    await this.#call('POST', '/frame', { id });
  }

  text(): Promise<string> {
    return this.run(() => document.body.innerText);
  }

  /** Waits until the page says this. */
  async sees(words: string): Promise<void> {
    await eventually(async () => (await this.text()).includes(words), `“${words}”`);
  }

  /** Presses what is named so, once it is there. */
  async press(name: string): Promise<void> {
    await eventually(
      () =>
        this.run((wanted) => {
          const found = [...document.querySelectorAll<HTMLElement>('button, a, label')].find(
            (each) => each.innerText.trim() === wanted && each.clientWidth > 0,
          );
          found?.click();
          return found !== undefined;
        }, name),
      `“${name}” to press`,
    );
  }

  /** Writes into a field as a keyboard does: its page is told. */
  async fill(selector: string, text: string): Promise<void> {
    await eventually(
      () =>
        this.run(
          (wanted, value) => {
            const field = document.querySelector<HTMLInputElement>(wanted);
            if (field === null) return false;
            field.focus();
            Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(field, value);
            field.dispatchEvent(new Event('input', { bubbles: true }));
            field.dispatchEvent(new Event('change', { bubbles: true }));
            return true;
          },
          selector,
          text,
        ),
      `a field ${selector}`,
    );
  }

  #call(method: string, path: string, body?: unknown): Promise<unknown> {
    return call(method, `${this.session}${path}`, body);
  }
}

async function call(method: string, url: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    body: method === 'POST' ? JSON.stringify(body) : undefined,
    signal: AbortSignal.timeout(WITHIN_MS),
  });
  const { value } = Said.parse(await answer.json());
  const refused = Refused.safeParse(value);
  if (refused.success) throw new Error(`${method} ${url}: ${refused.data.error}: ${refused.data.message}`);
  return value;
}
