/** The web app's files. A path that is no file is the app's own business: it gets the start page. */
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { pathOf } from './gate.js';

/** Serves the files of a folder that holds index.html. */
export async function servePages(server: FastifyInstance, folder: string): Promise<void> {
  await server.register(fastifyStatic, { root: folder, wildcard: false, cacheControl: true, maxAge: 0 });
  server.get('/*', async (request, reply) => {
    const path = pathOf(request.url);
    // A call is not a page, and a missing file (it has an extension) must not look like one.
    if (path === '/api' || path.startsWith('/api/') || /\.[a-z0-9]{2,5}$/i.test(path)) return reply.callNotFound();
    return reply.header('cache-control', 'no-cache').sendFile('index.html');
  });
}
