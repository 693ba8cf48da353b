/** What moves on a page, for whoever has asked for less of it. */
import type { Page } from 'playwright-core';

/** As long as a fade may take that is left where nothing else moves. */
const FADE_MS = 120;

declare global {
  interface Window {
    encoreMotion?: Record<string, true>;
  }
}

/**
 * Keeps an eye on every animation and transition from the next navigation on: one is remembered that is
 * longer than a fade, has no end, or changes more than how much is seen of something.
 */
export async function watchMotion(page: Page): Promise<void> {
  await page.addInitScript((fadeMs) => {
    const seen: Record<string, true> = {};
    window.encoreMotion = seen;
    const harmless = ['opacity', 'offset', 'computedOffset', 'easing', 'composite'];
    const look = (): void => {
      for (const { effect } of document.getAnimations()) {
        if (!(effect instanceof KeyframeEffect)) continue;
        const { duration, iterations = 1 } = effect.getComputedTiming();
        const changed = [...new Set(effect.getKeyframes().flatMap(Object.keys))].filter(
          (each) => !harmless.includes(each),
        );
        // What takes no time only waits for its turn.
        if (duration === 0 || (Number(duration) <= fadeMs && iterations === 1 && changed.length === 0))
          continue;
        const { target } = effect;
        const what = `${target?.tagName.toLowerCase() ?? ''}.${target?.getAttribute('class') ?? ''}${effect.pseudoElement ?? ''}`;
        seen[`${what}: ${changed.join(', ') || 'opacity'} for ${String(duration)} ms, ${iterations} times`] =
          true;
      }
    };
    for (const begins of ['transitionrun', 'animationstart']) document.addEventListener(begins, look, true);
  }, FADE_MS);
}

/** What has moved since the document was loaded. */
export function motionSeen(page: Page): Promise<string[]> {
  return page.evaluate(() => Object.keys(window.encoreMotion ?? {}));
}
