/**
 * How jobs ask the ledger: item by item, side by side, within a time. What cannot be done is noted and tried
 * again later and later; it keeps no other waiting.
 */
import type { InternalAnswer, InternalCommand } from '#contracts/api/internal';
import { LedgerAway, LedgerDeclined } from '../ledger-client.js';
import type { BehindKind, JobContext, Pages } from './context.js';
import { sideBySide } from './side-by-side.js';

/** A pass ends after this long; what is left is gone on with at once, in the next one. */
export const PASS_MS = 5_000;
/** So many are asked for in one pass; the next one goes on. */
const MOST_ITEMS = 20_000;

/** How a pass ended: `more` is to be done at once. */
export type PassEnd = 'done' | 'more';

/**
 * One thing to ask. Its name says what it is about and in which state, so that another state is another try.
 */
export interface Task {
  readonly name: string;
  readonly command: InternalCommand;
  /** What is done with the answer; without it the try is noted. */
  readonly onAnswer?: (answer: InternalAnswer) => Promise<unknown>;
  /** What is done where it could not be done now; it is noted all the same. */
  readonly onFailure?: (error: LedgerAway | LedgerDeclined) => Promise<unknown>;
}

/**
 * Asks for all that are due. Throws LedgerAway at once in an outage, which is no try of anything; at the end
 * for what could not be done.
 */
export async function askSideBySide(job: JobContext, tasks: readonly Task[]): Promise<PassEnd> {
  const endMs = job.now().getTime() + PASS_MS;
  const due = await job.attempts.due(tasks.map(({ name }) => name));
  const triesOf = ({ name }: Task): number => due.get(name) ?? 0;
  const dueTasks = tasks.filter(({ name }) => due.has(name));
  let failed = 0;
  const left = await sideBySide(
    {
      fresh: dueTasks.filter((task) => triesOf(task) === 0),
      retried: dueTasks.filter((task) => triesOf(task) > 0).sort((a, b) => triesOf(a) - triesOf(b)),
    },
    async ({ name, command, onAnswer, onFailure }) => {
      try {
        const answer = await job.ask(command);
        await (onAnswer ? onAnswer(answer) : job.attempts.note(name));
      } catch (error) {
        if (error instanceof LedgerDeclined) job.declined(command, error);
        else if (!(error instanceof LedgerAway) || error.isOutage) throw error;
        else failed += 1;
        await job.attempts.note(name);
        await onFailure?.(error);
      }
    },
    () => job.now().getTime() >= endMs,
  );
  if (left > 0) return 'more';
  if (failed > 0)
    throw new LedgerAway(`${failed} of ${dueTasks.length} could not be done now; they are tried again.`);
  return 'done';
}

/**
 * What stayed behind before this pass, each to be asked for by itself. What will never be is let go; what
 * cannot be done now stays behind.
 */
export function tasksBehind(
  job: JobContext,
  kind: BehindKind,
  behind: ReadonlyMap<string, Date>,
  commandFor: (id: string, since: Date) => InternalCommand,
): Task[] {
  return [...behind].map(([id, since]) => {
    const name = `behind-${kind}-${id}`;
    return {
      name,
      command: commandFor(id, since),
      onAnswer: (answer) =>
        answer.failed.length === 0 ? job.marks.caughtUp(kind, id) : job.attempts.note(name),
      onFailure: async (error) => {
        if (error instanceof LedgerDeclined && error.isFinal) await job.marks.caughtUp(kind, id);
      },
    };
  });
}

/**
 * What is to be asked now of the lines of a list, oldest first; each page is read after the last line of the
 * one before. Lines that were asked for already do not count: however many there are, the newest are come to.
 */
export async function dueTasks<Line>(
  job: JobContext,
  read: Pages<Line>,
  taskOf: (line: Line) => Task | undefined,
): Promise<Task[]> {
  const tasks: Task[] = [];
  for (let after: Line | undefined; tasks.length < MOST_ITEMS;) {
    const page = await read(after);
    const asked = page.flatMap((line) => taskOf(line) ?? []);
    const due = await job.attempts.due(asked.map(({ name }) => name));
    tasks.push(...asked.filter(({ name }) => due.has(name)));
    after = page.at(-1);
    if (after === undefined) break;
  }
  return tasks;
}

/** Looks through a list page by page; each page is read after the last line of the one before. */
export async function eachPage<Line>(
  read: Pages<Line>,
  use: (page: readonly Line[]) => Promise<void>,
): Promise<void> {
  let after: Line | undefined;
  do {
    const page = await read(after);
    await use(page);
    after = page.at(-1);
  } while (after !== undefined);
}
