/**
 * The web app's files. A path that is no file is the app's own business: it gets the start page. Names of
 * assets carry a hash of what is in them, so they are kept for good; the start page names them and is asked
 * for each time, and so is the service worker, which must never be older than the page.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { pathOf } from './gate.js';
import { withStagingNotice } from './staging-notice.js';

const A_YEAR_MS = 365 * 24 * 3_600_000;
const NOT_BUILT = 'The pages are not built yet. Run `npm run build`, then load this page again.';

/**
 * Serves the files of a folder that holds index.html, compressed where the build left a compressed one beside
 * a file. `isStaging`: every page says that no real money moves here.
 */
export async function servePages(server: FastifyInstance, folder: string, isStaging = false): Promise<void> {
  // Looked up at each request and not listed once: a build may replace the files while this process runs.
  await server.register(fastifyStatic, { root: folder, serve: false, preCompressed: true, dotfiles: 'deny' });

  const startPage = (reply: FastifyReply): FastifyReply => {
    reply.header('cache-control', 'no-cache');
    if (!existsSync(join(folder, 'index.html'))) return reply.code(503).type('text/plain').send(NOT_BUILT);
    if (isStaging)
      return reply
        .type('text/html; charset=utf-8')
        .send(withStagingNotice(readFileSync(join(folder, 'index.html'), 'utf8')));
    return reply.sendFile('index.html', { cacheControl: false });
  };

  server.get('/*', async (request, reply) => {
    const path = pathOf(request.url);
    if (path === '/api' || path.startsWith('/api/')) return reply.callNotFound();
    // The card provider's fields are in a frame of its own and are written in our typeface.
    if (/^\/assets\/[^/]+\.woff2$/.test(path)) reply.header('access-control-allow-origin', '*');
    if (path.startsWith('/assets/'))
      return reply.sendFile(path.slice(1), { maxAge: A_YEAR_MS, immutable: true });
    if (path === '/service-worker.js')
      return reply.header('cache-control', 'no-cache').sendFile(path.slice(1), { cacheControl: false });
    // A missing file must not look like a page. Deeper down there are none: a dot there is part of somebody's
    // name.
    if (path !== '/index.html' && /^\/[^/]+\.(?:[a-z0-9]{2,5}|webmanifest)$/i.test(path))
      return reply.sendFile(path.slice(1), { maxAge: 3_600_000 });
    return startPage(reply);
  });
}
