/** GET /api/events: a signed-in browser's own stream of changes. */
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ALL_TOPICS, EventsQuery, EventOut } from '#contracts/api/events-out';
import { ApiCall, ValidatedHeader } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { Refusal } from '#edge/refusal';
import { Validated } from '#edge/validated';
import { Freshness } from '../http/freshness.js';
import { CookieJar } from '../sessions/cookies.js';
import { SessionEnds } from '../sessions/session-ends.js';
import { Sessions } from '../sessions/sessions.js';
import { ChangeFeed } from './change-feed.js';
import { Outlet } from './outlet.js';

/**
 * Open streams of one user, and of all users, in one process: tabs and devices have room, a loop that opens
 * them has not.
 */
export const STREAMS_PER_USER = 10;
const STREAMS_IN_ALL = 10_000;
/** Shorter than what proxies wait for a word. */
const HEARTBEAT_MS = 20_000;

@Controller('api/events')
export class EventsOutController {
  constructor(
    private readonly feed: ChangeFeed,
    private readonly sessions: Sessions,
    private readonly sessionEnds: SessionEnds,
    private readonly cookies: CookieJar,
    private readonly freshness: Freshness,
  ) {}

  /**
   * Begins with a message that says where the read models stand. To one who comes back it names every list:
   * what was missed is not gone through again, it is read again. So it does to a page whose user's money
   * moved while it was loading.
   */
  @ApiCall({
    summary:
      'Server-sent events: which of the user’s lists have changed. Each message’s data is one object of this shape, its id the position.',
    answer: EventOut,
    answerType: 'text/event-stream',
  })
  @Get()
  async changes(
    @SignedIn() { userId, sessionId }: Caller,
    @Query(new Validated(EventsQuery)) { lastEventId, loadingForMs }: EventsQuery,
    @ValidatedHeader('last-event-id', z.string().optional()) lastEventIdHeader: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    if (this.feed.countOf(userId) >= STREAMS_PER_USER)
      throw new Refusal(429, 'Too many windows are open for live updates. Close some and reload this one.');
    if (this.feed.size >= STREAMS_IN_ALL) throw new Refusal(503, 'Live updates are not available right now.');
    void reply.type('text/event-stream; charset=utf-8').header('cache-control', 'no-store, no-transform');
    // Fastify answers a HEAD by its GET, and would leave the stream open behind a connection that has ended.
    if (request.method === 'HEAD') return reply.send();
    const token = this.cookies.sessionOf(request);
    const outlet = new Outlet({
      userId,
      heartbeatMs: HEARTBEAT_MS,
      isSignedIn: () => this.sessions.isLiving(token),
    });
    const isBack = (lastEventIdHeader ?? lastEventId) !== undefined;
    outlet.stream.once('close', this.feed.listen(outlet));
    outlet.stream.once(
      'close',
      this.sessionEnds.onEnd(sessionId, () => outlet.end()),
    );
    outlet.stream.once(
      'close',
      this.freshness.onChange((isStale, isClosed) => outlet.marked(isStale, isClosed, this.feed.position)),
    );
    // Asked once the stream listens, so that nothing falls in between. If it cannot be known, the page reads
    // again.
    const mayHaveMissed =
      loadingForMs !== undefined && (await this.feed.mayHaveMissed(userId, loadingForMs).catch(() => true));
    outlet.changed({ position: this.feed.position, topics: isBack || mayHaveMissed ? ALL_TOPICS : [] });
    const { isStale, isClosed } = this.freshness;
    if (isStale) outlet.marked(isStale, isClosed, this.feed.position);
    return (
      reply
        // For proxies that collect an answer before they pass it on.
        .header('x-accel-buffering', 'no')
        // A stream is a connection's last answer, so that a server that stops is not kept by it.
        .header('connection', 'close')
        .send(outlet.stream)
    );
  }
}
