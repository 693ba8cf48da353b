/**
 * Bull Board, for whoever operates the workers: the queues as a page. It listens on loopback only and shows
 * without changing: a job asks, and what it asks is decided elsewhere, so there is nothing to set right by
 * hand. Off unless BULL_BOARD_PORT is set.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Queue } from 'bullmq';
import type { FastifyInstance } from 'fastify';

const HOST = '127.0.0.1';

interface QueueBoard {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves the page; port 0 picks a free one. Its code is loaded when somebody asks: it is a third of what workers load. */
export async function serveQueueBoard(queues: readonly Queue[], port: number): Promise<QueueBoard> {
  let pages: Promise<FastifyInstance> | undefined;
  const server = createServer((request, response) => {
    pages ??= import('./queue-pages.js').then(({ queuePages }) => queuePages(queues));
    pages.then(
      ({ routing }) => routing(request, response),
      (failure: unknown) => {
        pages = undefined;
        response.writeHead(500).end(`The page could not be loaded: ${String(failure)}`);
      },
    );
  });
  server.listen(port, HOST);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await (await pages)?.close();
    },
  };
}
