import type { Page } from 'playwright-core';
import { eventually } from '#test/conformance/stripe-process';

declare global {
  interface Window {
    /** Told of what a toast says, while it is shown. */
    encoreToastShown?: (words: string) => void;
  }
}

/**
 * Notes what each toast says, from the page's next navigation on. A page that sends whoever looks at it
 * elsewhere after half a second is gone before a test on a busy machine has looked at it. Answers what waits
 * for a toast with all of these words, shown by now or by a page that was left, since the last one that it
 * has answered.
 */
export async function noteToasts(page: Page): Promise<(...words: string[]) => Promise<void>> {
  const shown: string[] = [];
  await page.exposeBinding('encoreToastShown', (_, words: string) => void shown.push(words));
  await page.addInitScript(() => {
    if (window !== window.top) return;
    let last = '';
    new MutationObserver(() => {
      const words = document.querySelector('[aria-label^="Notifications"]')?.textContent ?? '';
      if (words !== '' && words !== last) window.encoreToastShown?.(words);
      last = words;
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  return async (...words) => {
    await eventually(
      () => {
        const place = shown.findIndex((toast) => words.every((each) => toast.includes(each)));
        shown.splice(0, place + 1);
        return place !== -1;
      },
      `a toast that says "${words.join(' ')}"`,
    );
  };
}
