/**
 * Bounds of a connection: how long a request may take to arrive, and how many connections one address may
 * hold. Whoever sends slowly on purpose holds a socket and nothing else; here it is taken back. A connection
 * that has sent all of its request is never touched: an answer takes as long as it takes, and a stream of
 * changes has an end of its own (STREAMS_PER_USER, and its heartbeat fails once nobody reads).
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '#edge/address';
import { lastAnswer } from './malformed.js';

interface ConnectionBounds {
  /** Until the headers are there; for a new connection from its beginning. */
  readonly headersMs: number;
  /** Until the body is there, unless it comes at `bodyBytesPerSecond` or faster. */
  readonly bodyMs: number;
  readonly bodyBytesPerSecond: number;
  /** Until the whole request is there, however it comes. */
  readonly requestMs: number;
  /** A connection that waits for its next request. Longer than a proxy keeps its own. */
  readonly idleMs: number;
  /** Without a byte in either direction; a stream of changes beats more often. */
  readonly silentMs: number;
  /** Connections of one address that is no proxy of ours; of one subscriber where it is IPv6. */
  readonly perAddress: number;
}

/**
 * A picture of two megabytes at half a megabit a second is there in time; so is a tip on the slowest phone.
 */
export const CONNECTION_BOUNDS: ConnectionBounds = {
  headersMs: 10_000,
  bodyMs: 10_000,
  bodyBytesPerSecond: 4_096,
  requestMs: 60_000,
  idleMs: 72_000,
  silentMs: 90_000,
  perAddress: 512,
};

const LOOK_EVERY_MS = 500;

/** What a connection is waited for: undefined while the other side has sent all that it had to. */
interface Awaited {
  readonly since: number;
  readonly bytesThen: number;
  readonly isBody: boolean;
}

interface Connection {
  readonly socket: Socket;
  /** What the limits count: all that one subscriber has. */
  readonly network: string;
  awaited: Awaited | undefined;
}

/** What is to be known of a server's connections. Hang it on before the server listens. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #byNetwork = new Map<string, Set<Connection>>();

  constructor(
    private readonly bounds: ConnectionBounds,
    /** An address whose connections are not counted: a proxy, behind which everybody is. */
    private readonly isProxy: (address: string) => boolean,
  ) {}

  /** Sets Node's own deadlines, and looks after bodies and addresses, which Node does not. */
  watch(server: Server): void {
    server.headersTimeout = this.bounds.headersMs;
    server.requestTimeout = this.bounds.requestMs;
    server.keepAliveTimeout = this.bounds.idleMs;
    server.setTimeout(this.bounds.silentMs);
    server.prependListener('connection', (socket) => this.opened(socket));
    server.prependListener('request', (request, response) => this.asked(request, response));
    const looking = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
    server.once('close', () => clearInterval(looking));
  }

  private opened(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const network = networkOf(address);
    const connection: Connection = {
      socket,
      network,
      awaited: { since: performance.now(), bytesThen: 0, isBody: false },
    };
    this.#open.set(socket, connection);
    socket.once('close', () => this.closed(connection));
    if (this.isProxy(address)) return;
    const others = this.#byNetwork.get(network) ?? new Set();
    this.#byNetwork.set(network, others.add(connection));
    if (others.size <= this.bounds.perAddress) return;
    // The one that has been waited for the longest makes room: whoever sends a whole request at once passes,
    // also where somebody at the same address holds all there is.
    const slowest = [...others].find(({ awaited }) => awaited !== undefined) ?? connection;
    slowest.socket.destroy();
    this.closed(slowest);
  }

  private closed(connection: Connection): void {
    this.#open.delete(connection.socket);
    const others = this.#byNetwork.get(connection.network);
    others?.delete(connection);
    if (others?.size === 0) this.#byNetwork.delete(connection.network);
  }

  private asked(request: IncomingMessage, response: ServerResponse): void {
    const { socket, headers } = request;
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    connection.awaited = hasBody
      ? { since: performance.now(), bytesThen: socket.bytesRead, isBody: true }
      : undefined;
    const arrived = (): void => void (connection.awaited = undefined);
    if (hasBody) {
      request.once('end', arrived);
      request.once('close', () => request.complete && arrived());
    }
    // From here on the next request is waited for; its headers have Node's own deadline.
    response.once('close', () => {
      if (connection.awaited !== undefined || socket.destroyed) return;
      connection.awaited = { since: performance.now(), bytesThen: socket.bytesRead, isBody: false };
      // Last in line: who has just been answered is not the one who holds on.
      const others = this.#byNetwork.get(connection.network);
      if (others?.delete(connection)) others.add(connection);
    });
  }

  /** Cuts the bodies that come too slowly. */
  private look(): void {
    const now = performance.now();
    for (const { socket, awaited } of this.#open.values()) {
      if (awaited === undefined || !awaited.isBody) continue;
      const ms = now - awaited.since;
      const isSlow = (socket.bytesRead - awaited.bytesThen) * 1000 < ms * this.bounds.bodyBytesPerSecond;
      if (ms < this.bounds.bodyMs || (ms < this.bounds.requestMs && !isSlow)) continue;
      // An answer may have gone out already, and only the body is still being dropped.
      if (socket.writable && socket.writableLength === 0 && !hasAnswer(socket)) socket.write(lastAnswer(408));
      socket.destroySoon();
    }
  }
}

/** Whether an answer to what is under way on this connection has begun. */
const hasAnswer = (socket: Socket & { _httpMessage?: { headersSent: boolean } | null }): boolean =>
  socket._httpMessage?.headersSent ?? true;
