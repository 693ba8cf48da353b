/**
 * Draws the app's icons for home screens from web/public/icon.svg: `node dist/test/docs/icons.js`, whenever
 * that changes. They are kept in the repository, because a build should not need a browser.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '#local/launch/program';
import { openBrowser } from '#test/support/chromium';

/**
 * `round`: with corners of its own, where the system cuts none. The others cut it, as far as a circle of four
 * fifths.
 */
const ICONS = [
  { file: 'icon-192.png', size: 192, round: true },
  { file: 'icon-512.png', size: 512, round: true },
  { file: 'icon-maskable-192.png', size: 192, round: false },
  { file: 'icon-maskable-512.png', size: 512, round: false },
  { file: 'apple-touch-icon.png', size: 180, round: false },
] as const;

const folder = join(repositoryRoot(), 'web/public');
const drawing = readFileSync(join(folder, 'icon.svg'), 'utf8');
const browser = await openBrowser();
try {
  const page = await browser.newPage();
  for (const { file, size, round } of ICONS) {
    await page.setViewportSize({ width: size, height: size });
    const style = `display:block;width:${size}px;height:${size}px;border-radius:${round ? '22%' : '0'}`;
    await page.setContent(
      `<body style="margin:0;background:none">${drawing.replace('<svg ', `<svg style="${style}" `)}</body>`,
    );
    writeFileSync(join(folder, file), await page.screenshot({ omitBackground: true }));
  }
} finally {
  await browser.close();
}
