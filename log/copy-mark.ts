/**
 * The mark of a log that is being made as a copy of another: in the metadata of a stream that is never
 * written, so that it is no part of our history. Half a copy has nothing else that tells it from a log.
 */
import { randomUUID } from 'node:crypto';
import { NO_STREAM, type EventLog, type RawEvent } from './event-log.js';

const MARK_STREAM = '$$encore-copy';
const TIMEOUT_MS = 30_000;

/** How far the making of a copy has come. */
type CopyState = 'under way' | 'complete';

/** The state of the copy that this log is; undefined for a log that is none. Throws LogUnavailable. */
export async function copyStateOf(log: Pick<EventLog, 'lastOf'>): Promise<CopyState | undefined> {
  return stateOf(await log.lastOf(MARK_STREAM));
}

function stateOf(last: RawEvent | undefined): CopyState | undefined {
  const mark = last?.data.value;
  if (typeof mark !== 'object' || mark === null || !('copy' in mark)) return undefined;
  return mark.copy === 'complete' ? 'complete' : 'under way';
}

/** The log is a copy that was interrupted: whoever began on it would write a history of its own. */
export class IncompleteCopy extends Error {
  override readonly name = 'IncompleteCopy';
}

/** Throws {@link IncompleteCopy} for a copy under way; LogUnavailable. */
export async function assertWhole(log: Pick<EventLog, 'lastOf'>): Promise<void> {
  if ((await copyStateOf(log)) === 'under way')
    throw new IncompleteCopy(
      'The log is a copy that is not complete. Run the command that copies or restores it again (docs/how-to/move.md, docs/how-to/back-up.md), and start this process after it.',
    );
}

/**
 * Marks a log as a copy in this state, where it is not marked so. Throws OutcomeUnknown and LogUnavailable.
 */
export async function markCopy(log: Pick<EventLog, 'lastOf' | 'append'>, state: CopyState): Promise<void> {
  const last = await log.lastOf(MARK_STREAM);
  if (stateOf(last) === state) return;
  const mark = { id: randomUUID(), type: '$metadata', data: { copy: state }, metadata: {} };
  await log.append(MARK_STREAM, [mark], last?.revision ?? NO_STREAM, TIMEOUT_MS);
}
