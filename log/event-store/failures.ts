/**
 * What a failed call says of the node that was asked. Codes alone do not tell: the text decides, and one that
 * is not known says nothing of the node.
 */
import { ErrorType, isCommandError } from '@eventstore/db-client';
import { isDrop, messageOf } from './reading.js';

/**
 * `broken`: the connection is gone. `not-ready`: it starts, or is cut off from the other nodes.
 * `not-leader`: another node leads. `answered`: it is well. `other`: nobody can tell.
 */
type NodeFailure = 'broken' | 'not-ready' | 'not-leader' | 'answered' | 'other';

const UNAVAILABLE = 14;
const NOT_READY = /server is not ready/i;
/** The server is there and has too much to do. */
const BUSY = /server is (too )?busy/i;
const NOT_LEADER = /not[- ]leader|leader info available/i;
/** Said by the gRPC library of a connection that it has closed. */
const CLOSED = /channel (has been|was) (shut down|closed)|channel closed before/i;

export function nodeFailure(error: unknown): NodeFailure {
  const message = messageOf(error);
  if (NOT_READY.test(message)) return 'not-ready';
  const { code, type, metadata } = (error ?? {}) as {
    readonly code?: unknown;
    readonly type?: unknown;
    readonly metadata?: { readonly get?: (key: string) => readonly unknown[] };
  };
  const said = isCommandError(error as Error) ? type : metadata?.get?.('exception')[0];
  if (said === ErrorType.NOT_LEADER || (said === undefined && NOT_LEADER.test(message))) return 'not-leader';
  if (BUSY.test(message) || isDrop(error)) return 'answered';
  if (code === UNAVAILABLE || said === ErrorType.UNAVAILABLE || CLOSED.test(message)) return 'broken';
  return 'other';
}
