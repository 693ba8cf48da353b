/** The list of what was paid, and one line of it as a receipt. */
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { asked } from '#contracts/api/lists';
import { TransactionsQuery, type Transaction, type TransactionReceipt } from '#contracts/api/payments';
import { decimalFromMinor } from '#contracts/plain/money';
import { SignedIn, type Caller } from '#edge/caller';
import { answered } from '#edge/lists';
import { Refusal } from '#edge/refusal';
import { Validated } from '#edge/validated';
import { Queryable } from '../engine/read-model.js';
import { transactionOf, transactionsOf, type TransactionView } from './queries.js';

@Controller('api/transactions')
export class TransactionsController {
  constructor(private readonly db: Queryable) {}

  @Get()
  async list(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(TransactionsQuery)) query: TransactionsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Transaction[]> {
    return answered(reply, await transactionsOf(this.db, userId, asked(query))).map(answerOf);
  }

  @Get(':id')
  async one(@SignedIn() { userId }: Caller, @Param('id') id: string): Promise<TransactionReceipt> {
    // Nobody's id holds a NUL, which Postgres would not even look for.
    const found = id.includes('\u0000') ? undefined : await transactionOf(this.db, userId, id);
    if (!found) throw new Refusal(404, 'Transaction not found');
    return {
      ...answerOf(found),
      currency: found.currency.toUpperCase(),
      openedAt: found.openedAt.toISOString(),
      settledAt: found.settledAt?.toISOString() ?? null,
    };
  }
}

const answerOf = (line: TransactionView): Transaction => ({
  id: line.id,
  type: line.type,
  amount: decimalFromMinor(line.amountMinor),
  status: line.status,
  createdAt: line.createdAt.toISOString(),
  kind: line.kind,
  refundedAmount: decimalFromMinor(line.refundedMinor),
  disputedAmount: decimalFromMinor(line.disputedMinor),
  disputeStatus: line.disputeStatus,
  paymentMethod: line.method,
  description: line.note,
  failureReason: line.failureReason,
  counterpartyId: line.counterpartyId,
  counterpartyUsername: line.counterpartyUsername,
  counterpartyName: line.counterpartyName,
  scheduleKind: line.scheduleKind,
  scheduleId: line.scheduleId,
});
