/**
 * A month of one account, with ids only: what it began with, every posting, what it ended with. A month's
 * opening balance is the closing one of the month before, and a month that is over never changes by a byte.
 */
import type { Paper, PaperLine } from '#projections/statements/pdf';
import { textFromMinor } from '../reconcile/amounts.js';
import { monthInWords, spanOfMonth } from '#contracts/plain/months';
import { natureOf } from '../derivation/accounts.js';
import { isPlatforms, linesIn, neverOpened, noSuchAccount, opens, type AccountLine } from './account.js';
import { csvOf } from './csv.js';
import { entriesUntil, type BooksSource } from './fold.js';
import { THE_END, timeZoneOf } from './moments.js';

/** Amounts are minor units, credits less debits. */
export interface Statement {
  readonly account: string;
  readonly month: string;
  readonly timeZone: string;
  readonly currency: string;
  readonly openingMinor: number;
  readonly lines: readonly AccountLine[];
  readonly receivedMinor: number;
  /** Without a sign. */
  readonly sentMinor: number;
  readonly closingMinor: number;
  /** The last entry of the journal in or before the month, and its chain hash; null where there is none. */
  readonly through: { readonly revision: number; readonly hash: string } | null;
}

/** A month of an account. Throws RangeError for one that there was not by then, or for what is no month. */
export async function statementOf(source: BooksSource, account: string, month: string): Promise<Statement> {
  const nature = natureOf(account);
  if (!nature) throw new RangeError(noSuchAccount(account));
  const timeZone = await timeZoneOf(source);
  const { fromMs, untilMs } = spanOfMonth(month, timeZone);
  const lines: AccountLine[] = [];
  let [openingMinor, closingMinor, receivedMinor, sentMinor] = [0, 0, 0, 0];
  let through: Statement['through'] = null;
  let isOpen = isPlatforms(nature);
  for await (const entry of entriesUntil(source, { ...THE_END, beforeMs: untilMs })) {
    through = { revision: entry.revision, hash: entry.hash };
    isOpen ||= opens(entry, nature);
    const isInMonth = Date.parse(entry.recordedAt) >= fromMs;
    for (const line of linesIn(entry, account, closingMinor)) {
      closingMinor = line.balanceMinor;
      if (!isInMonth) openingMinor = closingMinor;
      else {
        lines.push(line);
        if (line.amountMinor > 0) receivedMinor += line.amountMinor;
        else sentMinor -= line.amountMinor;
      }
    }
  }
  if (!isOpen) throw new RangeError(neverOpened(account, `the end of ${month}`));
  const { currency } = nature;
  return {
    account,
    month,
    timeZone,
    currency,
    openingMinor,
    lines,
    receivedMinor,
    sentMinor,
    closingMinor,
    through,
  };
}

/** The statement as CSV: the opening balance, every line, the closing balance. */
export function statementCsv({ openingMinor, lines, closingMinor, currency }: Statement): string {
  const balance = (type: string, minor: number) => [
    '',
    '',
    type,
    '',
    '',
    '',
    textFromMinor(minor, currency),
    currency,
    '',
    '',
  ];
  return csvOf(
    [
      'revision',
      'recorded_at',
      'type',
      'subject',
      'counter_account',
      'amount',
      'balance',
      'currency',
      'entry_id',
      'hash',
    ],
    [
      balance('opening balance', openingMinor),
      ...lines.map((line) => [
        line.revision,
        line.recordedAt,
        line.type,
        line.subject,
        line.counterAccount,
        textFromMinor(line.amountMinor, currency),
        textFromMinor(line.balanceMinor, currency),
        currency,
        line.entryId,
        line.hash,
      ]),
      balance('closing balance', closingMinor),
    ],
  );
}

/** The statement as JSON, indented: amounts are decimal strings. */
export function statementJson(statement: Statement): string {
  const { openingMinor, receivedMinor, sentMinor, closingMinor, lines, ...rest } = statement;
  const { currency } = rest;
  const told = {
    ...rest,
    opening: textFromMinor(openingMinor, currency),
    received: textFromMinor(receivedMinor, currency),
    sent: textFromMinor(sentMinor, currency),
    closing: textFromMinor(closingMinor, currency),
    lines: lines.map(({ amountMinor, balanceMinor, ...line }) => ({
      ...line,
      amount: textFromMinor(amountMinor, currency),
      balance: textFromMinor(balanceMinor, currency),
    })),
  };
  return `${JSON.stringify(told, null, 2)}\n`;
}

/** What the last entry proves: all of a month that is over, and of any other what there is of it so far. */
const LAST_ENTRY = {
  over: 'The journal ended with this entry when the month did.',
  begun: 'The month is not over: this is the last entry of the journal so far.',
} as const;

/** The statement as it is drawn on paper at `now`: ids in place of names. */
export function statementPaper(statement: Statement, now: Date): Paper {
  const { account, month, timeZone, currency, through } = statement;
  const { fromMs, untilMs } = spanOfMonth(month, timeZone);
  const day = (ms: number): string =>
    new Intl.DateTimeFormat('en-US', { timeZone, month: 'short', day: 'numeric' }).format(ms);
  const isOver = now.getTime() >= untilMs;
  const [firstDay, lastDay] = [day(fromMs), day(isOver ? untilMs - 1 : Math.max(fromMs, now.getTime()))];
  const { userId, walletId, kind } = natureOf(account)!;
  const owner = userId ?? walletId;
  return {
    month: monthInWords(month),
    name: owner ?? account,
    // The owner's id stands above it, and would not fit here as well.
    account: owner ? kind : account,
    period: `${firstDay} to ${lastDay}`,
    currency: currency.toUpperCase(),
    firstDay,
    lastDay,
    openingMinor: statement.openingMinor,
    receivedMinor: statement.receivedMinor,
    sentMinor: statement.sentMinor,
    closing: isOver ? 'Closing balance' : 'Balance so far',
    closingMinor: statement.closingMinor,
    lines: statement.lines.map((line): PaperLine => ({
      date: day(Date.parse(line.recordedAt)),
      what: `${line.type} ${line.subject ?? ''}`.trim(),
      amountMinor: line.amountMinor,
      balanceMinor: line.balanceMinor,
    })),
    proof: through
      ? {
          says: `${LAST_ENTRY[isOver ? 'over' : 'begun']} Its hash covers every entry before it: if one figure of the log were changed, it would not match.`,
          label: `Entry ${through.revision}`,
          hex: Buffer.from(through.hash, 'base64url').toString('hex'),
        }
      : undefined,
    foot: `Time zone of the books: ${timeZone}`,
    // What is over is made when it ended: the same statement has the same bytes.
    madeAt: isOver ? new Date(untilMs) : now,
    made: 'Ids only',
  };
}
