/**
 * A person's own statements: the months, one of them, and every entry of an account with its running balance.
 */
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  AccountEntriesQuery,
  AccountEntry,
  Statement,
  StatementList,
  StatementMonth,
  StatementQuery,
  type StatementSummary,
} from '#contracts/api/statements';
import { LIST_MAX } from '#contracts/api/lists';
import { NEXT_CURSOR_HEADER } from '#contracts/plain/headers';
import { decimalFromMinor } from '#contracts/plain/money';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { answered } from '#edge/lists';
import { Refusal } from '#edge/refusal';
import { Validated } from '#edge/validated';
import { receiptFile } from '#log/transparency/receipt';
import { answerFrom } from '../engine/answer.js';
import { Queryable } from '../engine/read-model.js';
import { ReceiptProofs } from '../engine/receipt-proofs.js';
import { userById } from '../users/queries.js';
import { walletsOf } from '../wallets/queries.js';
import { personalPaper, type PaperEvidence } from './paper.js';
import {
  accountNamed,
  bookFactsOf,
  linesOf,
  monthsOf,
  ownsAccount,
  proofOfMonth,
  wholeMonth,
  type AccountLineView,
  type AccountMonthView,
  type BookFacts,
} from './queries.js';

/** So many lines are drawn for one reader: some two seconds of work, in which others have their turn. */
const PAPER_LINES = 3_000;
const NOT_THEIRS = { 404: 'The account that was asked for is none of theirs' };

@Controller('api')
export class StatementsController {
  constructor(
    private readonly db: Queryable,
    private readonly proofs: ReceiptProofs,
  ) {}

  @ApiCall({
    summary: 'The months in which an account of the user’s has entries, newest first.',
    answer: StatementList,
    otherwise: NOT_THEIRS,
  })
  @Get('statements')
  async months(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(StatementQuery)) { account }: StatementQuery,
  ): Promise<StatementList> {
    const name = await this.owned(userId, account);
    const [facts, months] = await Promise.all([bookFactsOf(this.db), monthsOf(this.db, userId, name)]);
    return { timeZone: facts.timeZone, months: months.map((month) => summaryOf(month, facts)) };
  }

  @ApiCall({
    summary: 'A month of an account of the user’s: opening balance, every entry, closing balance.',
    answer: Statement,
    otherwise: NOT_THEIRS,
  })
  @Get('statements/:month')
  month(
    @SignedIn() { userId }: Caller,
    @Param('month', new Validated(StatementMonth)) month: string,
    @Query(new Validated(StatementQuery)) { account }: StatementQuery,
  ): Promise<Statement> {
    return this.statementOf(userId, account, month);
  }

  @ApiCall({
    summary: 'A month of an account of the user’s as a PDF to keep.',
    answerType: 'application/pdf',
    otherwise: { ...NOT_THEIRS, 422: 'The month has more entries than a PDF holds' },
  })
  @Get('statements/:month/pdf')
  async pdf(
    @SignedIn() { userId }: Caller,
    @Param('month', new Validated(StatementMonth)) month: string,
    @Query(new Validated(StatementQuery)) { account }: StatementQuery,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const owner = { userId, account: await this.owned(userId, account) };
    const { timeZone } = await bookFactsOf(this.db);
    const [{ figures, lines }, proof, user, wallets] = await Promise.all([
      wholeMonth(this.db, owner, month, timeZone, PAPER_LINES),
      this.evidenceOf(month),
      userById(this.db, userId),
      walletsOf(this.db, userId),
    ]);
    if (figures.entryCount > lines.length)
      throw new Refusal(
        422,
        `This month has ${figures.entryCount} entries, and a PDF holds ${PAPER_LINES} at most. Please use the list of entries.`,
      );
    // What draws a PDF is costly to load: with the first one.
    const { statementPdf } = await import('./pdf.js');
    const name = [user?.firstName, user?.lastName].filter(Boolean).join(' ').trim();
    const paper = personalPaper({
      name: name || null,
      username: user?.username ?? null,
      accountName: wallets.find(({ id }) => id === account)?.displayName ?? account,
      userId,
      timeZone,
      month: figures,
      lines,
      proof,
      // Not the request's: whoever sends it writes that header.
      host: new URL(this.proofs.address).host,
      now: new Date(),
    });
    return reply
      .type('application/pdf')
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="encore-statement-${month}.pdf"`)
      .send(await statementPdf(paper));
  }

  @ApiCall({
    summary: `The entries of an account of the user’s, newest first, each with the balance that it left. ${NEXT_CURSOR_HEADER} tells of another page.`,
    answer: z.array(AccountEntry),
    otherwise: NOT_THEIRS,
  })
  @Get('account-entries')
  async entries(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(AccountEntriesQuery)) { account, ...page }: AccountEntriesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountEntry[]> {
    const owner = { userId, account: await this.owned(userId, account) };
    return answered(reply, await linesOf(this.db, owner, page)).map((line) => entryOf(line, account));
  }

  /**
   * What proves a closed month. Where no tree can be read, the entry alone: a statement never waits for it.
   */
  private async evidenceOf(month: string): Promise<PaperEvidence | undefined> {
    const entry = await proofOfMonth(this.db, month);
    if (!entry) return undefined;
    const { revision } = entry;
    const proof = await this.proofs.of(revision).catch(() => 'none' as const);
    if (proof === 'none' || proof === 'pending') return { entry };
    // A tree over another entry proves nothing of this one.
    if (!proof.leaf.equals(Buffer.from(entry.hash, 'base64url'))) return { entry };
    const { address } = this.proofs;
    const file = receiptFile(proof, { transactionId: `month-${month}`, revision, address });
    return { entry, published: { checkUrl: this.proofs.linkFor(proof), file } };
  }

  private async statementOf(userId: string, account: string, month: string): Promise<Statement> {
    const owner = { userId, account: await this.owned(userId, account) };
    const facts = await bookFactsOf(this.db);
    const { figures, lines } = await wholeMonth(this.db, owner, month, facts.timeZone, LIST_MAX);
    const { entryCount, ...summary } = summaryOf(figures, facts);
    return {
      ...summary,
      account,
      timeZone: facts.timeZone,
      lines: lines.map((line) => entryOf(line, account)),
      isCut: entryCount > lines.length,
    };
  }

  /** The account's name in the journal. Throws a {@link Refusal} (404) for one that is not the caller's. */
  private async owned(userId: string, account: string): Promise<string> {
    if (!(await ownsAccount(this.db, userId, account))) throw new Refusal(404, 'Account not found');
    return accountNamed(userId, account);
  }
}

const summaryOf = (
  { month, openingMinor, receivedMinor, sentMinor, closingMinor, entryCount }: AccountMonthView,
  { closedThrough }: BookFacts,
): StatementSummary => ({
  month,
  opening: decimalFromMinor(openingMinor),
  received: decimalFromMinor(receivedMinor),
  sent: decimalFromMinor(sentMinor),
  closing: decimalFromMinor(closingMinor),
  entryCount,
  isClosed: closedThrough !== null && month <= closedThrough,
});

const entryOf = (line: AccountLineView, account: string): AccountEntry =>
  answerFrom(AccountEntry, {
    ...line,
    account,
    amount: decimalFromMinor(line.amountMinor),
    balance: decimalFromMinor(line.balanceMinor),
  });
