/**
 * A history of 10,000 rows in the browser, by its own clock: how soon its first rows stand after the tap that
 * opens it, how soon a search is answered after the last key, and how long the longest frame takes while it
 * is scrolled, the last with the processor slowed to a quarter. Half of the rows have a note.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { openReadPool } from '#projections/engine/database';
import { transactions } from '#projections/transactions/columns';
import type { Person } from '#test/support/person';
import { median, type Row } from './measure.js';

const ROWS = 10_000;
const RUNS = 5;
const SLOWED = 4;
const FLICKS = 150;
const FLICK_PX = 500;

const MINUTES_APART = 37;

/** Rows as the read model has them. No entry of the log stands behind them: only reading is measured. */
async function fill(databaseUrl: string, payerId: string, recipientId: string): Promise<void> {
  const db = openReadPool(databaseUrl, 1);
  const nowMs = Math.floor(Date.now() / 1000) * 1000;
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const n = index + 1;
    const at = new Date(nowMs - n * MINUTES_APART * 60_000).toISOString();
    const place = 1_000_000 - n;
    return transactions.row({
      id: `pay_bench${n}`,
      kind: 'payment',
      payerId,
      recipientId,
      amountMinor: 100 + (n % 5000),
      currency: 'usd',
      method: 'card',
      note: n % 2 === 0 ? `For the encore, number ${n}` : null,
      status: 'completed',
      unresolved: false,
      refundedMinor: 0,
      disputedMinor: 0,
      borneMinor: 0,
      openedAt: at,
      settledAt: at,
      payerPlace: place,
      payerShownAt: at,
      recipientPlace: place,
      recipientShownAt: at,
    });
  });
  try {
    await transactions.insert(rows, db);
    await db.query('analyze transactions');
  } finally {
    await db.end();
  }
}

/** Milliseconds in the page from an act until what it leads to is drawn. */
async function untilDrawn(page: Page, act: () => Promise<unknown>, selector: string): Promise<number> {
  const drawn = page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        let began = Number.NaN;
        const note = (event: Event): void => {
          began = event.timeStamp;
        };
        addEventListener('click', note, { capture: true, once: true });
        addEventListener('keydown', note, { capture: true });
        const look = (): void => {
          if (Number.isNaN(began) || !document.querySelector(wanted)) requestAnimationFrame(look);
          else requestAnimationFrame(() => resolve(performance.now() - began));
        };
        look();
      }),
    selector,
  );
  await act();
  return drawn;
}

interface Scrolled {
  readonly frames: number;
  readonly longestMs: number;
  readonly over50: number;
  /** How much of the window showed rows, of one, in the mean. */
  readonly drawn: number;
  readonly rows: number;
}

/** Flicks through the list; rows further down are loaded on the way. */
async function scrolled(page: Page): Promise<Scrolled> {
  const line = await page.context().newCDPSession(page);
  await line.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  return page.evaluate(
    async ([flicks, px]) => {
      const frames: number[] = [];
      new PerformanceObserver((list) =>
        frames.push(...list.getEntries().map(({ duration }) => duration)),
      ).observe({
        type: 'long-animation-frame',
      });
      let [count, isOver] = [0, false];
      requestAnimationFrame(function counting() {
        count += 1;
        if (!isOver) requestAnimationFrame(counting);
      });
      const drawn: number[] = [];
      const look = (): void => {
        let undrawnPx = 0;
        for (const room of document.querySelectorAll('.room')) {
          const { top, bottom } = room.getBoundingClientRect();
          undrawnPx += Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0));
        }
        drawn.push(1 - undrawnPx / innerHeight);
      };
      for (let flick = 1; flick <= flicks; flick += 1) {
        scrollBy(0, px);
        await new Promise((resolve) => {
          setTimeout(resolve, 60);
        });
        // Now and then: to look is work too.
        if (flick % 10 === 0) look();
      }
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 200)));
      const positions = [...document.querySelectorAll('[aria-posinset]')].map((row) =>
        Number(row.getAttribute('aria-posinset')),
      );
      isOver = true;
      return {
        frames: count,
        drawn: drawn.reduce((sum, each) => sum + each, 0) / drawn.length,
        longestMs: Math.max(0, ...frames),
        over50: frames.filter((ms) => ms > 50).length,
        rows: Math.max(...positions),
      };
    },
    [FLICKS, FLICK_PX] as const,
  );
}

export async function benchLongList(
  context: BrowserContext,
  databaseUrl: string,
  owner: Person,
  payer: Person,
): Promise<Row[]> {
  await fill(databaseUrl, payer.id, owner.id);
  const [opened, searched, byAmount]: [number[], number[], number[]] = [[], [], []];
  const scrolls: Scrolled[] = [];
  // One run more than is counted: the first finds everything cold.
  for (let run = 0; run <= RUNS; run += 1) {
    const page = await context.newPage();
    await page.goto(new URL('/profile', owner.url).href);
    await page.getByRole('heading', { name: 'Profile' }).first().waitFor();
    // By touch, as on a phone: a mouse would lie on the list, and hover over each row that is scrolled under
    // it.
    await page.getByRole('button', { name: 'Menu', exact: true }).tap();
    const link = page.getByRole('link', { name: 'History' }).first();
    await link.waitFor();
    opened.push(await untilDrawn(page, () => link.tap(), 'a[href*="receipt="]'));
    const search = page.getByRole('textbox', { name: 'Search' });
    await search.fill('number 999');
    searched.push(await untilDrawn(page, () => search.press('8'), 'mark'));
    await search.fill('50.0');
    await page.waitForFunction(() => document.querySelector('mark')?.textContent?.includes('50.0'));
    byAmount.push(await untilDrawn(page, () => search.press('1'), 'mark .figure'));
    await search.fill('');
    await page.waitForFunction(() => document.querySelector('mark') === null);
    scrolls.push(await scrolled(page));
    await page.close();
  }
  const counted = scrolls.slice(1);
  const row = (of: string, value: number, unit: string, note?: string): Row => ({
    bench: 'screens',
    of: `history of ${ROWS} rows, ${of}`,
    value: Math.round(value),
    unit,
    ...(note === undefined ? {} : { note }),
  });
  return [
    row('first rows after the tap', median(opened.slice(1)), 'ms'),
    row(
      'search in notes after the last key',
      median(searched.slice(1)),
      'ms',
      'of it 120 ms wait for a further key',
    ),
    row('search by amount after the last key', median(byAmount.slice(1)), 'ms'),
    row(
      'longest frame while scrolling',
      median(counted.map(({ longestMs }) => longestMs)),
      'ms',
      `down to row ${median(counted.map(({ rows }) => rows))}, 8,300 px a second`,
    ),
    row(
      'frames over 50 ms while scrolling',
      median(counted.map(({ over50 }) => over50)),
      '',
      `of some ${median(counted.map(({ frames }) => frames))}; in ${RUNS} runs ${counted.map(({ over50 }) => over50).join(', ')}`,
    ),
    row(
      'window that is drawn while scrolling',
      100 * median(counted.map(({ drawn }) => drawn)),
      '%',
      'the rest shows lines where rows will stand',
    ),
  ];
}
