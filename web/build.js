// Builds the web app into dist/web, unless what it is built from is what it was built from last time.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { filesUnder, fingerprint } from '../local/fingerprint.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const OUT = join(ROOT, 'dist/web');
const STAMP = join(ROOT, 'dist/web.stamp');
const SOURCES = ['web', 'contracts', 'vite.config.ts', 'package-lock.json'];
/** Below this a compressed answer is not smaller. */
const SMALL_BYTES = 1024;

/** Compressed once, here, as small as it gets: the server only picks the file. */
function compress() {
  for (const file of filesUnder(OUT)) {
    if (!/\.(js|css|html|svg|json)$/.test(file)) continue;
    const content = readFileSync(file);
    if (content.length < SMALL_BYTES) continue;
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    );
  }
}

/** The public tip page's script: one small file of its own, which the ledger writes into the page. */
async function buildTipPage() {
  const { rolldown } = await import('rolldown');
  const bundled = await rolldown({
    input: join(ROOT, 'web/tip-page/tip-page.ts'),
    cwd: ROOT,
    platform: 'browser',
    resolve: { conditionNames: ['source', 'module', 'browser', 'import', 'default'] },
  });
  await bundled.write({ file: join(OUT, 'tip-page.js'), format: 'iife', minify: true, codeSplitting: false });
  await bundled.close();
}

/**
 * What strangers are sent: the start page with the landing page written into it, and the few styles of its
 * font.
 */
async function writeLandingPage() {
  const { rolldown } = await import('rolldown');
  const file = join(ROOT, 'dist/written-landing-page.js');
  const bundled = await rolldown({
    input: join(ROOT, 'web/src/app/written-landing-page.tsx'),
    cwd: ROOT,
    platform: 'node',
    resolve: { conditionNames: ['source', 'module', 'import', 'node', 'default'] },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  });
  await bundled.write({ file, format: 'esm', codeSplitting: false });
  await bundled.close();
  const { writtenLandingPage } = await import(pathToFileURL(file).href);
  const page = readFileSync(join(OUT, 'index.html'), 'utf8');
  const nonce = /<style nonce="([^"]+)"/.exec(page)[1];
  const styles = [...page.matchAll(/ *<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>\n/g)];
  let written = page;
  for (const [link, href] of styles)
    written = written.replace(
      link,
      () => `    <style nonce="${nonce}">${readFileSync(join(OUT, href), 'utf8')}</style>\n`,
    );
  const place = '<div id="root">';
  if (!written.includes(place)) throw new Error('The start page has no place for the app.');
  const landing = `<div id="written">${writtenLandingPage(nonce)}</div>\n    `;
  writeFileSync(
    join(OUT, 'stranger.html'),
    written.replace(place, () => landing + place),
  );
  rmSync(file);
}

const wanted = fingerprint(ROOT, SOURCES);
const isBuilt =
  existsSync(STAMP) && existsSync(join(OUT, 'index.html')) && readFileSync(STAMP, 'utf8') === wanted;
if (!isBuilt) {
  rmSync(STAMP, { force: true });
  const { build } = await import('vite');
  await build({ configFile: join(ROOT, 'vite.config.ts'), logLevel: 'warn' });
  await buildTipPage();
  await writeLandingPage();
  compress();
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, wanted);
}
