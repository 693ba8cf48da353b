/** Appending to the event store by its client, with the timer that the client does not have. */
import {
  ANY,
  ErrorType,
  isCommandError,
  NO_STREAM as NO_STREAM_YET,
  type AppendResult,
  type EventData,
} from '@eventstore/db-client';
import { NO_STREAM, OutcomeUnknown, WrongExpectedRevision, type NewEvent } from '../event-log.js';
import { StoredContent } from '../stored-content.js';
import { messageOf } from './reading.js';
import type { StoreNode } from './store-node.js';

/** The store understood the append and will not do it: nothing was written. */
const REFUSALS = new Set<ErrorType>([
  ErrorType.STREAM_DELETED,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.ACCESS_DENIED,
  ErrorType.UNSUPPORTED,
]);
const encoder = new TextEncoder();

/** The one append that nothing comes before: of the store's clock, which tells no history. */
export const ANY_REVISION = 'any';

/**
 * See {@link EventLog.append}. The answer may lack the position. `answered` is called when the node has said
 * anything, also after the time is over.
 */
export async function append(
  node: Pick<StoreNode, 'client' | 'onLeave'>,
  stream: string,
  events: readonly NewEvent[],
  expectedRevision: number | typeof ANY_REVISION,
  timeoutMs: number,
  answered: () => void,
): Promise<AppendResult> {
  const appending = node.client.appendToStream(stream, events.map(eventData), {
    expectedRevision: revisionFor(expectedRevision),
    deadline: timeoutMs,
    requiresLeader: true,
  });
  appending.then(answered, answered);
  // The client sends the deadline and then waits for ever; a silent server must not hang us.
  let timer: NodeJS.Timeout | undefined;
  let stay = (): void => undefined;
  const unanswered = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OutcomeUnknown(`No answer within ${timeoutMs} ms`)), timeoutMs);
    stay = node.onLeave((because) => reject(new OutcomeUnknown(because)));
  });
  try {
    const appended = await Promise.race([appending, unanswered]);
    // The client can be told to return this instead of throwing it.
    if (!appended.success) throw new WrongExpectedRevision(stream, Number(expectedRevision));
    return appended;
  } catch (error) {
    if (error instanceof OutcomeUnknown || error instanceof WrongExpectedRevision) throw error;
    const type = error instanceof Error && isCommandError(error) ? error.type : undefined;
    if (type === ErrorType.WRONG_EXPECTED_VERSION && expectedRevision !== ANY_REVISION)
      throw new WrongExpectedRevision(stream, expectedRevision);
    // In an outage the client rejects with raw gRPC errors as well as its own: whatever is not a refusal
    // leaves it open.
    if (type !== undefined && REFUSALS.has(type)) throw error;
    throw new OutcomeUnknown(messageOf(error), { cause: error });
  } finally {
    clearTimeout(timer);
    stay();
  }
}

function revisionFor(expected: number | typeof ANY_REVISION): typeof ANY | typeof NO_STREAM_YET | bigint {
  if (expected === ANY_REVISION) return ANY;
  return expected === NO_STREAM ? NO_STREAM_YET : BigInt(expected);
}

function eventData({ id, type, data, metadata }: NewEvent): EventData {
  const said = valueOf(data);
  const beside = valueOf(metadata);
  return {
    id,
    type,
    contentType: ArrayBuffer.isView(said) ? 'application/octet-stream' : 'application/json',
    data: said,
    // Metadata as bytes spares the client a turn through base64.
    metadata:
      ArrayBuffer.isView(beside) || beside === undefined ? beside : encoder.encode(JSON.stringify(beside)),
  } as EventData;
}

const valueOf = (content: unknown): unknown => (content instanceof StoredContent ? content.value : content);
