/**
 * The one stream that a client sends all its appends through, and its answers come by. The client keeps a
 * stream that the server has ended in order, and one whose answer it has failed to read: all appends after
 * that would wait in vain, for good. Such a stream is ended here, with an error: the client then rejects what
 * is on its way and makes a new one.
 */
import { Metadata, status, type ClientDuplexStream, type StatusObject } from '@grpc/grpc-js';
import { messageOf } from './reading.js';

/** The name under which the client makes it. */
const APPENDING = 'appendToStream';

type AppendStream = ClientDuplexStream<unknown, unknown>;
type Open = (grpc: unknown) => unknown;

/** What the client makes its calls with; it is no part of its documented interface. */
interface StreamMaker {
  GRPCStreamCreator: (client: unknown, name: string, open: Open, cache?: unknown) => () => Promise<unknown>;
  supports: (...asked: unknown[]) => Promise<boolean>;
}

/**
 * The store did not say what it can do, which the client asks before its first append. It keeps that failure,
 * and gives it to every append after that.
 */
export class FeaturesUnknown extends Error {
  override readonly name = 'FeaturesUnknown';
  readonly code: unknown;

  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
    this.code = (cause as { readonly code?: unknown } | undefined)?.code;
  }
}

/**
 * Ends a client's stream of appends when it can no longer be used; the client itself does not. Appends that
 * never had one fail with {@link FeaturesUnknown}.
 */
export function watchAppends(client: object): void {
  const inside = client as Partial<StreamMaker>;
  const { GRPCStreamCreator: make, supports } = inside;
  if (typeof make !== 'function' || typeof supports !== 'function') return;
  inside.supports = (...asked) =>
    supports(...asked).catch((error: unknown) => {
      throw new FeaturesUnknown(error);
    });
  inside.GRPCStreamCreator = (grpc, name, open, cache) =>
    make(grpc, name, name === APPENDING ? (opened) => watched(open(opened) as AppendStream) : open, cache);
}

function watched(stream: AppendStream): AppendStream {
  for (const take of stream.listeners('data')) {
    stream.off('data', take as () => void);
    stream.on('data', (answer: unknown) => {
      try {
        take.call(stream, answer);
      } catch {
        // Of an append that nobody waits for, or that was never sent: whose answer comes next is not certain.
        end(stream, 'The event store answered an append that was not sent, or twice');
        stream.cancel();
      }
    });
  }
  return stream
    .on('status', ({ code }: StatusObject) => {
      if (code === status.OK) end(stream, 'The event store ended the stream of appends');
    })
    .prependListener('error', (error: Error & { details?: string }) => {
      // The client looks into the details of every error that has a code, and throws where there are none.
      error.details ??= error.message;
    });
}

function end(stream: AppendStream, details: string): void {
  stream.destroy(
    Object.assign(new Error(details), { code: status.UNKNOWN, details, metadata: new Metadata() }),
  );
}
