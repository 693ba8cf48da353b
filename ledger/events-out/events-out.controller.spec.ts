// What a request for the stream of changes leaves behind, over doubles and Fastify's own handling of HEAD.
import { afterAll, describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import 'reflect-metadata';
import type { Freshness } from '../http/freshness.js';
import type { CookieJar } from '../sessions/cookies.js';
import type { SessionEnds } from '../sessions/session-ends.js';
import type { Sessions } from '../sessions/sessions.js';
import type { ChangeFeed, Listener } from './change-feed.js';
import { EventsOutController } from './events-out.controller.js';
import type { Outlet } from './outlet.js';

const listening = new Set<Listener>();
const feed = {
  size: 0,
  countOf: () => 0,
  position: { commit: 7n, prepare: 7n },
  listen(listener: Listener) {
    listening.add(listener);
    return () => void listening.delete(listener);
  },
};
const controller = new EventsOutController(
  feed as unknown as ChangeFeed,
  { isLiving: () => Promise.resolve(true) } as Partial<Sessions> as Sessions,
  { onEnd: () => () => undefined } as Partial<SessionEnds> as SessionEnds,
  { sessionOf: () => undefined } as Partial<CookieJar> as CookieJar,
  { isStale: false, isClosed: false, onChange: () => () => undefined } as Partial<Freshness> as Freshness,
);
const server = fastify();
server.get('/api/events', (request, reply) =>
  controller.changes(
    { userId: 'usr_juno', sessionId: 'ses_1', correlationId: 'cor_1' },
    {},
    undefined,
    request,
    reply,
  ),
);
afterAll(async () => {
  for (const listener of listening) (listener as Outlet).stream.destroy();
  await server.close();
});

describe('the stream of changes', () => {
  it('is not opened by a HEAD, whose connection nobody would read or close', async () => {
    const address = await server.listen({ host: '127.0.0.1', port: 0 });
    const { status, headers } = await fetch(`${address}/api/events`, { method: 'HEAD' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(listening.size).toBe(0);
  });
});
