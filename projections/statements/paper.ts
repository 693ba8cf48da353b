/**
 * A person's own statement as it is drawn on paper: each line in words, by the names that its reader may see.
 */
import type { ReceiptFile } from '#contracts/api/receipt-proof';
import { monthInWords, spanOfMonth } from '#contracts/plain/months';
import type { AccountLineView, AccountMonthView, MonthProof } from './queries.js';
import type { Paper, PaperLine, PaperProof } from './pdf.js';

/** The entry that closed the month, and how it is proven where the log's tree is published. */
export interface PaperEvidence {
  readonly entry: MonthProof;
  readonly published?: { readonly checkUrl: string; readonly file: ReceiptFile } | undefined;
}

interface PersonalStatement {
  readonly name: string | null;
  readonly username: string | null;
  /** `available`, `payouts`, or the name of a wallet. */
  readonly accountName: string;
  readonly userId: string;
  readonly timeZone: string;
  readonly month: AccountMonthView;
  readonly lines: readonly AccountLineView[];
  /** Undefined while the month is not closed. */
  readonly proof: PaperEvidence | undefined;
  /** Where the app is reached, without its scheme. */
  readonly host: string;
  readonly now: Date;
}

/** What a line says in words. Names that nobody may see any more are left out. */
export function whatOf(line: AccountLineView): string {
  const who = line.counterpartyName ?? (line.counterpartyUsername ? `@${line.counterpartyUsername}` : null);
  const wallet = /\bwallet$/i.test(line.walletName ?? '')
    ? line.walletName
    : `${line.walletName ?? 'a'} wallet`;
  const isIn = line.amountMinor > 0;
  switch (line.type) {
    case 'PaymentSettled':
      return who ?? 'Payment received';
    case 'TransferPosted':
      return who ?? (isIn ? 'Payment received' : 'Payment sent');
    case 'PaymentRefunded':
      return who === null ? 'Refund' : `Refund to ${who}`;
    case 'RefundFailed':
      return who === null ? 'Refund that came back' : `Refund to ${who} that came back`;
    case 'DisputeFundsWithdrawn':
      return 'Payment returned, card dispute';
    case 'DisputeFundsReinstated':
      return 'Card dispute, money given back';
    case 'WalletFunded':
      return isIn ? 'From the available balance' : `To ${wallet}`;
    case 'WalletWithdrawn':
      return isIn ? `From ${wallet}` : 'To the available balance';
    case 'WalletClosed':
      return isIn ? `From ${wallet}, closed` : 'To the available balance, closed';
    case 'PayoutRequested':
      return line.bankAccountLabel === null ? 'Payout' : `Payout to ${line.bankAccountLabel}`;
    case 'PayoutFailed':
    case 'PayoutReturned':
      return line.bankAccountLabel === null
        ? 'Payout that came back'
        : `Payout to ${line.bankAccountLabel}, came back`;
    case 'PayoutCompleted':
      return line.bankAccountLabel === null ? 'Arrived at the bank' : `Arrived at ${line.bankAccountLabel}`;
    case 'DebtWrittenOff':
      return 'Debt written off';
    case 'AccountClosed':
    case 'ClosedAccountCleared':
      return 'Account closed';
    default:
      return line.type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
  }
}

/** What the account is called on paper. */
const ACCOUNTS: Readonly<Record<string, string>> = {
  available: 'Available balance',
  payouts: 'On its way to banks',
};

/** The statement on paper. */
export function personalPaper(statement: PersonalStatement): Paper {
  const { timeZone, month, lines, now, userId } = statement;
  const { fromMs, untilMs } = spanOfMonth(month.month, timeZone);
  const short = new Intl.DateTimeFormat('en-US', { timeZone, month: 'short', day: 'numeric' });
  const long = new Intl.DateTimeFormat('en-US', { timeZone, dateStyle: 'medium' });
  const isOver = now.getTime() >= untilMs;
  const [firstDay, lastDay] = [short.format(fromMs), short.format(isOver ? untilMs - 1 : now)];
  return {
    month: monthInWords(month.month),
    name: statement.name ?? (statement.username === null ? userId : `@${statement.username}`),
    handle: statement.name !== null && statement.username !== null ? `@${statement.username}` : undefined,
    account: ACCOUNTS[statement.accountName] ?? statement.accountName,
    period: `${firstDay} to ${lastDay}`,
    currency: 'US dollars',
    firstDay,
    lastDay,
    openingMinor: month.openingMinor,
    receivedMinor: month.receivedMinor,
    sentMinor: month.sentMinor,
    closing: statement.proof ? 'Closing balance' : 'Balance so far',
    closingMinor: month.closingMinor,
    lines: lines.map((line): PaperLine => ({
      date: short.format(line.recordedAt),
      what: whatOf(line),
      note: line.description ?? undefined,
      amountMinor: line.amountMinor,
      balanceMinor: line.balanceMinor,
    })),
    proof: statement.proof && proofOn(lines.length, month.month, statement.proof),
    foot: statement.host,
    madeAt: now,
    made: `Made ${long.format(now)}`,
  };
}

function proofOn(lines: number, month: string, { entry, published }: PaperEvidence): PaperProof {
  const logged =
    lines === 0
      ? 'This month has no entries.'
      : lines === 1
        ? 'This line is in the log.'
        : `These ${lines} lines are in the log.`;
  return {
    says: published
      ? `${logged} The entry below closed the month, and its hash covers every entry before it. The code opens a page that checks it, with the file in this PDF.`
      : `${logged} The entry below closed the month, and its hash covers every entry before it: if one figure of the log were changed, it would not match.`,
    label: `Entry ${entry.revision}`,
    hex: Buffer.from(entry.hash, 'base64url').toString('hex'),
    ...(published && {
      address: published.checkUrl,
      file: {
        name: `encore-proof-${month}.json`,
        about: 'Shows that the entry which closed the month is in the published books',
        content: `${JSON.stringify(published.file, null, 2)}\n`,
      },
    }),
  };
}
