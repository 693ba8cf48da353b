/** What every state of a screen is held to: at rest, readable in the light and the dark, whole in the narrowest window too. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { axeFindings } from './accessibility.js';
import type { Guest, Scheme } from './guest.js';
import { cutOffTexts, sidewaysCulprits } from './layout.js';
import { screenshot, takesScreenshots } from './screenshots.js';

/** The narrowest window that anybody has. */
const NARROWEST = { width: 320, height: 640 };

/** Nothing is on its way any more: shapes that stand for what loads, pictures, fonts, a dialog that still opens. */
export async function comesToRest({ page }: Guest): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('.MuiSkeleton-root, [aria-busy="true"]') === null &&
      document.fonts.status === 'loaded' &&
      [...document.images].every((image) => image.complete),
  );
  await standsStill(page);
}

/** What moves has arrived; the slow pulse of what loads never does. */
async function standsStill(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(({ playState, effect }) => playState !== 'running' || effect?.getComputedTiming().endTime === Infinity),
  );
}

export interface HowToLook {
  /** A page that waits for its data has shapes in its place, and never comes to rest. */
  readonly waiting?: boolean;
}

/**
 * Judges what a guest sees now, in both schemes and in the narrowest window: for a dialog, a refusal, an empty list or a failed one, as
 * the flow comes by. Where pictures are wanted it takes them in both schemes.
 */
export async function looksRight(guest: Guest, name: string, { waiting = false }: HowToLook = {}): Promise<void> {
  const { page, scheme } = guest;
  const other: Scheme = scheme === 'light' ? 'dark' : 'light';
  const inScheme = async (colorScheme: Scheme): Promise<void> => {
    await page.emulateMedia({ colorScheme });
    await (waiting ? standsStill(page) : comesToRest(guest));
  };
  await inScheme(scheme);
  const found = { axe: await axeFindings(page), sideways: await sidewaysCulprits(page), cutOff: await cutOffTexts(page) };
  expect({ name, ...found }).toEqual({ name, axe: [], sideways: [], cutOff: [] });
  // Shapes have no words whose colours could be hard to read.
  if (!waiting) {
    await inScheme(other);
    expect({ name, colours: await axeFindings(page, 'colours') }).toEqual({ name, colours: [] });
  }
  if (takesScreenshots)
    for (const each of [other, scheme]) {
      await inScheme(each);
      await screenshot(guest, name, { scheme: each });
    }
  await page.emulateMedia({ colorScheme: scheme });
  await isWholeWhenNarrow(guest, name);
}

/** Nothing scrolls sideways or is cut off in a window as narrow as they come. */
export async function isWholeWhenNarrow({ page }: Guest, name: string): Promise<void> {
  const usual = page.viewportSize();
  await page.setViewportSize(NARROWEST);
  const found = { name, sideways: await sidewaysCulprits(page), cutOff: await cutOffTexts(page) };
  if (usual) await page.setViewportSize(usual);
  expect(found).toEqual({ name, sideways: [], cutOff: [] });
}
