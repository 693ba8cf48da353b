/**
 * Runs steps that have not passed yet, keeps how each run ended, and tells all of it as a page. What was
 * interrupted goes on where it was; what has failed is run again, and the failure stays on the page.
 */
import type { Part, Step } from './parts.js';

/** How one run of a step ended. */
export interface StepRun {
  readonly step: string;
  readonly startedAt: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  readonly isRight: boolean;
}

/** The runs of one state of the code. */
export interface RunRecord {
  runs(): readonly StepRun[];
  add(run: StepRun): void;
}

/**
 * The last count in what a command said: `12 passed, 0 failed`, or of stories `250 stories right, 0 wrong`.
 */
export function countIn(output: string): { passed: number; failed: number } | undefined {
  const last = [...output.matchAll(/^(\d+) (?:passed|stories right), (\d+) (?:failed|wrong)\b/gm)].at(-1);
  return last && { passed: Number(last[1]), failed: Number(last[2]) };
}

/**
 * Runs what has not passed yet of the parts, in their order. Whether all of it has passed now.
 */
export async function prove(
  parts: readonly Part[],
  record: RunRecord,
  run: (step: Step) => Promise<StepRun>,
): Promise<boolean> {
  const hasPassed = ({ id }: Step): boolean =>
    record.runs().some(({ step, isRight }) => step === id && isRight);
  for (const step of parts.flatMap(({ steps }) => steps)) if (!hasPassed(step)) record.add(await run(step));
  return parts.every(({ steps }) => steps.every(hasPassed));
}

/** Which part a row of the page is about; undefined for other lines. */
const partOf = (line: string): string | undefined => /^\| `([^`]+)` \|/.exec(line)?.[1];

/**
 * The page that is checked in: of each part how often it ran, what passed and failed in it, for which commit
 * and when. A part without a run of this code keeps the line that `before`, the page as it is, has of it:
 * what was shown then.
 */
export function reportOf(
  parts: readonly Part[],
  runs: readonly StepRun[],
  told: { readonly commit: string; readonly date: string; readonly machine: string },
  before = '',
): string {
  const linesBefore = before.split('\n');
  const kept = new Map(linesBefore.map((line) => [partOf(line), line]));
  const rows = parts.map(({ name, shows, steps }) => {
    const own = runs.filter(({ step }) => steps.some(({ id }) => id === step));
    if (own.length === 0)
      return kept.get(name) ?? `| \`${name}\` | ${shows} | 0 of ${steps.length} |  |  |  |  |  |  |`;
    const done = steps.filter(({ id }) => own.some(({ step, isRight }) => step === id && isRight)).length;
    const sum = (of: (run: StepRun) => number): number => own.reduce((total, run) => total + of(run), 0);
    const wrong = own.filter(({ isRight }) => !isRight).length;
    const minutes = (sum(({ seconds }) => seconds) / 60).toFixed(0);
    const counts = [`${done} of ${steps.length}`, sum(({ passed }) => passed), sum(({ failed }) => failed)];
    return `| \`${name}\` | ${shows} | ${[...counts, wrong, minutes, told.commit, told.date].join(' | ')} |`;
  });
  const ranNow = new Set(
    parts
      .map(({ steps }) => steps.map(({ id }) => id))
      .filter((ids) => runs.some(({ step }) => ids.includes(step)))
      .flat(),
  );
  const failures = [
    ...linesBefore.filter((line) => {
      const step = /^- (.*), begun /.exec(line)?.[1];
      return step !== undefined && !ranNow.has(step);
    }),
    ...runs
      .filter(({ isRight }) => !isRight)
      .map(({ step, startedAt, failed }) => `- ${step}, begun ${startedAt}: ${failed} failed`),
  ];
  return [
    '# Proofs',
    '',
    `Written by \`make prove\`, last on ${told.machine}. Each line is of the commit at its end.`,
    'Each run counts, also one that failed and was repeated.',
    '',
    '| part | shows | steps passed | tests passed | tests failed | runs failed | minutes | commit | on |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    ...(failures.length === 0 ? ['No run failed.'] : ['Failed runs:', '', ...failures]),
    '',
  ].join('\n');
}
