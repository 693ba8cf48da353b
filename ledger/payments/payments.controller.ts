/** Paying somebody, and the list of what was paid. */
import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { decimalFromMinor } from '#contracts/plain/money';
import { IDEMPOTENCY_KEY_HEADER } from '#contracts/plain/headers';
import { IdempotencyKey } from '#contracts/api/idempotency-key';
import { asked } from '#contracts/api/lists';
import {
  CreatePaymentIntent,
  TransactionsQuery,
  type PaymentIntentAnswer,
  type Transaction,
  type TransactionReceipt,
} from '#contracts/api/payments';
import { SignedIn, type Caller } from '#edge/caller';
import { answered } from '#edge/lists';
import { Refusal } from '#edge/refusal';
import { ReadYourWrites } from '../http/read-models.js';
import { read, Validated } from '#edge/validated';
import { PaymentFlow } from './payment-flow.js';
import { PaymentHistory, type HistoryLine } from './payment-reads.js';

@Controller('api')
export class PaymentsController {
  constructor(
    private readonly flow: PaymentFlow,
    private readonly history: PaymentHistory,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Post('create-payment-intent')
  @HttpCode(200)
  async create(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(CreatePaymentIntent)) body: CreatePaymentIntent,
    @Headers(IDEMPOTENCY_KEY_HEADER) header: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PaymentIntentAnswer> {
    const key = read(IdempotencyKey.optional(), header);
    const { answer, position } = await this.flow.open(userId, body, key, correlationId);
    await this.readYourWrites.hold(reply, position);
    return answer;
  }

  @Get('payments/:id/client-secret')
  secret(@SignedIn() { userId }: Caller, @Param('id') paymentId: string): Promise<PaymentIntentAnswer> {
    return this.flow.secretOf(userId, paymentId);
  }

  @Get('transactions')
  async list(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(TransactionsQuery)) query: TransactionsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Transaction[]> {
    return answered(reply, await this.history.pageOf(userId, asked(query))).map(transactionOf);
  }

  @Get('transactions/:id')
  async one(@SignedIn() { userId }: Caller, @Param('id') id: string): Promise<TransactionReceipt> {
    // Nobody's id holds a NUL, which Postgres would not even look for.
    const found = id.includes('\u0000') ? undefined : await this.history.receiptOf(userId, id);
    if (!found) throw new Refusal(404, 'Transaction not found');
    return {
      ...transactionOf(found),
      currency: found.currency.toUpperCase(),
      openedAt: found.openedAt.toISOString(),
      settledAt: found.settledAt?.toISOString() ?? null,
    };
  }
}

const transactionOf = (line: HistoryLine): Transaction => ({
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
