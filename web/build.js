// Builds the web app into dist/web, unless what it is built from is what it was built from last time.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const OUT = join(ROOT, 'dist/web');
const STAMP = join(ROOT, 'dist/web.stamp');
const SOURCES = ['web', 'contracts', 'vite.config.ts', 'package-lock.json'];
/** Below this a compressed answer is not smaller. */
const SMALL_BYTES = 1024;

const filesUnder = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

function fingerprint() {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((name) => (/\.[a-z]+$/.test(name) ? [join(ROOT, name)] : filesUnder(join(ROOT, name))));
  for (const file of files) {
    if (/\.(spec|test)\.tsx?$/.test(file)) continue;
    const content = readFileSync(file);
    hash.update(`${relative(ROOT, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Compressed once, here, as small as it gets: the server only picks the file. */
function compress() {
  for (const file of filesUnder(OUT)) {
    if (!/\.(js|css|html|svg|json)$/.test(file)) continue;
    const content = readFileSync(file);
    if (content.length < SMALL_BYTES) continue;
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }));
  }
}

const wanted = fingerprint();
const isBuilt = existsSync(STAMP) && existsSync(join(OUT, 'index.html')) && readFileSync(STAMP, 'utf8') === wanted;
if (!isBuilt) {
  rmSync(STAMP, { force: true });
  const { build } = await import('vite');
  await build({ configFile: join(ROOT, 'vite.config.ts'), logLevel: 'warn' });
  compress();
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, wanted);
}
