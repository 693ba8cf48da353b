/** `make prove` goes on where it was interrupted, runs again what failed, and hides no failure. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '#local/launch/program';
import { PARTS, type Part, type Step } from './parts.js';
import { countIn, prove, reportOf, type RunRecord, type StepRun } from './prove.js';

const step = (id: string): Step => ({ id, command: ['true'], isBusy: false });
const part = (name: string, ...ids: string[]): Part => ({ name, shows: name, steps: ids.map(step) });
/** Who imports `sampled`. */
const SAMPLED = /^import .* from '#test\/support\/sample'/m;
const parts = [part('seeds', 'seeds 1', 'seeds 2'), part('crashes', 'crashes 1')];

function recordOf(runs: StepRun[] = []): RunRecord & { readonly all: StepRun[] } {
  return { all: runs, runs: () => runs, add: (run) => void runs.push(run) };
}
/** Runs steps as told; those named fail. */
function runner(...failing: string[]) {
  const ran: string[] = [];
  const run = ({ id }: Step): Promise<StepRun> => {
    ran.push(id);
    const isRight = !failing.includes(id);
    const [passed, failed] = isRight ? [3, 0] : [2, 1];
    return Promise.resolve({
      step: id,
      startedAt: '2026-11-22T12:00:00.000Z',
      seconds: 60,
      passed,
      failed,
      isRight,
    });
  };
  return { ran, run };
}

describe('make prove', () => {
  it('runs every step of every part once, in order', async () => {
    const { ran, run } = runner();
    expect(await prove(parts, recordOf(), run)).toBe(true);
    expect(ran).toEqual(['seeds 1', 'seeds 2', 'crashes 1']);
  });

  it('goes on after an interruption with the step that was under way', async () => {
    const record = recordOf();
    const { run } = runner();
    const interrupted = prove(parts, record, (each) =>
      each.id === 'seeds 2' ? Promise.reject(new Error('Ctrl-C')) : run(each),
    );
    await expect(interrupted).rejects.toThrow('Ctrl-C');
    const again = runner();
    expect(await prove(parts, record, again.run)).toBe(true);
    expect(again.ran).toEqual(['seeds 2', 'crashes 1']);
  });

  it('runs nothing again that has passed, and again what failed', async () => {
    const record = recordOf();
    const first = runner('seeds 2');
    expect(await prove(parts, record, first.run)).toBe(false);
    expect(first.ran).toEqual(['seeds 1', 'seeds 2', 'crashes 1']);
    const second = runner();
    expect(await prove(parts, record, second.run)).toBe(true);
    expect(second.ran).toEqual(['seeds 2']);
    expect(await prove(parts, record, runner('seeds 1').run)).toBe(true);
  });

  it('runs one part by itself, and says whether that part is proven', async () => {
    const record = recordOf();
    const { ran, run } = runner();
    expect(await prove(parts.slice(1), record, run)).toBe(true);
    expect(ran).toEqual(['crashes 1']);
    const page = reportOf(parts, record.all, { commit: 'abc', date: '2026-11-22', machine: 'two cores' });
    expect(page).toContain('| `seeds` | seeds | 0 of 2 |  |');
    expect(page).toContain('| `crashes` | crashes | 1 of 1 | 3 | 0 | 0 | 1 | abc | 2026-11-22 |');
    expect(page).toContain('No run failed.');
  });

  it('keeps a failure in its report after the repetition has passed', async () => {
    const record = recordOf();
    await prove(parts, record, runner('seeds 2').run);
    await prove(parts, record, runner().run);
    const page = reportOf(parts, record.all, { commit: 'abc', date: '2026-11-22', machine: 'two cores' });
    expect(page).toContain('last on two cores');
    expect(page).toContain('| `seeds` | seeds | 2 of 2 | 8 | 1 | 1 | 3 | abc | 2026-11-22 |');
    expect(page).toContain('- seeds 2, begun 2026-11-22T12:00:00.000Z: 1 failed');
  });

  it('keeps what an earlier commit has shown until the part runs again', async () => {
    const told = { commit: 'abc', date: '2026-11-22', machine: 'two cores' };
    const earlier = recordOf();
    await prove(parts, earlier, runner('seeds 2', 'crashes 1').run);
    const before = reportOf(parts, earlier.all, told);
    const later = recordOf();
    await prove(parts.slice(1), later, runner().run);
    const page = reportOf(parts, later.all, { ...told, commit: 'def', date: '2026-11-23' }, before);
    expect(page).toContain('| `seeds` | seeds | 1 of 2 | 5 | 1 | 1 | 2 | abc | 2026-11-22 |');
    expect(page).toContain('| `crashes` | crashes | 1 of 1 | 3 | 0 | 0 | 1 | def | 2026-11-23 |');
    expect(page.match(/^- .*/gm)).toEqual(['- seeds 2, begun 2026-11-22T12:00:00.000Z: 1 failed']);
  });

  it('reads the count in the last line of a suite and of the simulator', () => {
    expect(countIn('1 passed, 1 failed\n…\n\n2331 passed, 0 failed\n')).toEqual({ passed: 2331, failed: 0 });
    expect(countIn('\n249 stories right, 1 wrong, in 61 s.\n')).toEqual({ passed: 249, failed: 1 });
    expect(countIn('Killed')).toBeUndefined();
  });

  it('runs every suite whole that takes a sample in `make test`', () => {
    const folders = ['audit', 'ledger', 'local', 'log', 'processes', 'projections', 'test', 'workers'];
    const suites = folders
      .flatMap((folder) =>
        readdirSync(join(repositoryRoot(), folder), { recursive: true, encoding: 'utf8' }).map((name) =>
          join(folder, name),
        ),
      )
      .filter((path) => path.endsWith('.spec.ts'))
      .filter((path) => SAMPLED.test(readFileSync(join(repositoryRoot(), path), 'utf8')));
    const whole = PARTS.flatMap(({ steps }) => steps).filter(({ env }) => env?.WHOLE === 'yes');
    const patterns = whole.flatMap(({ command }) => command.slice(command.indexOf('--testPathPatterns') + 1));
    expect(suites.length).toBeGreaterThan(5);
    expect(suites.filter((path) => !patterns.some((pattern) => path.includes(pattern)))).toEqual([]);
  });

  it('has parts with names and steps of their own, of suites that are there', () => {
    const names = PARTS.map(({ name }) => name);
    const ids = PARTS.flatMap(({ steps }) => steps.map(({ id }) => id));
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(ids).size).toBe(ids.length);
    const crashes = PARTS.find(({ name }) => name === 'crashes')!.steps[0]!.command;
    const suites = crashes.slice(crashes.indexOf('--testPathPatterns') + 1);
    const isThere = (suite: string): boolean =>
      ['e2e', 'int', 'drill'].some((kind) => existsSync(join(repositoryRoot(), `${suite}.${kind}.spec.ts`)));
    expect(suites.filter((suite) => !isThere(suite))).toEqual([]);
  });
});
