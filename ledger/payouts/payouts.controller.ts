/** Asking for a payout, and the list of them. */
import { Body, Controller, Get, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { IDEMPOTENCY_KEY_HEADER } from '#contracts/plain/headers';
import { IdempotencyKey } from '#contracts/api/idempotency-key';
import { asked } from '#contracts/api/lists';
import { PayoutsQuery, RequestPayout, type Payout } from '#contracts/api/payouts';
import { decimalFromMinor } from '#contracts/plain/money';
import { SignedIn, type Caller } from '#edge/caller';
import { answered } from '#edge/lists';
import { ReadYourWrites } from '../http/read-models.js';
import { read, Validated } from '#edge/validated';
import { PayoutFlow } from './payout-flow.js';
import { PayoutHistory, type PayoutLine } from './payout-reads.js';
import { shownStatus, statusReason, type Standing } from './payout-status.js';

@Controller('api/payouts')
export class PayoutsController {
  constructor(
    private readonly flow: PayoutFlow,
    private readonly history: PayoutHistory,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Post()
  @HttpCode(200)
  async request(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(RequestPayout)) body: RequestPayout,
    @Headers(IDEMPOTENCY_KEY_HEADER) header: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Payout> {
    const key = read(IdempotencyKey.optional(), header);
    const { payoutId, position } = await this.flow.request(userId, body, key, correlationId);
    await this.readYourWrites.hold(reply, position);
    const [line, standing] = await Promise.all([
      this.history.one(userId, payoutId),
      this.history.standingOf(userId),
    ]);
    return payoutOf(line ?? justRequested(payoutId, body), standing);
  }

  @Get()
  async list(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(PayoutsQuery)) query: PayoutsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Payout[]> {
    const [page, standing] = await Promise.all([
      this.history.pageOf(userId, asked(query)),
      this.history.standingOf(userId),
    ]);
    return answered(reply, page).map((line) => payoutOf(line, standing));
  }
}

/** What is known of it before the read models are; the answer says that they are behind. */
const justRequested = (id: string, { amount, bankAccountId }: RequestPayout): PayoutLine => ({
  id,
  amountMinor: amount,
  bankAccountId,
  status: 'requested',
  requestedAt: new Date(),
  completedAt: undefined,
  reason: undefined,
  delayReason: undefined,
});

const payoutOf = (line: PayoutLine, standing: Standing): Payout => ({
  id: line.id,
  amount: decimalFromMinor(line.amountMinor),
  status: shownStatus(line.status),
  statusReason: statusReason(line, standing) ?? null,
  bankAccountId: line.bankAccountId,
  createdAt: line.requestedAt.toISOString(),
  completedAt: line.completedAt?.toISOString() ?? null,
  failureReason: line.status === 'failed' ? (line.reason ?? null) : null,
});
