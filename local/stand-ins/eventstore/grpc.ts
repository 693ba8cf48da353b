/**
 * gRPC over node:http2, as much of it as a store needs. It exists because a gRPC library writes one HTTP/2
 * frame and runs a chain of interceptors for each message; here a read sends hundreds of stored events,
 * already framed, in one write, and the answers to all appends of one commit leave together.
 */
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  constants,
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Duplex } from 'node:stream';
import { createServer as createSocketServer, Socket, type Server } from 'node:net';

/** gRPC's status codes, those in use here. */
export const GrpcStatus = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

/** A call's refusal: it ends the call with a status, a sentence and trailers that a client can read. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError';
  constructor(
    readonly status: number,
    message: string,
    readonly trailers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** What a service does with what a client sends in one call. */
export interface CallHandler {
  message(bytes: Buffer): void;
  /** The client has sent all it will. */
  end(): void;
  /** The call is over, whoever ended it. */
  closed(): void;
}

export type Service = Readonly<Record<string, (call: GrpcCall) => CallHandler>>;

// EventStoreDB lets clients send up to 17 MB, more than any append it accepts, so that the refusal is one
// they understand.
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;
const WINDOW_BYTES = 4 * 1024 * 1024;
const PREFIX_BYTES = 5;
const HTTP2_OPTIONS = {
  settings: { initialWindowSize: WINDOW_BYTES, maxConcurrentStreams: 100_000 },
  maxSessionMemory: 1_000,
  // Clients may give up reads half-way as often as they like. Node 20 does not know these two and closes a
  // connection that resets more than about a thousand calls at once and then 33 a second.
  streamResetBurst: 1_000_000,
  streamResetRate: 1_000_000,
};

/** What a server shows to clients that want TLS: a certificate and its key, in PEM form. */
export interface Identity {
  readonly certificate: Buffer;
  readonly key: Buffer;
}

/** How a server is reached. */
export interface Access {
  /** Without it the server speaks in the clear. */
  readonly identity?: Identity;
  /** Lets a call pass, or throws what ends it. Asked once for each call, before anything of it is read. */
  readonly admit?: (path: string, headers: IncomingHttpHeaders) => void;
  /** Lets a reader of $all pass, or throws; `readers` are those that the metadata of $all names. */
  readonly admitToAll?: (headers: IncomingHttpHeaders, readers: readonly string[]) => void;
  /** What `/health/live` tells. Without it the server can always be used. */
  readonly isLive?: () => boolean;
}

const LIVE_PATH = '/health/live';
const HTTP2_BEGINS = Buffer.from('PRI');

/** One call in progress. */
export class GrpcCall {
  private responded = false;
  private finished = false;
  private trailers: Record<string, string> = {};
  private handler: CallHandler | undefined;
  private received: Buffer[] = [];
  private receivedBytes = 0;
  private drains: (() => void)[] = [];
  /** True once nothing more can be sent. */
  closed = false;

  constructor(
    private readonly stream: ServerHttp2Stream,
    readonly headers: IncomingHttpHeaders,
  ) {
    stream.on('drain', () => this.release());
    stream.on('wantTrailers', () => {
      if (stream.destroyed) return;
      stream.sendTrailers(this.trailers);
      this.dismiss();
    });
    // A client that goes away resets its streams: that is the end of the call, told by 'close'.
    stream.on('error', () => undefined);
    stream.on('close', () => {
      this.closed = true;
      this.release();
      this.handler?.closed();
    });
  }

  start(handler: CallHandler): void {
    this.handler = handler;
    this.stream.on('data', (chunk: Buffer) => this.receive(chunk));
    this.stream.on('end', () => {
      if (!this.finished) this.guard(() => handler.end());
    });
  }

  /** Sends messages that already carry gRPC's prefix. False: wait for {@link drained} before sending more. */
  write(frames: Buffer): boolean {
    if (this.closed || this.finished) return false;
    this.respond();
    return this.stream.write(frames);
  }

