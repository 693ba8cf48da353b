/**
 * What a stranger waits for on a slow phone: 400 kbit/s, 400 ms to the first byte of each answer, the
 * processor slowed to a quarter, nothing cached. The public tip page until an amount can be chosen, with all
 * that came over the wire for it; each step from there to the receipt; the landing page, and the way from it
 * to the sign-in form.
 */
import type { Browser, CDPSession, Page } from 'playwright-core';
import sharp from 'sharp';
import { DEVICES } from '#test/support/browser/devices';
import { painted } from '#test/support/browser/layout';
import { enterCard } from '#test/support/browser/payment-form';
import { openBrowser } from '#test/support/chromium';
import { VISA } from '#test/support/payer';
import { Person } from '#test/support/person';
import { startStack } from '#test/support/start-stack';
import { median, type Row } from './measure.js';

const BYTES_PER_SECOND = 400_000 / 8;
const LATENCY_MS = 400;
const SLOWED = 4;
const VISITS = 3;
const PATIENCE_MS = 120_000;

declare global {
  interface Window {
    /** When the buttons that pay were there, and with them the whole form. */
    encoreUsableMs?: number;
  }
}

/** A window on a slow network with nothing cached, and what comes into it. */
class SlowVisit {
  readonly #requests = new Map<string, { readonly url: string; readonly atMs: number; bytes: number }>();

  private constructor(readonly page: Page) {}

  static async open(browser: Browser): Promise<SlowVisit> {
    const context = await browser.newContext({ ...DEVICES.phone, serviceWorkers: 'block' });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const visit = new SlowVisit(page);
    await visit.#watch(await context.newCDPSession(page));
    await page.addInitScript(() => {
      const look = (): void => {
        if (document.querySelector('#pay:not([hidden])') === null) return;
        window.encoreUsableMs ??= performance.now();
        observer.disconnect();
      };
      const observer = new MutationObserver(look);
      observer.observe(document, { subtree: true, childList: true, attributes: true });
    });
    return visit;
  }

  async #watch(line: CDPSession): Promise<void> {
    line.on('Network.requestWillBeSent', ({ requestId, request, wallTime }) => {
      if (!request.url.startsWith('data:'))
        this.#requests.set(requestId, { url: request.url, atMs: wallTime * 1000, bytes: 0 });
    });
    line.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const request = this.#requests.get(requestId);
      if (request) request.bytes = encodedDataLength;
    });
    await line.send('Network.enable');
    await line.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: LATENCY_MS,
      downloadThroughput: BYTES_PER_SECOND,
      uploadThroughput: BYTES_PER_SECOND,
    });
    await line.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  }

  /** What was asked for until then, headers of the answers included. */
  requestedUntil(ms: number): { readonly bytes: number; readonly addresses: readonly string[] } {
    const until = [...this.#requests.values()].filter(({ atMs }) => atMs <= ms);
    return {
      bytes: until.reduce((sum, { bytes }) => sum + bytes, 0),
      addresses: until.map(({ url }) => url),
    };
  }

  async close(): Promise<void> {
    // A browser that has gone has said so by the step that failed.
    await this.page
      .context()
      .close()
      .catch(() => undefined);
  }
}

const say = (value: number, of: string, unit: string, note?: string): Row => ({
  bench: 'slow-3g',
  of,
  value: Math.round(value),
  unit,
  ...(note === undefined ? {} : { note }),
});

/** The page in the shape that costs most: with a photo, and with all that its owner may write. */
async function publish(juno: Person): Promise<string> {
  const handle = 'junoplays';
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const photo = await sharp({
    create: { width: 800, height: 800, channels: 3, background: '#803040', noise },
  })
    .blur(3)
    .jpeg()
    .toBuffer();
  const cookie = await juno.jar.getCookieString(juno.url);
  const answer = await fetch(new URL('/api/user/picture', juno.url), {
    method: 'PUT',
    headers: { cookie, 'content-type': 'image/jpeg', origin: new URL(juno.url).origin },
    body: new Uint8Array(photo),
  });
  if (!answer.ok) throw new Error(`The photo was not taken: ${answer.status} ${await answer.text()}`);
  await juno.put('/api/tip-page/handle', { handle });
  await juno.put('/api/tip-page', {
    stageName: 'Juno Valastro',
    line: 'plays the piano · Lantern Hall tonight',
    isListed: false,
  });
  await juno.put('/api/tip-page/published', { isPublished: true });
  return `/@${handle}`;
}

/** Milliseconds that something takes. */
async function took(step: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await step();
  return performance.now() - from;
}

