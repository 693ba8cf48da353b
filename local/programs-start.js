// Starts a bundled program. Beside each bundle may lie what V8 has compiled of it before, which saves half of
// a start; it is used where it is of the same Node.js with the same options, and nothing is lost without it:
//
//     node dist/programs/start.mjs keep NAME [words …]     runs a program and keeps what was compiled until it ended
//
// and so does every program with KEEP_COMPILED=yes in its environment.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { constants, Script } from 'node:vm';

const FOLDER = import.meta.dirname;
/**
 * How programs import what they need later, as Node.js does it for its own files. It calls that experimental.
 */
const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
const warn = process.emitWarning.bind(process);
// Nobody who starts a program, or reads a report, has to know of it.
process.emitWarning = (warning, ...rest) => {
  if (!String(warning).includes('vm.USE_MAIN_CONTEXT_DEFAULT_LOADER')) warn(warning, ...rest);
};
const TAG = cachedDataVersionTag().toString(36);
const isToldTo = process.argv[1] === import.meta.filename && process.argv[2] === 'keep';
const keeps = isToldTo || process.env.KEEP_COMPILED === 'yes';
/** What is to be kept, by file. Bundles are shared, and each program keeps of them what it called itself. */
const compiled = new Map();
let program = '';
const usual = Module._extensions['.js'];

// As Node.js does it, with what was compiled before.
Module._extensions['.js'] = (loaded, filename) => {
  if (dirname(filename) !== FOLDER) return usual(loaded, filename);
  const kept = `${filename}.${program}.${TAG}.compiled`;
  const script = new Script(Module.wrap(readFileSync(filename, 'utf8')), {
    filename,
    cachedData: existsSync(kept) ? readFileSync(kept) : undefined,
    importModuleDynamically,
  });
  if (keeps) compiled.set(kept, script);
  const run = script.runInThisContext();
  run.call(loaded.exports, loaded.exports, createRequire(filename), loaded, filename, FOLDER);
};

/** Runs a program by the name of its bundle. */
export function start(name) {
  program = name;
  createRequire(import.meta.url)(`./${name}.js`);
}

if (keeps)
  process.once('exit', () => {
    for (const [file, script] of compiled) {
      // Of two of a kind that end together neither reads half a file.
      writeFileSync(`${file}.${process.pid}`, script.createCachedData());
      renameSync(`${file}.${process.pid}`, file);
    }
  });
if (isToldTo) {
  const [node, , , name, ...words] = process.argv;
  process.argv = [node, join(FOLDER, `${name}.js`), ...words];
  start(name);
}
