/** A user's messages: the list of them, what of it is new, and that it was read. */
import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Message, MessagesQuery, MessagesSummary, ReadMessages } from '#contracts/api/messages';
import { NEXT_CURSOR_HEADER } from '#contracts/plain/headers';
import { decimalFromMinor } from '#contracts/plain/money';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { unguarded } from '#edge/proof';
import { answered } from '#edge/lists';
import { Validated } from '#edge/validated';
import { MessageNames, namesFor } from './message-names.js';
import { MessageStore, type StoredMessage } from './message-store.js';
import { textOf, type Names } from './message-texts.js';

@Controller('api/messages')
export class MessagesController {
  constructor(
    private readonly store: MessageStore,
    private readonly names: MessageNames,
  ) {}

  @ApiCall({
    summary: `What the user was told, newest first. ${NEXT_CURSOR_HEADER} tells of another page.`,
    answer: z.array(Message),
  })
  @Get()
  async list(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(MessagesQuery)) { limit, cursor }: MessagesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Message[]> {
    const stored = await this.store.listOf(
      userId,
      limit + 1,
      cursor === undefined ? undefined : placeOf(cursor),
    );
    const lines = stored.slice(0, limit);
    const last = lines.at(-1);
    const next = stored.length > limit && last ? `${last.at.getTime()}-${last.id}` : undefined;
    const tips = lines.flatMap(({ kind, facts }) => (kind === 'tip_received' ? [facts.paymentId] : []));
    const [names, notes] = await Promise.all([
      namesFor(this.names, userId, lines),
      tips.length === 0 ? new Map<string, string>() : this.names.notes(userId, tips),
    ]);
    return answered(reply, { lines, next }).map((message) => answerOf(message, names, notes));
  }

  @ApiCall({
    summary: 'How many messages are unread, and what arrived while nobody looked.',
    answer: MessagesSummary,
  })
  @Get('summary')
  async summary(@SignedIn() { userId }: Caller): Promise<MessagesSummary> {
    const [unread, tips] = await Promise.all([this.store.unreadCount(userId), this.store.unreadTips(userId)]);
    if (tips.length === 0) return { unread, away: null };
    const named = await this.names.showName(tips.flatMap(({ payerId }) => payerId ?? []));
    const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
    return {
      unread,
      away: {
        amount: decimalFromMinor(sumOf(tips.map(({ amountMinor }) => amountMinor))),
        tips: sumOf(tips.map((of) => of.tips)),
        named: sumOf(
          tips.filter(({ payerId }) => payerId !== null && named.has(payerId)).map((of) => of.tips),
        ),
      },
    };
  }

  @ApiCall({
    summary: 'Marks messages as read.',
    proof: unguarded('Read messages stay in the list.'),
    otherwise: { 400: 'Neither ids nor through' },
  })
  @Post('read')
  @HttpCode(204)
  async read(
    @SignedIn() { userId }: Caller,
    @Body(new Validated(ReadMessages)) body: ReadMessages,
  ): Promise<void> {
    if ('ids' in body) await this.store.readSome(userId, body.ids);
    else await this.store.readThrough(userId, body.through);
  }
}

function placeOf(cursor: string): { atMs: number; id: string } {
  const [atMs = '', id = ''] = cursor.split('-');
  return { atMs: Number(atMs), id };
}

function answerOf(message: StoredMessage, names: Names, notes: ReadonlyMap<string, string>): Message {
  const { id, kind, at, isRead } = message;
  return {
    id,
    kind,
    ...textOf(message, names),
    at: at.toISOString(),
    isRead,
    // Looked up where it stands: nothing that people write is kept among the messages.
    note: kind === 'tip_received' ? (notes.get(message.facts.paymentId) ?? null) : null,
    amount: kind === 'tip_received' ? decimalFromMinor(message.facts.amountMinor) : null,
  };
}