  /** Sends several pieces in one go. */
  writeAll(pieces: readonly Buffer[]): boolean {
    return this.write(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
  }

  /** Whether something of what was written has not left yet. */
  get hasUnsent(): boolean {
    return !this.closed && this.stream.writableLength > 0;
  }

  /** Resolves when more may be sent, or when the call is over. */
  drained(): Promise<void> {
    if (this.closed || this.finished || !this.stream.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => this.drains.push(resolve));
  }

  finish(): void {
    this.close(GrpcStatus.OK, '', {});
  }

  fail(error: unknown): void {
    if (error instanceof GrpcError) this.close(error.status, error.message, error.trailers);
    else this.close(GrpcStatus.INTERNAL, error instanceof Error ? error.message : String(error), {});
  }

  private respond(): void {
    if (this.responded) return;
    this.responded = true;
    this.stream.respond(
      { ':status': 200, 'content-type': 'application/grpc+proto' },
      { waitForTrailers: true },
    );
  }

  private close(status: number, message: string, trailers: Record<string, string>): void {
    if (this.closed || this.finished) return;
    this.finished = true;
    this.trailers = {
      ...trailers,
      'grpc-status': String(status),
      'grpc-message': encodeMessage(message),
    };
    for (const [name, value] of Object.entries(this.trailers)) {
      // A header may hold ASCII only; a stream's name may hold anything.
      if (/[^\x20-\x7e]/.test(value)) this.trailers[name] = encodeURIComponent(value);
    }
    if (this.responded) this.stream.end();
    else {
      this.responded = true;
      this.stream.respond(
        { ':status': 200, 'content-type': 'application/grpc+proto', ...this.trailers },
        { endStream: true },
      );
      this.dismiss();
    }
    this.release();
  }

  /**
   * Lets the stream go after the status was sent: the client may have more to say, but nobody listens any
   * longer.
   */
  private dismiss(): void {
    setImmediate(() => {
      if (!this.stream.destroyed && !this.stream.readableEnded) this.stream.close(constants.NGHTTP2_NO_ERROR);
    });
  }

  private release(): void {
    const waiting = this.drains;
    this.drains = [];
    for (const resume of waiting) resume();
  }

  private guard(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.fail(error);
    }
  }

  private receive(chunk: Buffer): void {
    if (this.finished) return;
    let bytes = chunk;
    if (this.received.length > 0) {
      this.received.push(chunk);
      this.receivedBytes += chunk.length;
      // Wait until the message at the front is whole: joining on each piece would copy large messages over
      // and over.
      if (this.receivedBytes < this.awaitedBytes()) return;
      bytes = Buffer.concat(this.received);
      this.received = [];
      this.receivedBytes = 0;
    }
    let at = 0;
    while (bytes.length - at >= PREFIX_BYTES) {
      const length = bytes.readUInt32BE(at + 1);
      if (bytes[at] !== 0 || length > MAX_MESSAGE_BYTES) return this.refuse(bytes[at] !== 0);
      if (bytes.length - at < PREFIX_BYTES + length) break;
      const message = bytes.subarray(at + PREFIX_BYTES, at + PREFIX_BYTES + length);
      at += PREFIX_BYTES + length;
      this.guard(() => this.handler?.message(message));
      if (this.finished) return;
    }
    if (at < bytes.length) {
      this.received.push(bytes.subarray(at));
      this.receivedBytes = bytes.length - at;
    }
  }

  private awaitedBytes(): number {
    const first = this.received[0]!;
    if (first.length < PREFIX_BYTES) return 0;
    return PREFIX_BYTES + first.readUInt32BE(1);
  }

  private refuse(compressed: boolean): void {
    this.fail(
      compressed
        ? new GrpcError(
            GrpcStatus.UNIMPLEMENTED,
            'This server accepts no compressed messages; send them uncompressed.',
          )
        : new GrpcError(
            GrpcStatus.RESOURCE_EXHAUSTED,
            `A message may hold ${MAX_MESSAGE_BYTES} bytes at most.`,
          ),
    );
  }
}

/** gRPC's encoding of an error's text: bytes that no header may hold, and the percent sign itself. */
function encodeMessage(message: string): string {
  return message.replaceAll(/[^\x20-\x24\x26-\x7e]+/g, (unprintable) =>
    Buffer.from(unprintable, 'utf8')
      .toString('hex')
      .toUpperCase()
      .replaceAll(/../g, (byte) => `%${byte}`),
  );
}

/** Serves gRPC calls on one port of this machine, and `/health/live` there, to HTTP/1.1 as well. */
export class GrpcServer {
  private readonly server: Http2Server | Http2SecureServer;
  private readonly listener: Server;
  private readonly sessions = new Set<ServerHttp2Session>();
  private readonly sockets = new Set<Duplex>();
  private readonly calls = new Set<GrpcCall>();

