/**
 * All that issues must show and that `make test` has no time for:
 *
 *     make prove                  all parts, in order; what has passed for this code is not run again
 *     make prove PART=crashes     one of them
 *
 * Runs and logs are kept in `.prove/`, by the code that they ran; the page is docs/reference/proofs.md.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '#local/launch/program';
import { PARTS, type Step } from './parts.js';
import { countIn, prove, reportOf, type RunRecord, type StepRun } from './prove.js';

const ROOT = repositoryRoot();
const REPORT = 'docs/reference/proofs.md';
const TAIL_CHARACTERS = 20_000;

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

/** What the commit holds but for the report itself, which is committed after it was written. */
function codeOfCommit(): string {
  const lines = git('ls-tree', '-r', 'HEAD')
    .split('\n')
    .filter((line) => !line.endsWith(`\t${REPORT}`));
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 12);
}

/** A file of one run a line: an interruption loses the run that was under way, and no other. */
function recordIn(folder: string): RunRecord {
  const file = join(folder, 'runs.jsonl');
  const read = (): StepRun[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as StepRun)
      : [];
  return { runs: read, add: (run) => appendFileSync(file, `${JSON.stringify(run)}\n`) };
}

/** One process that keeps all cores busy; call what it answers to end it. */
function keepBusy(): () => void {
  const spin = `const { Worker } = require('node:worker_threads');
    for (let n = 1; n < ${availableParallelism()}; n += 1) new Worker('for (;;);', { eval: true });
    setInterval(() => { if (process.ppid === 1) process.exit(); for (const end = Date.now() + 1000; Date.now() < end;); }, 1);`;
  const busy = spawn(process.execPath, ['-e', spin], { stdio: 'ignore' });
  return () => void busy.kill('SIGKILL');
}

async function runIn(folder: string, step: Step): Promise<StepRun> {
  const startedAt = new Date();
  const log = join(folder, `${step.id.replaceAll(' ', '-')}-${startedAt.getTime()}.log`);
  process.stdout.write(`${step.id} … `);
  const free = step.isBusy ? keepBusy() : undefined;
  const [command = '', ...args] = step.command;
  const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, ...step.env } });
  const kept = createWriteStream(log);
  let tail = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      kept.write(bytes);
      tail = (tail + bytes.toString('utf8')).slice(-TAIL_CHARACTERS);
    });
  const exit = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  free?.();
  kept.end();
  const { passed, failed } = countIn(tail) ?? { passed: 0, failed: 1 };
  const isRight = exit === 0 && failed === 0 && passed > 0;
  const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
  console.log(`${passed} passed, ${failed} failed, ${seconds} s${isRight ? '' : `: ${log}`}`);
  return { step: step.id, startedAt: startedAt.toISOString(), seconds, passed, failed, isRight };
}

const wanted = process.env.PART ?? '';
const parts = wanted === '' ? PARTS : PARTS.filter(({ name }) => name === wanted);
if (parts.length === 0) {
  console.error(`There is no part ${wanted}. There are: ${PARTS.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const changed = git('status', '--porcelain')
  .split('\n')
  .filter((line) => line !== '' && !line.endsWith(REPORT));
if (changed.length > 0) {
  console.error(`What is proven is a commit. Commit these first:\n${changed.join('\n')}`);
  process.exit(2);
}
const folder = join(ROOT, '.prove', codeOfCommit());
mkdirSync(folder, { recursive: true });
const record = recordIn(folder);
const provenOn = {
  commit: git('rev-parse', '--short', 'HEAD'),
  date: new Date().toISOString().slice(0, 10),
  machine: `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node.js ${process.version}`,
};
const page = join(ROOT, REPORT);
function report(): void {
  const before = existsSync(page) ? readFileSync(page, 'utf8') : '';
  writeFileSync(page, reportOf(PARTS, record.runs(), provenOn, before));
}
// After each step as well: a run that is interrupted has told what it did.
const told: RunRecord = {
  ...record,
  add: (run) => {
    record.add(run);
    report();
  },
};
const isProven = await prove(parts, told, async (step) => runIn(folder, step));
report();
const what = wanted === '' ? 'every part' : `part ${wanted}`;
console.log(`\n${isProven ? 'Passed' : 'Not all passed'}, ${what}: ${REPORT}.`);
process.exitCode = isProven ? 0 : 1;
