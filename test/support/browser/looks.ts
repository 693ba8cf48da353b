/**
 * What every state of a screen is held to: at rest, still for whoever wants that, readable in the light and
 * the dark, whole in a window of any width.
 */
import { expect } from '@jest/globals';
import type { Locator, Page, ViewportSize } from 'playwright-core';
import { axeFindings, standsStill } from './accessibility.js';
import { DEVICES, type Device } from './devices.js';
import type { Guest, Scheme } from './guest.js';
import { brokenTexts, coveredTexts, cutOffTexts, painted, sidewaysCulprits } from './layout.js';
import { motionSeen } from './motion.js';
import { isWholeRun, sampled } from '#test/support/sample';
import { screenshot, takesScreenshots } from './screenshots.js';

/** The narrowest window that anybody has, a tablet's, half a screen, and that of a large screen. */
const WIDTHS: readonly ViewportSize[] = [
  { width: 320, height: 640 },
  { width: 768, height: 1024 },
  { width: 1000, height: 800 },
  { width: 1920, height: 1080 },
];
/** Where what is too wide shows first. */
const NARROWEST = WIDTHS.slice(0, 1);
/** Eight widths for a screen as it stands, with those at which the navigation and the columns change. */
const SCREEN_WIDTHS: readonly ViewportSize[] = [
  { width: 320, height: 640 },
  { width: 360, height: 740 },
  { width: 720, height: 1024 },
  { width: 840, height: 1112 },
  { width: 900, height: 800 },
  { width: 1080, height: 800 },
  { width: 1240, height: 800 },
  { width: 1920, height: 1080 },
];
/** A narrow phone, a tablet and a laptop. */
const SOME_SCREEN_WIDTHS: readonly ViewportSize[] = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
];
/** Every 40 px: `make prove PART=widths`. */
const EVERY_WIDTH: readonly ViewportSize[] = Array.from({ length: (1920 - 320) / 40 + 1 }, (_, n) => ({
  width: 320 + n * 40,
  height: 800,
}));
export const screenWidths = (): readonly ViewportSize[] =>
  process.env.WIDTHS === 'every' ? EVERY_WIDTH : sampled(SCREEN_WIDTHS, SOME_SCREEN_WIDTHS);

/**
 * Nothing is on its way any more: shapes that stand for what loads, pictures, fonts, a dialog that still
 * opens.
 */
export async function comesToRest({ page }: Guest): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('.MuiSkeleton-root, [aria-busy="true"]') === null &&
      document.fonts.status === 'loaded' &&
      [...document.images].every((image) => image.complete),
  );
  await standsStill(page);
}

interface HowToLook {
  /** A page that waits for its data has shapes in its place, and never comes to rest. */
  readonly waiting?: boolean;
  /** What only one device has is photographed on that. */
  readonly devices?: readonly Device[];
}

/**
 * Judges what a guest sees now, as it stands and as narrow as it comes, in a whole run in both schemes and at
 * more widths: for a dialog, a refusal, an empty list or a failed one, as the flow comes by. Where pictures
 * are wanted it takes them in both schemes, on both devices.
 */
export async function looksRight(
  guest: Guest,
  name: string,
  // First as the guest has scrolled there: another window is another page to scroll.
  {
    waiting = false,
    devices = guest.device === 'phone' ? ['phone', 'desktop'] : ['desktop', 'phone'],
  }: HowToLook = {},
): Promise<void> {
  const { page, scheme } = guest;
  const other: Scheme = scheme === 'light' ? 'dark' : 'light';
  const rest = (): Promise<void> => (waiting ? stillWaits(page) : comesToRest(guest));
  const inScheme = async (colorScheme: Scheme): Promise<void> => {
    await page.emulateMedia({ colorScheme });
    await rest();
  };
  const photographed = async (): Promise<void> => {
    if (!takesScreenshots) return;
    for (const device of devices) {
      await page.setViewportSize(DEVICES[device].viewport);
      await painted(page);
      for (const each of [other, scheme]) {
        if (waiting) await waitsAnew(page);
        await inScheme(each);
        await screenshot(guest, name, { scheme: each, device });
        if (waiting) await stillWaits(page);
      }
    }
    await page.setViewportSize(DEVICES[guest.device].viewport);
    if (waiting) await waitsAnew(page);
  };
  if (waiting) await photographed();
  await inScheme(scheme);
  expect({ name, axe: await axeFindings(page), moves: await motionSeen(page) }).toEqual({
    name,
    axe: [],
    moves: [],
  });
  // Shapes have no words whose colours could be hard to read.
  if (!waiting && isWholeRun) {
    await inScheme(other);
    expect({ name, colours: await axeFindings(page, 'colours') }).toEqual({ name, colours: [] });
  }
  if (!waiting) await photographed();
  await page.emulateMedia({ colorScheme: scheme });
  await isWhole(guest, name);
}

const shapes = (page: Page): Locator => page.getByRole('status', { name: /^Loading / }).first();

/**
 * Photographs what a guest sees on every device in the light and the dark, where pictures are wanted; judges
 * nothing.
 */
export async function inEveryWindow(guest: Guest, name: string): Promise<void> {
  if (!takesScreenshots) return;
  const { page } = guest;
  const size = page.viewportSize();
  for (const device of ['phone', 'tablet', 'desktop'] as const)
    for (const scheme of ['light', 'dark'] as const) {
      await page.setViewportSize(DEVICES[device].viewport);
      await page.emulateMedia({ colorScheme: scheme });
      await painted(page);
      await standsStill(page);
      await screenshot(guest, name, { scheme, device });
    }
  if (size) await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: guest.scheme });
}

/** The app waits for an answer for a while only, and pictures may take longer. */
async function waitsAnew(page: Page): Promise<void> {
  await page.reload();
  await shapes(page).waitFor();
}

/** The page stands still, and what is seen is the waiting and not its end. */
async function stillWaits(page: Page): Promise<void> {
  await standsStill(page);
  if (!(await shapes(page).isVisible())) throw new Error('The page waits no more.');
}

/**
 * Nothing scrolls sideways, is cut off, is broken inside a word or lies on something else, in this window and
 * in one as narrow or as wide as they come.
 */
export async function isWhole(
  { page }: Guest,
  name: string,
  others: readonly ViewportSize[] = sampled(WIDTHS, NARROWEST),
): Promise<void> {
  const usual = page.viewportSize();
  const found: string[] = [];
  for (const size of [...(usual ? [usual] : []), ...others]) {
    await page.setViewportSize(size);
    await painted(page);
    const wrong = [
      await sidewaysCulprits(page),
      await cutOffTexts(page),
      await brokenTexts(page),
      await coveredTexts(page),
    ].flat();
    found.push(...wrong.map((each) => `${size.width} px: ${each}`));
  }
  if (usual) await page.setViewportSize(usual);
  expect({ name, found }).toEqual({ name, found: [] });
}
