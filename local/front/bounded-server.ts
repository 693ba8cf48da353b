/**
 * A server whose connections end when somebody holds them for nothing: a request has to arrive in time, and
 * one address has so many connections. An answer takes as long as the ledger takes for it.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';

const BOUNDS = {
  headersMs: 10_000,
  /** Until all of a request is there; how slowly a body may come is the ledger's rule. */
  requestMs: 60_000,
  idleMs: 65_000,
  /** Without a byte in either direction. A stream of changes beats every twenty seconds. */
  silentMs: 90_000,
  perAddress: 512,
} as const;

/** The server, not yet listening. */
export function boundedServer(handler: RequestListener): Server {
  /** By address, in the order in which they began to be waited for. */
  const byAddress = new Map<string, Set<Socket>>();
  const answering = new WeakSet<Socket>();
  const server = createServer(
    {
      headersTimeout: BOUNDS.headersMs,
      requestTimeout: BOUNDS.requestMs,
      keepAliveTimeout: BOUNDS.idleMs,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      const { socket } = request;
      answering.add(socket);
      response.once('close', () => {
        answering.delete(socket);
        const others = byAddress.get(socket.remoteAddress ?? '');
        if (others?.delete(socket)) others.add(socket);
      });
      handler(request, response);
    },
  );
  server.setTimeout(BOUNDS.silentMs);
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const others = byAddress.get(address) ?? new Set();
    byAddress.set(address, others.add(socket));
    socket.once('close', () => {
      others.delete(socket);
      if (others.size === 0 && byAddress.get(address) === others) byAddress.delete(address);
    });
    if (others.size <= BOUNDS.perAddress) return;
    // Who has been waited for the longest makes room: a whole request that comes at once passes.
    for (const each of others)
      if (!answering.has(each)) {
        others.delete(each);
        each.destroy();
        return;
      }
  });
  return server;
}
