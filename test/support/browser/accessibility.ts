/** axe-core on a page and in its frames, against WCAG 2.2 AA. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Frame, Page } from 'playwright-core';
import { repositoryRoot } from '#local/launch/program';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const OPTIONS: RunOptions = {
  runOnly: { type: 'tag', values: TAGS },
  resultTypes: ['violations'],
  // Each frame is looked at by itself: the card provider's is of another origin.
  iframes: false,
};

declare global {
  interface Window {
    axe: { run: (context: Document, options: RunOptions) => Promise<AxeResults> };
  }
}

let source: string | undefined;
function axeSource(): string {
  const { resolve } = createRequire(`${repositoryRoot()}/package.json`);
  return (source ??= readFileSync(resolve('axe-core/axe.min.js'), 'utf8'));
}

/** What moves has arrived; the slow pulse of what loads never does. */
export async function standsStill(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ playState, effect }) =>
          playState !== 'running' || effect?.getComputedTiming().endTime === Infinity,
      ),
  );
}

/**
 * What axe finds, a few lines each, for a person to act on; an empty list is what a suite wants. The page is
 * judged once it stands still: what fades in is hard to read at first. `colours`: only whether everything can
 * be told from its ground, for the same page in other colours.
 */
export async function axeFindings(
  page: Page,
  what: 'everything' | 'colours' = 'everything',
): Promise<string[]> {
  await standsStill(page);
  const frames = page.frames().filter((frame) => /^https?:/.test(frame.url()));
  const findings = await Promise.all(frames.map((frame) => findingsIn(frame, what)));
  return findings.flat();
}

async function findingsIn(frame: Frame, what: 'everything' | 'colours'): Promise<string[]> {
  // Half a megabyte: once for each document is enough.
  if (!(await frame.evaluate(() => 'axe' in window))) await frame.evaluate(axeSource());
  await standOnGround(frame);
  const { violations } = await frame.evaluate((options) => window.axe.run(document, options), {
    ...OPTIONS,
    ...(what === 'colours' ? { runOnly: { type: 'rule' as const, values: ['color-contrast'] } } : {}),
    // A frame is part of a page: it needs no landmarks and no first heading of its own.
    ...(frame.parentFrame() && what === 'everything'
      ? {
          rules: {
            region: { enabled: false },
            'page-has-heading-one': { enabled: false },
            'landmark-one-main': { enabled: false },
          },
        }
      : {}),
  });
  // Pictures are taken without it.
  if (frame.parentFrame())
    await frame.evaluate(() => document.documentElement.style.removeProperty('background-color'));
  return violations.map(({ id, help, nodes }) => {
    const places = nodes.map(({ target, failureSummary }) => {
      const why = (failureSummary ?? '').split('\n').slice(1).join(' ').trim();
      return `    ${target.join(' ')} – ${why}`;
    });
    return [`${id}: ${help} (${new URL(frame.url()).pathname})`, ...places].join('\n');
  });
}

/**
 * A frame that lets the page shine through is judged on the ground that it is seen on; axe would take it for
 * white.
 */
async function standOnGround(frame: Frame): Promise<void> {
  if (!frame.parentFrame()) return;
  const ground = await (
    await frame.frameElement()
  ).evaluate((element) => {
    for (let each: Element | null = element.parentElement; each; each = each.parentElement) {
      const { backgroundColor } = getComputedStyle(each);
      if (!/^rgba\(.*, 0\)$|^transparent$/.test(backgroundColor)) return backgroundColor;
    }
    return '';
  });
  await frame.evaluate((colour) => {
    const { documentElement, body } = document;
    const isClear = [documentElement, body].every((each) =>
      /, 0\)$/.test(getComputedStyle(each).backgroundColor),
    );
    if (isClear) documentElement.style.backgroundColor = colour;
  }, ground);
}
