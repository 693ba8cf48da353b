/** Saving, choosing and removing one's own cards. */
import { Controller, Delete, Get, Headers, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { IDEMPOTENCY_KEY_HEADER } from '#contracts/plain/headers';
import { IdempotencyKey } from '#contracts/api/idempotency-key';
import { ShortListQuery } from '#contracts/api/lists';
import type { SavedCardAnswer, SetupIntentAnswer } from '#contracts/api/payment-methods';
import { SignedIn, type Caller } from '#edge/caller';
import { answered, pageOfWhole } from '#edge/lists';
import { read, Validated } from '#edge/validated';
import { userKey } from '../journal/keys.js';
import { SavedCards, type ProviderCard } from '../stripe/saved-cards.js';
import { SavedCardHandlers } from './payment-methods.handlers.js';

@Controller('api')
export class PaymentMethodsController {
  constructor(
    private readonly cards: SavedCardHandlers,
    private readonly provider: SavedCards,
  ) {}

  @Get('payment-methods')
  async list(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(ShortListQuery)) query: ShortListQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SavedCardAnswer[]> {
    const cards = (await this.cards.of(userId)).map(answerOf);
    return [...answered(reply, pageOfWhole(cards, query))];
  }

  @Post('setup-intent')
  @HttpCode(200)
  async setUp(
    @SignedIn() { userId, correlationId }: Caller,
    @Headers(IDEMPOTENCY_KEY_HEADER) header: unknown,
  ): Promise<SetupIntentAnswer> {
    const key = read(IdempotencyKey.optional(), header) ?? uuidv7();
    const customerId = await this.cards.open(userId, { correlationId });
    const clientSecret = await this.provider.setUp(customerId, userKey(userId, key));
    return { clientSecret };
  }

  @Put('payment-methods/:id/default')
  async choose(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') cardId: string,
  ): Promise<SavedCardAnswer[]> {
    return (await this.cards.choose(userId, cardId, { correlationId })).map(answerOf);
  }

  @Delete('payment-methods/:id')
  @HttpCode(204)
  async remove(@SignedIn() { userId, correlationId }: Caller, @Param('id') cardId: string): Promise<void> {
    await this.cards.remove(userId, cardId, { correlationId });
  }
}

const answerOf = ({ cardId, ...card }: ProviderCard): SavedCardAnswer => ({ id: cardId, ...card });
