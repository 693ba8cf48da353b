/** How a page is laid out: whether it scrolls sideways, what sticks out, and how much it jumped while it loaded. */
import type { Page } from 'playwright-core';

/** What makes the page wider than its window, from the outside in; an empty list when nothing does. */
export function sidewaysCulprits(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { documentElement: root } = document;
    if (root.scrollWidth <= root.clientWidth) return [];
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > root.clientWidth + 0.5,
    );
    const named = (element: Element): string =>
      `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}"> reaches ${Math.round(element.getBoundingClientRect().right)} of ${root.clientWidth}: ${(element.textContent ?? '').trim().slice(0, 40)}`;
    return [`The page is ${root.scrollWidth} wide in a window of ${root.clientWidth}.`, ...wide.slice(0, 12).map(named)];
  });
}

/** Texts that are cut off by their own box although nothing says that they may be. */
export function cutOffTexts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('button, a, h1, h2, h3, p, label, td, th, li, span, dt, dd')]
      .filter((element) => {
        const style = getComputedStyle(element);
        const hides = style.overflowX === 'hidden' && style.textOverflow !== 'ellipsis' && style.display !== 'inline';
        // One pixel high and wide is how a text is kept for those who hear the page.
        return (
          hides && element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1 && element.childElementCount === 0
        );
      })
      .map((element) => `${element.tagName.toLowerCase()}: ${(element.textContent ?? '').trim().slice(0, 60)}`),
  );
}

declare global {
  interface Window {
    encoreShift?: number;
  }
}

/** Adds up layout shifts from the next navigation on. */
export async function watchLayoutShift(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.encoreShift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
        if (!hadRecentInput) window.encoreShift = (window.encoreShift ?? 0) + value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** The sum since the document was loaded; 0.1 and less is what the web calls good. */
export async function layoutShift(page: Page): Promise<number> {
  // Two frames, so that what was painted has been reported.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return page.evaluate(() => window.encoreShift ?? Number.NaN);
}
