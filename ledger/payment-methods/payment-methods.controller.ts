/** Saving, choosing and removing one's own cards. */
import { Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ShortListQuery } from '#contracts/api/lists';
import { SavedCardAnswer, SetupIntentAnswer } from '#contracts/api/payment-methods';
import { z } from 'zod';
import { networkOf } from '#edge/address';
import { ApiCall, ClientKey } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded } from '#edge/proof';
import { answered, pageOfWhole } from '#edge/lists';
import { Validated } from '#edge/validated';
import { userKey } from '../journal/keys.js';
import type { ProviderCard } from '../stripe/saved-cards.js';
import { shownCardId } from '../stripe/card-id.js';
import { SavedCardHandlers } from './payment-methods.handlers.js';

@Controller('api')
export class PaymentMethodsController {
  constructor(private readonly cards: SavedCardHandlers) {}

  @ApiCall({
    summary: 'The user’s saved cards, newest first.',
    answer: z.array(SavedCardAnswer),
    readsLog: true,
  })
  @Get('payment-methods')
  async list(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(ShortListQuery)) query: ShortListQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SavedCardAnswer[]> {
    const cards = (await this.cards.of(userId)).map(answerOf);
    return [...answered(reply, pageOfWhole(cards, query))];
  }

  @ApiCall({
    summary: 'Begins to save a card: the browser confirms it with the card provider.',
    answer: SetupIntentAnswer,
    proof: guarded('destination', () => ({
      words: 'Save a card for tips, subscriptions and scheduled payments',
    })),
    otherwise: { 429: 'Too many cards were declined; Retry-After says how long to wait' },
  })
  @Post('setup-intent')
  @HttpCode(200)
  async setUp(
    @SignedIn() { userId, correlationId }: Caller,
    @ClientKey() key: string,
    @Req() { ip }: FastifyRequest,
  ): Promise<SetupIntentAnswer> {
    const clientSecret = await this.cards.setUp(userId, userKey(userId, key), networkOf(ip), {
      correlationId,
    });
    return { clientSecret };
  }

  @ApiCall({
    summary: 'Chooses the card that subscriptions and scheduled payments are charged to; answers all cards.',
    answer: z.array(SavedCardAnswer),
    proof: guarded('destination', async ({ userId, params }, facts) => {
      const card = (await facts.card(userId, params['id'] ?? '')) ?? 'another saved card';
      return { words: `Charge subscriptions and scheduled payments to ${card}`, to: card };
    }),
    otherwise: { 404: 'Saved card not found' },
  })
  @Put('payment-methods/:id/default')
  async choose(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') cardId: string,
  ): Promise<SavedCardAnswer[]> {
    return (await this.cards.choose(userId, cardId, { correlationId })).map(answerOf);
  }

  @ApiCall({
    summary: 'Removes a saved card.',
    // What it paid is charged to another one from then on.
    proof: guarded('destination', async ({ userId, params }, facts) => {
      const card = (await facts.card(userId, params['id'] ?? '')) ?? 'a saved card';
      return { words: `Remove ${card}`, from: card };
    }),
    otherwise: { 404: 'Saved card not found' },
  })
  @Delete('payment-methods/:id')
  @HttpCode(204)
  async remove(@SignedIn() { userId, correlationId }: Caller, @Param('id') cardId: string): Promise<void> {
    await this.cards.remove(userId, cardId, { correlationId });
  }
}

// The provider's ids reach no browser.
const answerOf = ({ cardId, copies, ...card }: ProviderCard): SavedCardAnswer => ({
  id: shownCardId(cardId),
  ...card,
  ...(copies.length > 0 && { earlierIds: copies.map(shownCardId) }),
});
