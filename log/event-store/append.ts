/** Appending to the event store by its client, with the timer that the client does not have. */
import {
  ErrorType,
  isCommandError,
  NO_STREAM as NO_STREAM_YET,
  type AppendResult,
  type EventData,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { NO_STREAM, OutcomeUnknown, WrongExpectedRevision, type NewEvent } from '../event-log.js';
import { StoredContent } from '../stored-content.js';
import { messageOf } from './reading.js';

/** The store understood the append and will not do it: nothing was written. */
const REFUSALS = new Set<ErrorType>([
  ErrorType.STREAM_DELETED,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.ACCESS_DENIED,
  ErrorType.UNSUPPORTED,
]);
const encoder = new TextEncoder();

/** See {@link EventLog.append}. The answer may lack the position. */
export async function append(
  client: EventStoreDBClient,
  stream: string,
  events: readonly NewEvent[],
  expectedRevision: number,
  timeoutMs: number,
): Promise<AppendResult> {
  const appending = client.appendToStream(stream, events.map(eventData), {
    expectedRevision: expectedRevision === NO_STREAM ? NO_STREAM_YET : BigInt(expectedRevision),
    deadline: timeoutMs,
  });
  // The client sends the deadline and then waits for ever; a silent server must not hang us.
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OutcomeUnknown(`No answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([appending, late]);
  } catch (error) {
    void appending.catch(() => undefined);
    if (error instanceof OutcomeUnknown) throw error;
    const type = error instanceof Error && isCommandError(error) ? error.type : undefined;
    if (type === ErrorType.WRONG_EXPECTED_VERSION) throw new WrongExpectedRevision(stream, expectedRevision);
    // In an outage the client rejects with raw gRPC errors as well as its own: whatever is not a refusal
    // leaves it open.
    if (type !== undefined && REFUSALS.has(type)) throw error;
    throw new OutcomeUnknown(messageOf(error), { cause: error });
  } finally {
    clearTimeout(timer);
  }
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
