/** Appending to the event store by its client, with the timer that the client does not have. */
import {
  ANY,
  ErrorType,
  isCommandError,
  NO_STREAM as NO_STREAM_YET,
  type MaxAppendSizeExceededError,
  type AppendResult,
  type EventData,
} from '@eventstore/db-client';
import {
  AppendDenied,
  NO_STREAM,
  OutcomeUnknown,
  WrongExpectedRevision,
  type NewEvent,
} from '../event-log.js';
import { StoredContent } from '../stored-content.js';
import { FeaturesUnknown } from './append-stream.js';
import { messageOf } from './reading.js';
import type { StoreNode } from './store-node.js';

/** The store understood the append and will not do it: nothing was written. */
const REFUSALS = new Set<ErrorType>([
  ErrorType.STREAM_DELETED,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.UNSUPPORTED,
]);
/**
 * The deadline goes out as a time of this machine's clock, and the store refuses an append that comes after
 * it by its own. A clock that is so far behind the store's stops no writes.
 */
const CLOCK_BEHIND_MS = 48 * 3_600_000;
const encoder = new TextEncoder();

/** The one append that nothing comes before: of the store's clock, which tells no history. */
export const ANY_REVISION = 'any';

/**
 * See {@link EventLog.append}. The answer may lack the position. `answered` is called when the node has said
 * anything to the append, also after the time is over.
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
    deadline: timeoutMs + CLOCK_BEHIND_MS,
    requiresLeader: true,
  });
  appending.then(answered, (error: unknown) => {
    if (!(error instanceof FeaturesUnknown)) answered();
  });
  // The client sends the deadline and then waits for ever; a silent server must not hang us.
  let timer: NodeJS.Timeout | undefined;
  let stay = (): void => undefined;
  const unanswered = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new OutcomeUnknown(`No answer within ${Math.round(timeoutMs)} ms`)),
      timeoutMs,
    );
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
    if (type === ErrorType.ACCESS_DENIED) throw new AppendDenied(denialOf(stream), { cause: error });
    // In an outage the client rejects with raw gRPC errors as well as its own: whatever is not a refusal
    // leaves it open.
    if (type !== undefined && REFUSALS.has(type))
      throw new Error(refusalOf(type, stream, error), { cause: error });
    throw new OutcomeUnknown(messageOf(error), { cause: error });
  } finally {
    clearTimeout(timer);
    stay();
  }
}

function denialOf(stream: string): string {
  // Who may write the metadata of a stream is a right of its own, of that stream.
  const [described, right] = stream.startsWith('$$') ? [stream.slice(2), '$mw'] : [stream, '$w'];
  return `The event store does not let our user append to the stream "${stream}". If it has another password now, correct the setting; else an administrator of the event store allows it in the metadata of "${described}" ("$acl", "${right}"), or for all streams in $settings ("$userStreamAcl").`;
}

/** What a refusal means, and what to do about it. */
function refusalOf(type: ErrorType, stream: string, error: unknown): string {
  if (type === ErrorType.STREAM_DELETED)
    return `The stream "${stream}" was deleted at the event store for good, and takes nothing any more: bring the log back from a backup.`;
  if (type === ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED)
    return `The event store takes no more than ${(error as MaxAppendSizeExceededError).maxAppendSize} bytes in one append: set its EVENTSTORE_MAX_APPEND_SIZE to 1048576, the default.`;
  return messageOf(error);
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
