/**
 * Bull Board, for whoever operates the workers: the queues as a page. It listens on loopback only and shows
 * without changing: a job asks, and what it asks is decided elsewhere, so there is nothing to set right by
 * hand. Off unless BULL_BOARD_PORT is set.
 */
import type { AddressInfo } from 'node:net';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { Queue } from 'bullmq';
import fastify from 'fastify';

const HOST = '127.0.0.1';

interface QueueBoard {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves the page; port 0 picks a free one. */
export async function serveQueueBoard(queues: readonly Queue[], port: number): Promise<QueueBoard> {
  const pages = new FastifyAdapter();
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true, allowRetries: false })),
    // Typed by its own copy of the API's types; the pages are the same.
    serverAdapter: pages as unknown as Parameters<typeof createBullBoard>[0]['serverAdapter'],
    options: { uiConfig: { boardTitle: 'Encore: queues' } },
  });
  const server = fastify();
  server.addHook('onRequest', async (request, reply) => {
    // A page of another site can have its name lead here; it cannot change the name that its browser sends.
    if (!['127.0.0.1', 'localhost'].includes(request.hostname.replace(/:\d+$/, '')))
      return reply.code(403).send({ message: 'This page is for this machine only.' });
    // Also not by a call that the page itself does not offer.
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return reply.code(405).send({ message: 'Only reading is possible here.' });
  });
  await server.register(pages.registerPlugin(), { prefix: '/' });
  await server.listen({ port, host: HOST });
  return { port: (server.server.address() as AddressInfo).port, close: () => server.close() };
}
