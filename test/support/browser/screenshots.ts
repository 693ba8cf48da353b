/**
 * Pictures of screens for the docs, and pictures of them beside a mock for people to compare. Taken only when
 * asked, so that a test run leaves the tree as it was:
 *
 *     make screenshots                                    docs/screenshots/<screen>-<device>-<scheme>.png
 *     make screenshots MOCKS=<folder> BESIDE=<folder>     and each beside <folder>/<screen>-<device>-<scheme>.png
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '#local/launch/program';
import type { Device } from './devices.js';
import type { Guest, Scheme } from './guest.js';
import { readPng, smallPng, type Picture } from './picture.js';

const { SCREENSHOTS, MOCKS, BESIDE } = process.env;

/** Whether pictures are wanted. */
export const takesScreenshots = SCREENSHOTS === 'on';

/**
 * Takes a picture of the guest's window, if pictures are wanted; `scheme` and `device`, where they were
 * changed.
 */
export async function screenshot(
  guest: Guest,
  screen: string,
  {
    scheme = guest.scheme,
    device = guest.device,
  }: { readonly scheme?: Scheme; readonly device?: Device } = {},
): Promise<void> {
  if (!takesScreenshots) return;
  const { page } = guest;
  // One pixel for one of the page's, whatever the device: the docs are not a poster.
  const png = await page.screenshot({ scale: 'css', animations: 'disabled', caret: 'hide' });
  const picture = readPng(png);
  const name = `${screen}-${device}-${scheme}.png`;
  const folder = join(repositoryRoot(), 'docs/screenshots');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), smallPng(picture));
  const mock = MOCKS === undefined ? undefined : join(MOCKS, name);
  if (mock === undefined || BESIDE === undefined || !existsSync(mock)) return;
  mkdirSync(BESIDE, { recursive: true });
  writeFileSync(
    join(BESIDE, name),
    smallPng(beside(shrunkTo(readPng(readFileSync(mock)), picture.width), picture)),
  );
}

const GAP = 24;

/** Two pictures side by side on grey, the mock on the left. */
export function beside(left: Picture, right: Picture): Picture {
  const width = left.width + GAP + right.width;
  const height = Math.max(left.height, right.height);
  const rgb = Buffer.alloc(width * height * 3, 128);
  for (const [picture, from] of [
    [left, 0],
    [right, left.width + GAP],
  ] as const)
    for (let y = 0; y < picture.height; y += 1)
      picture.rgb.copy(rgb, (y * width + from) * 3, y * picture.width * 3, (y + 1) * picture.width * 3);
  return { width, height, rgb };
}

/**
 * A picture taken at twice the size or more, brought to a width by averaging; a smaller one stays as it is.
 */
export function shrunkTo(picture: Picture, width: number): Picture {
  const factor = Math.floor(picture.width / width);
  if (factor < 2) return picture;
  const height = Math.floor(picture.height / factor);
  const rgb = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      for (let c = 0; c < 3; c += 1) {
        let sum = 0;
        for (let dy = 0; dy < factor; dy += 1)
          for (let dx = 0; dx < factor; dx += 1)
            sum += picture.rgb[((y * factor + dy) * picture.width + x * factor + dx) * 3 + c]!;
        rgb[(y * width + x) * 3 + c] = Math.round(sum / factor ** 2);
      }
  return { width, height, rgb };
}
