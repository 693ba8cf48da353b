/** The list of what was paid, and one line of it as a receipt. */
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { listRequestOf } from '#contracts/api/lists';
import {
  Earnings,
  EarningsQuery,
  Transaction,
  TransactionReceipt,
  TransactionsQuery,
  TransactionTotals,
  TransactionTotalsQuery,
} from '#contracts/api/payments';
import { ReceiptProof } from '#contracts/api/receipt-proof';
import { decimalFromMinor } from '#contracts/plain/money';
import { z } from 'zod';
import { NEXT_CURSOR_HEADER } from '#contracts/plain/headers';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { answered } from '#edge/lists';
import { Refusal } from '#edge/refusal';
import { Validated } from '#edge/validated';
import { answerFrom } from '../engine/answer.js';
import { Queryable } from '../engine/read-model.js';
import { receiptFile } from '#log/transparency/receipt';
import {
  earningsOf,
  receiptEntryOf,
  transactionOf,
  transactionsOf,
  transactionSumsOf,
  type TransactionView,
} from './queries.js';
import { ReceiptProofs } from '../engine/receipt-proofs.js';

const PENDING = 'The proof of this receipt follows within two minutes.';
const NO_TREE = 'This app publishes no tree of its books, so there is no proof of this receipt.';

@Controller('api/transactions')
export class TransactionsController {
  constructor(
    private readonly db: Queryable,
    private readonly proofs: ReceiptProofs,
  ) {}

  @ApiCall({
    summary: `The signed-in user’s payments and transfers, newest first. ${NEXT_CURSOR_HEADER} tells of another page.`,
    answer: z.array(Transaction),
  })
  @Get()
  async list(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(TransactionsQuery)) query: TransactionsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Transaction[]> {
    return answered(reply, await transactionsOf(this.db, userId, listRequestOf(query))).map((line) =>
      answerFrom(Transaction, lineOf(line)),
    );
  }

  @ApiCall({
    summary: 'What the lines of that list come to, narrowed alike, over all its pages.',
    answer: TransactionTotals,
  })
  @Get('totals')
  async totals(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(TransactionTotalsQuery)) query: TransactionTotalsQuery,
  ): Promise<TransactionTotals> {
    const { receivedMinor, sentMinor, ...counts } = await transactionSumsOf(
      this.db,
      userId,
      listRequestOf(query),
    );
    return {
      received: decimalFromMinor(receivedMinor),
      sent: decimalFromMinor(sentMinor),
      net: decimalFromMinor(receivedMinor - sentMinor),
      ...counts,
    };
  }

  @ApiCall({ summary: 'What the user received, by days or other times of theirs.', answer: Earnings })
  @Get('earnings')
  async earnings(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(EarningsQuery)) { begins }: EarningsQuery,
  ): Promise<Earnings> {
    return { bars: (await earningsOf(this.db, userId, begins)).map(decimalFromMinor) };
  }

  @ApiCall({
    summary: 'One of the user’s own payments or transfers, with what a receipt says.',
    answer: TransactionReceipt,
    otherwise: { 404: 'Transaction not found' },
  })
  @Get(':id')
  async one(@SignedIn() { userId }: Caller, @Param('id') id: string): Promise<TransactionReceipt> {
    // Nobody's id holds a NUL, which Postgres would not even look for.
    const found = id.includes('\u0000') ? undefined : await transactionOf(this.db, userId, id);
    if (!found) throw new Refusal(404, 'Transaction not found');
    return receiptOf(found);
  }

  @ApiCall({
    summary:
      'The proof that the entry of a receipt stands in the published tree of the books, as a file that outlives this app.',
    answer: ReceiptProof,
    otherwise: { 404: 'Transaction not found' },
  })
  @Get(':id/proof')
  async proof(@SignedIn() { userId }: Caller, @Param('id') id: string): Promise<ReceiptProof> {
    const revision = id.includes('\u0000') ? undefined : await receiptEntryOf(this.db, userId, id);
    if (revision === undefined) throw new Refusal(404, 'Transaction not found');
    const proof = await this.proofs.of(revision);
    if (proof === 'none') return { state: 'none', message: NO_TREE };
    if (proof === 'pending') return { state: 'pending', message: PENDING };
    return {
      state: 'proven',
      leafIndex: proof.index,
      treeSize: proof.size,
      rootHash: proof.root.toString('base64'),
      leafHash: proof.leaf.toString('base64'),
      publishedAt: proof.note.signedAt.toISOString(),
      checkUrl: this.proofs.linkFor(proof),
      file: receiptFile(proof, { transactionId: id, revision, address: this.proofs.address }),
    };
  }
}

/** A line in the words of the answer; whatever else the view has goes by its own name. */
const lineOf = (line: TransactionView) => ({
  ...line,
  amount: decimalFromMinor(line.amountMinor),
  refundedAmount: decimalFromMinor(line.refundedMinor),
  disputedAmount: decimalFromMinor(line.disputedMinor),
  paymentMethod: line.method,
  description: line.note,
});

/** A line of somebody's list, with what a receipt says besides. */
export const receiptOf = (line: TransactionView): TransactionReceipt =>
  answerFrom(TransactionReceipt, { ...lineOf(line), currency: line.currency.toUpperCase() });
