/** How jobs ask the ledger: on and on where one command cannot be done, page after page, and again what stayed behind. */
import type { InternalAnswer, InternalCommand } from '#contracts/api/internal';
import { LedgerAway, LedgerDeclined } from '../ledger-client.js';
import type { BehindKind, JobContext, Pages } from './context.js';

/** So many failures in a row mean that the ledger itself is away. */
const FAILURES_IN_A_ROW = 3;

/**
 * Asks on where one command is declined or cannot be done now: what the provider chokes on must not keep the
 * others waiting. Throws LedgerAway where too many in a row came to nothing.
 */
export function asksOn(job: JobContext) {
  let inARow = 0;
  return async (
    command: InternalCommand,
  ): Promise<
    { answer: InternalAnswer; failure?: never } | { answer?: never; failure: LedgerAway | LedgerDeclined }
  > => {
    try {
      const answer = await job.ask(command);
      inARow = 0;
      return { answer };
    } catch (error) {
      if (error instanceof LedgerDeclined) job.declined(command, error);
      else if (!(error instanceof LedgerAway) || ++inARow === FAILURES_IN_A_ROW) throw error;
      return { failure: error };
    }
  };
}

/**
 * Passes over what the ledger declines. Throws LedgerAway at the end for what cannot be done now, so that the
 * whole pass is made again.
 */
export async function askEach<C extends InternalCommand>(
  commands: Iterable<C>,
  job: JobContext,
  onAnswer: (command: C) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const ask = asksOn(job);
  let away: LedgerAway | undefined;
  for (const command of commands) {
    const { failure } = await ask(command);
    if (failure instanceof LedgerAway) away = failure;
    if (failure instanceof LedgerAway && failure.isOutage) continue;
    await onAnswer(command);
  }
  if (away) throw away;
}

/**
 * Asks by itself for each that was behind before this pass. What will never be is let go; what cannot be done
 * now stays behind, and keeps no other waiting. Answers what there is to tell where any stays.
 */
export async function catchUp(
  job: JobContext,
  kind: BehindKind,
  behind: ReadonlyMap<string, Date>,
  commandFor: (id: string, since: Date) => InternalCommand,
): Promise<LedgerAway | undefined> {
  let staying = 0;
  for (const [id, since] of behind) {
    const command = commandFor(id, since);
    let isOver: boolean;
    try {
      isOver = (await job.ask(command)).failed.length === 0;
    } catch (error) {
      if (error instanceof LedgerDeclined) job.declined(command, error);
      else if (!(error instanceof LedgerAway) || error.isOutage) throw error;
      isOver = error instanceof LedgerDeclined && error.isFinal;
    }
    if (isOver) await job.marks.caughtUp(kind, id);
    else staying += 1;
  }
  if (staying === 0) return undefined;
  return new LedgerAway(
    `${staying} of the ${kind} that are behind could not be looked into; they are asked again.`,
  );
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
