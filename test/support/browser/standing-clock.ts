import type { Page } from 'playwright-core';

/** Before this a page only answers; from then on it goes on by itself. */
const BY_ITSELF_MS = 500;

/**
 * From its next navigation on, what the page would do by itself after half a second or more it never does: a
 * toast stays, and nobody is sent elsewhere. Judging and photographing what it says takes longer than that.
 */
export async function clockStands(page: Page): Promise<void> {
  await page.addInitScript((fromMs) => {
    // Whose frames are shown in the page is not the page.
    if (window !== window.top) return;
    const really = window.setTimeout.bind(window);
    const value = (act: () => void, ms = 0, ...given: []): number =>
      ms >= fromMs ? 0 : really(act, ms, ...given);
    Object.defineProperty(window, 'setTimeout', { configurable: true, writable: true, value });
  }, BY_ITSELF_MS);
}