  constructor(
    private readonly service: Service,
    { identity, admit, isLive = () => true }: Access = {},
  ) {
    const tellHealth = (
      request: IncomingMessage | Http2ServerRequest,
      response: ServerResponse | Http2ServerResponse,
    ): void => {
      response.writeHead(request.url === LIVE_PATH ? statusOf(isLive()) : 404);
      response.end();
    };
    if (identity) {
      const secure = createSecureServer({
        ...HTTP2_OPTIONS,
        allowHTTP1: true,
        cert: identity.certificate,
        key: identity.key,
      });
      secure.on('request', tellHealth);
      // That made it wrap each call of HTTP/2 as a request, too: those are answered below.
      secure.removeAllListeners('stream');
      this.server = this.listener = secure;
    } else {
      const plain = createPlainServer(tellHealth);
      this.server = createServer(HTTP2_OPTIONS);
      this.listener = byFirstBytes(this.server, plain);
    }
    this.listener.on('connection', (socket: Duplex) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.server.on('session', (session) => {
      session.setLocalWindowSize(WINDOW_BYTES);
      this.sessions.add(session);
      session.on('error', () => undefined);
      session.on('close', () => this.sessions.delete(session));
    });
    this.server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      if (headers[':path'] === LIVE_PATH)
        stream.respond({ ':status': statusOf(isLive()) }, { endStream: true });
      else this.begin(stream, headers, admit);
    });
  }

  private begin(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, admit: Access['admit']): void {
    const call = new GrpcCall(stream, headers);
    const path = headers[':path'] ?? '';
    const begin = this.service[path];
    if (!begin) {
      call.fail(new GrpcError(GrpcStatus.UNIMPLEMENTED, `This event store does not offer ${path}.`));
      return;
    }
    this.calls.add(call);
    stream.on('close', () => this.calls.delete(call));
    try {
      admit?.(path, headers);
      call.start(begin(call));
    } catch (error) {
      call.fail(error);
    }
  }

  /** Listens, on 127.0.0.1 unless told, and answers the port. Port 0 takes a free one. */
  listen(port: number, host = '127.0.0.1'): Promise<number> {
    return new Promise((resolve, reject) => {
      this.listener.once('error', reject);
      this.listener.listen(port, host, () => {
        this.listener.off('error', reject);
        const address = this.listener.address();
        if (address === null || typeof address === 'string')
          reject(new Error('The server listens on no port'));
        else resolve(address.port);
      });
    });
  }

  /** Serves a connection that was accepted elsewhere. */
  accept(connection: Duplex): void {
    this.listener.emit('connection', connection);
  }

  /** Takes no new connections. Calls in progress go on. */
  refuseNewConnections(): void {
    this.listener.close();
  }

  /**
   * Lets what was answered leave, for as long as given, and breaks all connections off: clients see that as
   * UNAVAILABLE, whether they have read all or not.
   */
  async close(timeoutMs: number): Promise<void> {
    this.listener.close();
    const deadline = Date.now() + timeoutMs;
    const isLeaving = (): boolean => [...this.calls].some((call) => call.hasUnsent);
    while (isLeaving() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
    // A turn for what was handed to the sockets last.
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (const socket of this.sockets) {
      if (socket instanceof Socket) socket.resetAndDestroy();
      else socket.destroy();
    }
  }
}

const statusOf = (isLive: boolean): number => (isLive ? 204 : 503);

/**
 * Listens for both: HTTP/2 without TLS begins with a word of its own. What is neither ends with the plain
 * server's refusal.
 */
function byFirstBytes(http2: Http2Server, plain: Server): Server {
  return createSocketServer({ noDelay: true }, (socket) => {
    const dismiss = (): void => void socket.destroy();
    socket.once('error', dismiss);
    socket.once('readable', () => {
      const first = socket.read() as Buffer | null;
      if (!first) return;
      socket.unshift(first);
      socket.off('error', dismiss);
      const isHttp2 = first.subarray(0, HTTP2_BEGINS.length).equals(HTTP2_BEGINS);
      (isHttp2 ? http2 : plain).emit('connection', socket);
    });
  });
}
