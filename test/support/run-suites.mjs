// Runs every suite. At most three that fail beside two others on two cores are run once more, alone, and the
// run names them: what passes then raced with the machine, and what fails again is wrong. More than three are
// no accident, and AGAIN=no (`make prove`) takes every failure at its word. Arguments are jest's.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { closingLine } from './closing-line.mjs';

const MOST = 3;
const SHORT_LIVED = join(import.meta.dirname, 'short-lived.cjs');
const folder = mkdtempSync(join(tmpdir(), 'encore-suites-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** What a run of these suites counted; undefined where it ended before it could count. */
async function run(...args) {
  const file = join(folder, 'outcome');
  rmSync(file, { force: true });
  const child = spawn(
    process.execPath,
    ['node_modules/jest/bin/jest.js', ...process.argv.slice(2), ...args],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        NODE_ENV: 'test',
        OUTCOME: file,
        TOGETHER: 'yes',
        NODE_OPTIONS: `--experimental-vm-modules --disable-warning=ExperimentalWarning --require "${SHORT_LIVED}"`,
      },
    },
  );
  // Ctrl-C reaches it as well, and it has to put away what it started.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const sum = (suites, count) => suites.reduce((total, suite) => total + suite[count], 0);

let outcome = await run();
const failed = outcome?.failedSuites ?? [];
if (failed.length > 0 && failed.length <= MOST && process.env.AGAIN !== 'no') {
  const names = failed.map(({ path }) => relative(process.cwd(), path)).join(', ');
  console.log(`\nOnce more, alone: ${names}\n`);
  const again = await run('--runInBand', '--runTestsByPath', ...failed.map(({ path }) => path));
  if (again) {
    const total = (count) => outcome[count] - sum(failed, count) + again[count];
    outcome = { passed: total('passed'), failed: total('failed'), skipped: total('skipped') };
    if (again.failed === 0) console.log(`\nFailed in the crowd and passed alone: ${names}`);
  }
}
console.log(`\n${closingLine(outcome ?? { passed: 0, failed: 1, skipped: 0 })}`);
process.exitCode = outcome?.failed === 0 ? 0 : 1;
