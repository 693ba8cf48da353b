// What a request for the stream of changes leaves behind, over doubles and Fastify's own handling of HEAD.
import { afterAll, describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import 'reflect-metadata';
import { ALL_TOPICS, EventsQuery, type EventOut } from '#contracts/api/events-out';
import type { Freshness } from '../http/freshness.js';
import type { CookieJar } from '../sessions/cookies.js';
import type { SessionEnds } from '../sessions/session-ends.js';
import type { Sessions } from '../sessions/sessions.js';
import type { ChangeFeed, Listener } from './change-feed.js';
import { EventsOutController } from './events-out.controller.js';
import type { Outlet } from './outlet.js';

const listening = new Set<Listener>();
const UNKNOWN_MS = 1;
const feed = {
  size: 0,
  countOf: () => 0,
  position: { commit: 7n, prepare: 7n },
  /** Asked of nobody who does not listen yet, and no answer while the rows cannot be read. */
  async mayHaveMissed(_userId: string, loadingForMs: number) {
    if (listening.size === 0) throw new Error('Nobody listens');
    if (loadingForMs === UNKNOWN_MS) throw new Error('timeout exceeded when trying to connect');
    return loadingForMs > 1_000;
  },
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
    EventsQuery.parse(request.query),
    undefined,
    request,
    reply,
  ),
);
const addressOf = server.listen({ host: '127.0.0.1', port: 0 });
afterAll(async () => {
  for (const listener of listening) (listener as Outlet).stream.destroy();
  await server.close();
});

/** The first message of a stream that is opened with this query. */
async function firstOf(query: string): Promise<EventOut> {
  const address = await addressOf;
  const { body } = await fetch(`${address}/api/events${query}`);
  let text = '';
  for await (const chunk of body!) {
    text += Buffer.from(chunk).toString();
    const [, data] = /^data: (.*)\n\n/m.exec(text) ?? [];
    if (data !== undefined) return JSON.parse(data) as EventOut;
  }
  throw new Error('The stream ended');
}

describe('the stream of changes', () => {
  it('names every list to a page whose user’s money moved while it loaded, or when that is unknown', async () => {
    expect((await firstOf('')).topics).toEqual([]);
    expect((await firstOf('?loadingForMs=900')).topics).toEqual([]);
    expect((await firstOf('?loadingForMs=5000')).topics).toEqual(ALL_TOPICS);
    expect((await firstOf(`?loadingForMs=${UNKNOWN_MS}`)).topics).toEqual(ALL_TOPICS);
  });

  it('is not opened by a HEAD, whose connection nobody would read or close', async () => {
    for (const listener of listening) (listener as Outlet).stream.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    const address = await addressOf;
    const { status, headers } = await fetch(`${address}/api/events`, { method: 'HEAD' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(listening.size).toBe(0);
  });
});
