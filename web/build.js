// Builds the web app into dist/web, unless what it is built from is what it was built from last time.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

const wanted = fingerprint(ROOT, SOURCES);
const isBuilt =
  existsSync(STAMP) && existsSync(join(OUT, 'index.html')) && readFileSync(STAMP, 'utf8') === wanted;
if (!isBuilt) {
  rmSync(STAMP, { force: true });
  const { build } = await import('vite');
  await build({ configFile: join(ROOT, 'vite.config.ts'), logLevel: 'warn' });
  await buildTipPage();
  compress();
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, wanted);
}
