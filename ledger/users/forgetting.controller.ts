/** Asking to be forgotten, and calling it off. */
import { Controller, Delete, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ForgettingAnswer } from '#contracts/api/forgetting';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded, unguarded } from '#edge/proof';
import { ReadYourWrites } from '../http/read-models.js';
import { ForgettingRequests } from './forgetting-requests.js';

@Controller('api/forgetting')
export class ForgettingController {
  constructor(
    private readonly requests: ForgettingRequests,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @ApiCall({
    summary: 'Whether the user has asked to be forgotten, and what stands in the way.',
    answer: ForgettingAnswer,
    readsLog: true,
  })
  @Get()
  show(@SignedIn() { userId }: Caller): Promise<ForgettingAnswer> {
    return this.requests.of(userId);
  }

  @ApiCall({
    summary: 'Asks to be forgotten: it is done when the wait is over.',
    answer: ForgettingAnswer,
    proof: guarded('data', () => ({ words: 'Forget your account, when the wait is over' })),
    otherwise: { 409: 'Money is left, or the account is being recovered' },
  })
  @Post()
  @HttpCode(200)
  async request(
    @SignedIn() { userId, correlationId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ForgettingAnswer> {
    await this.readYourWrites.hold(reply, await this.requests.request(userId, correlationId));
    return this.requests.of(userId);
  }

  @ApiCall({
    summary: 'Calls it off.',
    answer: ForgettingAnswer,
    proof: unguarded('It keeps what is there: nothing is lost by it, and nothing moves.'),
    otherwise: { 409: 'The wait is over, and it is being done' },
  })
  @Delete()
  async cancel(
    @SignedIn() { userId, correlationId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ForgettingAnswer> {
    await this.readYourWrites.hold(reply, await this.requests.cancel(userId, correlationId));
    return this.requests.of(userId);
  }
}
