/**
 * How long a screen takes to be there, by the browser's own clock: first contentful paint, largest contentful
 * paint and layout shift of a first visit (nothing cached) to the app as it is built, with the processor
 * slowed to a quarter.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { DEVICES } from '#test/support/browser/devices';
import { layoutShift, watchLayoutShift } from '#test/support/browser/layout';
import { paymentForm } from '#test/support/browser/payment-form';
import { openBrowser } from '#test/support/chromium';
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import { startStack } from '#test/support/start-stack';
import { benchLongList } from './long-list.js';
import { median, type Row } from './measure.js';

const SLOWED = 4;
const VISITS = 5;
const TIPS = 12;

interface Visit {
  readonly fcpMs: number;
  readonly lcpMs: number;
  readonly shift: number;
  /** What was painted largest. */
  readonly largest: string;
}

declare global {
  interface Window {
    encoreLargest?: { readonly atMs: number; readonly what: string };
  }
}

/** A first visit, until what the screen is about is there. */
async function visit(
  context: BrowserContext,
  url: string,
  isThere: (page: Page) => Promise<unknown>,
): Promise<Visit> {
  const page = await context.newPage();
  try {
    const line = await context.newCDPSession(page);
    await line.send('Network.setCacheDisabled', { cacheDisabled: true });
    await line.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
    await watchLayoutShift(page);
    await page.addInitScript(() => {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const { element, startTime } = entry as PerformanceEntry & { readonly element: Element | null };
          const words = element?.textContent?.trim().slice(0, 40) ?? '';
          window.encoreLargest = {
            atMs: startTime,
            what: `${element?.tagName.toLowerCase() ?? 'gone'} “${words}”`,
          };
        }
      }).observe({ type: 'largest-contentful-paint', buffered: true });
    });
    await page.goto(url);
    await isThere(page);
    await page.waitForFunction(
      () => document.querySelector('.MuiSkeleton-root') === null && document.fonts.status === 'loaded',
    );
    const shift = await layoutShift(page);
    const painted = await page.evaluate(() => ({
      fcpMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      lcpMs: window.encoreLargest?.atMs ?? Number.NaN,
      largest: window.encoreLargest?.what ?? '',
    }));
    return { ...painted, shift };
  } finally {
    await page.close();
  }
}

/** Somebody's window, signed in by the session that they have outside of it. */
async function windowOf(browser: Browser, person?: Person): Promise<BrowserContext> {
  const context = await browser.newContext({ ...DEVICES.phone, serviceWorkers: 'block' });
  const cookies = person === undefined ? [] : await person.jar.getCookies(person.url);
  const { hostname: domain } = new URL(person?.url ?? 'http://localhost');
  await context.addCookies(
    cookies.map(({ key: name, value, path }) => ({ name, value, path: path ?? '/', domain })),
  );
  return context;
}

export async function benchScreens(): Promise<Row[]> {
  const stack = await startStack(['all'], { syncs: true });
  const browser = await openBrowser();
  try {
    const provider = new CardProviderWorld(() => stack);
    const [juno, milo] = [await Person.signUp(stack.url, 'Juno'), await Person.signUp(stack.url, 'Milo')];
    for (let n = 1; n <= TIPS; n += 1) await provider.card((await milo.pay(juno.id, `${n}.00`)).clientSecret);
    await provider.delivered();
    const [visitor, hers] = [await windowOf(browser), await windowOf(browser, juno)];
    const heading = (name: string) => (page: Page) => page.getByRole('heading', { name }).first().waitFor();
    const screens: readonly (readonly [string, BrowserContext, string, (page: Page) => Promise<unknown>])[] =
      [
        ['landing', visitor, '/', heading('Professional Payment Platform')],
        ['home', hers, '/', heading('Recent Activity')],
        [
          'checkout',
          hers,
          `/checkout?amount=20&recipientId=${milo.id}&description=For%20the%20encore`,
          (page) => paymentForm(page).getByLabel('Card number').waitFor(),
        ],
      ];
    const rows: Row[] = [];
    for (const [name, context, path, isThere] of screens) {
      const visits: Visit[] = [];
      // One more than is counted: the first one finds the server and the browser cold.
      for (let n = 0; n <= VISITS; n += 1)
        visits.push(await visit(context, new URL(path, stack.url).href, isThere));
      const counted = visits.slice(1);
      const row = (of: string, value: number, unit: string, note?: string): Row => ({
        bench: 'screens',
        of: `${name}, ${of}`,
        value,
        unit,
        ...(note === undefined ? {} : { note }),
      });
      rows.push(
        row('first contentful paint', Math.round(median(counted.map(({ fcpMs }) => fcpMs))), 'ms'),
        row(
          'largest contentful paint',
          Math.round(median(counted.map(({ lcpMs }) => lcpMs))),
          'ms',
          counted.at(-1)?.largest,
        ),
        row('layout shift', Math.round(1000 * median(counted.map(({ shift }) => shift))) / 1000, ''),
      );
    }
    rows.push(...(await benchLongList(hers, stack.env.DATABASE_URL!, juno, milo)));
    return rows;
  } finally {
    await browser.close();
    await stack.stop();
  }
}