/** Headless browsers ask for no icon; phones do. */
async function iconBytes(url: string): Promise<number> {
  const answer = await fetch(new URL('/icon.svg', url));
  const head = [...answer.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  return head + (await answer.arrayBuffer()).byteLength;
}

/** Medians of some visits, each step by its name. */
class Steps {
  readonly #values = new Map<string, number[]>();

  async time(step: string, work: () => Promise<unknown>): Promise<void> {
    this.note(step, await took(work));
  }
  note(step: string, value: number): void {
    this.#values.set(step, [...(this.#values.get(step) ?? []), value]);
  }
  rows(unit: string, notes: Readonly<Record<string, string>> = {}): Row[] {
    return [...this.#values].map(([step, values]) => say(median(values), step, unit, notes[step]));
  }
}

const receipt = (page: Page): Promise<void> =>
  page.getByRole('heading', { name: 'Juno has your $10.00' }).waitFor();

async function tipByWallet({ page }: SlowVisit, steps: Steps): Promise<void> {
  const wallet = page.getByRole('button', { name: 'Pay with Google Pay' });
  await steps.time('wallet: from usable to its button', () => wallet.waitFor());
  const confirm = page.getByRole('button', { name: 'Confirm on this phone' });
  await steps.time('wallet: from the first tap to its sheet', async () => {
    await wallet.tap();
    await confirm.waitFor();
  });
  await steps.time('wallet: from the second tap to the receipt', async () => {
    await confirm.tap();
    await receipt(page);
  });
}

async function tipByCard({ page }: SlowVisit, steps: Steps): Promise<void> {
  await steps.time('card: from usable to its fields', async () => {
    await page.getByRole('button', { name: 'Card', exact: true }).tap();
    await page.frameLocator('iframe[title="Secure payment input frame"]').getByLabel('Card number').waitFor();
  });
  await enterCard(page, VISA);
  const pay = page.getByRole('button', { name: 'Pay $10.00' });
  await pay.scrollIntoViewIfNeeded();
  // A tap before that is drawn goes where the provider's frame was. Nobody is that fast.
  await painted(page);
  await page.waitForTimeout(300);
  await steps.time('card: from Pay to the receipt', async () => {
    await pay.tap();
    await receipt(page);
  });
}

export async function benchSlow3g(): Promise<Row[]> {
  const stack = await startStack(['all'], { syncs: true });
  const browser = await openBrowser();
  const visit = async (work: (slow: SlowVisit) => Promise<void>): Promise<void> => {
    const slow = await SlowVisit.open(browser);
    try {
      await work(slow);
    } finally {
      await slow.close();
    }
  };
  try {
    const path = await publish(await Person.signUp(stack.url, 'Juno'));
    const icon = await iconBytes(stack.url);
    const [waits, sizes] = [new Steps(), new Steps()];
    let asked: readonly string[] = [];
    for (const pay of [...Array.from({ length: VISITS }, () => tipByWallet), tipByCard])
      await visit(async (slow) => {
        const { page } = slow;
        await page.goto(new URL(path, stack.url).href, { waitUntil: 'commit' });
        await page.waitForFunction(() => window.encoreUsableMs !== undefined);
        const [usableMs, originMs] = await page.evaluate(() => [
          window.encoreUsableMs!,
          performance.timeOrigin,
        ]);
        await pay(slow, waits);
        const until = slow.requestedUntil(originMs! + usableMs!);
        asked = until.addresses;
        if (pay === tipByCard) return;
        waits.note('tip page: from the code to usable', usableMs!);
        sizes.note('tip page: over the wire until usable', until.bytes + icon);
        const face = await page.evaluate(
          () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
        );
        if (face !== undefined) waits.note('receipt: first contentful paint', face);
      });
    const landing = new Steps();
    for (let n = 0; n < VISITS; n += 1)
      await visit(async ({ page }) => {
        const start = page.getByText('Get Started', { exact: true }).first();
        const shown = await took(async () => {
          await page.goto(stack.url, { waitUntil: 'commit' });
          await page.getByRole('heading', { name: 'Professional Payment Platform' }).waitFor();
          await start.waitFor();
        });
        landing.note('landing: until it can be read and left', shown);
        const left = await took(async () => {
          await start.tap();
          await page.getByLabel('Email').waitFor();
        });
        landing.note('landing: from Get Started to the sign-in form', left);
        landing.note('a stranger’s way to the sign-in form', shown + left);
      });
    return [
      ...waits.rows('ms'),
      ...sizes.rows('bytes', {
        'tip page: over the wire until usable': `${asked.length} requests and the icon: ${asked.map((url) => new URL(url).pathname).join(' ')}`,
      }),
      ...landing.rows('ms'),
    ];
  } finally {
    await browser.close();
    await stack.stop();
  }
}
