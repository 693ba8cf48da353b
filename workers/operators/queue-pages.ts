/** The pages of Bull Board over the queues, which show without changing. */
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { Queue } from 'bullmq';
import fastify, { type FastifyInstance } from 'fastify';

/** Serves nothing by itself: requests are brought to its `routing`. */
export async function queuePages(queues: readonly Queue[]): Promise<FastifyInstance> {
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
  await server.ready();
  return server;
}
