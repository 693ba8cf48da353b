/** Where a user is signed in, and ending it: one device, or all but this one. */
import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { EndedSessions, Session } from '#contracts/api/sessions';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded } from '#edge/proof';
import { Refusal } from '#edge/refusal';
import { seenFrom } from '#edge/seen-from';
import { Messages } from '../bus/messages.js';
import { LOG } from '../parts.js';
import { SecurityTrail, trailOf } from '../security-trail/security-trail.js';
import { Places } from '../sessions/places.js';
import { Sessions, type ListedSession } from '../sessions/sessions.js';

const lineOf = (session: ListedSession, current: string): Session => ({
  id: session.sessionId,
  device: session.device ?? null,
  kind: session.deviceKind,
  address: session.network ?? null,
  place: session.place ?? null,
  signedInAt: session.begunAt.toISOString(),
  lastUsedAt: session.lastUsedAt.toISOString(),
  isCurrent: session.sessionId === current,
});

@Controller('api/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly trail: SecurityTrail,
    private readonly messages: Messages,
    private readonly places: Places,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @ApiCall({ summary: 'Where the user is signed in, the device used last first.', answer: z.array(Session) })
  @Get()
  async list(@SignedIn() { userId, sessionId }: Caller): Promise<Session[]> {
    return (await this.sessions.listOf(userId)).map((session) => lineOf(session, sessionId));
  }

  @ApiCall({
    summary: 'Signs out everywhere else. This session stays; no payment stops.',
    answer: EndedSessions,
    proof: guarded('identity', () => ({ words: 'Sign out of all my other devices' })),
  })
  @Post('end-others')
  @HttpCode(200)
  async endOthers(
    @SignedIn() { userId, sessionId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<EndedSessions> {
    const ended = await this.sessions.endOthersOf(userId, sessionId);
    this.trail.note({ what: 'sessions_ended', ...trailOf(request), detail: { ended } });
    if (ended > 0) await this.tell(userId, uuidv7(), ended, request);
    return { ended };
  }

  @ApiCall({
    summary: 'Signs one device out, by the id that the list gave it.',
    proof: guarded('identity', async ({ userId, params }, facts) => {
      const device = await facts.session(userId, params['id'] ?? '');
      return { words: `Sign out ${device ?? 'one of my devices'}` };
    }),
    otherwise: { 404: 'It is not signed in any more' },
  })
  @Delete(':id')
  @HttpCode(204)
  async end(
    @SignedIn() { userId }: Caller,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    if (!(await this.sessions.endOne(userId, id)))
      throw new Refusal(404, 'This device is not signed in any more.');
    this.trail.note({ what: 'session_ended', ...trailOf(request), detail: { ended: id } });
    await this.tell(userId, id, 1, request);
  }

  /**
   * What has ended stays ended, also where its owner cannot be told at once. `key`: none that the caller
   * chooses, such as the correlation id: a thief would send one twice, and the owner hear of the first end
   * only.
   */
  private async tell(userId: string, key: string, count: number, request: FastifyRequest): Promise<void> {
    const { device, network } = seenFrom(request);
    const place = this.places.of(request.ip);
    const facts = {
      count,
      device: device.name,
      ...(place === undefined ? {} : { place }),
      ...(network === undefined ? {} : { address: network }),
    };
    await this.messages
      .put({ userId, kind: 'sessions_ended', key, facts, at: new Date() })
      .catch((error: unknown) => this.log.error({ err: error, userId }, 'nobody was told of ended sessions'));
  }
}
