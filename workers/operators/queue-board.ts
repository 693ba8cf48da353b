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
import type { Logger } from 'pino';

const HOST = '127.0.0.1';
const NOT_LOADED =
  'The page of the queues could not be loaded: the log of the workers says why. The jobs run on.\n';

interface QueueBoard {
  readonly port: number;
  close(): Promise<void>;
}

interface QueueBoardOptions {
  readonly queues: readonly Queue[];
  /** 0 picks a free one. */
  readonly port: number;
  readonly log: Pick<Logger, 'error'>;
  readonly load?: (queues: readonly Queue[]) => Promise<FastifyInstance>;
}

const loadPages = async (queues: readonly Queue[]): Promise<FastifyInstance> =>
  (await import('./queue-pages.js')).queuePages(queues);

/** Serves the page. Its code is loaded when somebody asks: it is a third of what workers load. */
export async function serveQueueBoard({
  queues,
  port,
  log,
  load = loadPages,
}: QueueBoardOptions): Promise<QueueBoard> {
  let pages: Promise<FastifyInstance> | undefined;
  const server = createServer((request, response) => {
    pages ??= load(queues);
    pages.then(
      ({ routing }) => routing(request, response),
      (failure: unknown) => {
        pages = undefined;
        log.error({ err: failure }, 'the page of the queues could not be loaded');
        response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end(NOT_LOADED);
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
      // One that could not be loaded has nothing to close.
      await (await pages?.catch(() => undefined))?.close();
    },
  };
}
