/**
 * The web app's files. A path that is no file is the app's own business: it gets the start page. Names of
 * assets carry a hash of what is in them, so they are kept for good; the start page names them and is asked
 * for each time, and so is the service worker, which must never be older than the page.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NONCE_PLACEHOLDER } from '#contracts/plain/page-nonce';
import { SESSION_COOKIE } from '../sessions/cookies.js';
import { pageNonce } from './content-security.js';
import { pathOf } from './gate.js';
import { withStagingNotice } from './staging-notice.js';

const A_YEAR_MS = 365 * 24 * 3_600_000;
const NOT_BUILT = 'The pages are not built yet. Run `npm run build`, then load this page again.';

/** Whether somebody opens an address, rather than a page loading a file of it. */
const isOpened = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') === true;

/**
 * Serves the files of a folder that holds index.html, compressed where the build left a compressed one beside
 * a file. `isStaging`: every page says that no real money moves here.
 */
export async function servePages(server: FastifyInstance, folder: string, isStaging = false): Promise<void> {
  // Looked up at each request and not listed once: a build may replace the files while this process runs.
  await server.register(fastifyStatic, { root: folder, serve: false, preCompressed: true, dotfiles: 'deny' });

  const file = join(folder, 'index.html');
  const read = new Map<string, { readonly html: string; readonly changedMs: number }>();
  const htmlOf = (name: string): string => {
    const changedMs = statSync(name).mtimeMs;
    let page = read.get(name);
    if (page?.changedMs !== changedMs) {
      page = { html: readFileSync(name, 'utf8'), changedMs };
      read.set(name, page);
    }
    return isStaging ? withStagingNotice(page.html) : page.html;
  };
  // The landing page is in it already, which nobody who is signed in ever sees.
  const strangers = join(folder, 'stranger.html');
  const html = ({ url, headers }: FastifyRequest): string =>
    pathOf(url) === '/' && !headers.cookie?.includes(SESSION_COOKIE) && existsSync(strangers)
      ? htmlOf(strangers)
      : htmlOf(file);

  /**
   * Written anew for each answer, for its nonce: neither a file as it lies there nor one compressed
   * beforehand.
   */
  const startPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding, cookie' });
    if (!existsSync(file)) return reply.code(503).type('text/plain').send(NOT_BUILT);
    const page = html(request).replaceAll(NONCE_PLACEHOLDER, pageNonce(reply));
    reply.type('text/html; charset=utf-8');
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(page);
    return reply.header('content-encoding', 'gzip').send(gzipSync(page));
  };

  server.get('/*', async (request, reply) => {
    const path = pathOf(request.url);
    if (path === '/api' || path.startsWith('/api/')) return reply.callNotFound();
    // Programs that pass links on write the sign of a tip page's address so.
    if (/^\/%40/.test(request.url)) return reply.redirect(request.url.replace('%40', '@'), 302);
    // Others end such an address with a slash.
    const ended = /^(\/@[^/?]+(?:\/paid\/[^/?]+)?)\/(\?.*)?$/.exec(request.url);
    if (ended) return reply.redirect(`${ended[1]}${ended[2] ?? ''}`, 302);
    // The card provider's fields are in a frame of its own and are written in our typeface.
    if (/^\/assets\/[^/]+\.woff2$/.test(path)) reply.header('access-control-allow-origin', '*');
    if (path.startsWith('/assets/'))
      return reply.sendFile(path.slice(1), { maxAge: A_YEAR_MS, immutable: true });
    if (path === '/service-worker.js')
      return reply.header('cache-control', 'no-cache').sendFile(path.slice(1), { cacheControl: false });
    // Deeper down there are no files: a dot there is part of somebody's name.
    const isFile = path !== '/index.html' && /^\/[^/]+\.(?:[a-z0-9]{2,5}|webmanifest)$/i.test(path);
    // A missing file must not look like a page, but to somebody who opens it as one: the app says that there
    // is none.
    if (isFile && (existsSync(join(folder, path)) || !isOpened(request)))
      return reply.sendFile(path.slice(1), { maxAge: 3_600_000 });
    return startPage(request, reply);
  });
}
