/**
 * Folds bank accounts' streams into rows; the vault opens what is shown of each, and a forgotten user's
 * columns are blanked.
 */
import {
  ACCOUNT_CLOSED,
  BANK_ACCOUNTS_PREFIX,
  BankAccountDetails,
  type BankAccountEvent,
} from '#contracts/events/bank-account';
import { UNREADABLE_TEXT } from '#contracts/plain/unreadable';
import type { RecordedEvent } from '#contracts/log';
import type { Tx } from '../engine/read-model.js';
import type { RowOf } from '../engine/table.js';
import type { OpenedText, TextReader } from '../engine/text-reader.js';
import { bankAccounts, payoutAccounts } from './columns.js';

const isAboutBanks = (event: RecordedEvent): event is RecordedEvent<BankAccountEvent> =>
  event.stream.startsWith(BANK_ACCOUNTS_PREFIX);

export async function projectBankAccounts(
  events: readonly RecordedEvent[],
  tx: Tx,
  texts: TextReader,
): Promise<void> {
  const forgotten = events.flatMap((event) => (event.type === 'UserForgotten' ? [event.data.userId] : []));
  for (const userId of forgotten) texts.drop(userId);
  const concerned = events.filter(isAboutBanks);
  const userIds = [...new Set([...concerned.map(({ data }) => data.userId), ...forgotten])];
  if (userIds.length === 0) return;

  const [accounts, standings] = [
    await bankAccounts.rowsBy('userId', userIds, tx),
    await payoutAccounts.rowsBy('userId', userIds, tx),
  ];
  const rows: Rows = {
    accounts: new Map(accounts.map((row) => [row.id, row])),
    standings: new Map(standings.map((row) => [row.userId, row])),
  };
  for (const event of concerned) await apply(event, rows, texts);
  for (const row of rows.accounts.values())
    if (forgotten.includes(row.userId)) Object.assign(row, shownOf({ plain: undefined, unreadable: null }));
  await bankAccounts.put([...rows.accounts.values()], tx);
  await payoutAccounts.put([...rows.standings.values()], tx);
}

interface Rows {
  readonly accounts: Map<string, RowOf<typeof bankAccounts>>;
  readonly standings: Map<string, RowOf<typeof payoutAccounts>>;
}

/** What is shown of an account's details; nothing of forgotten ones. */
function shownOf({ plain, unreadable }: OpenedText) {
  if (unreadable !== null)
    return {
      accountHolderName: UNREADABLE_TEXT,
      bankName: UNREADABLE_TEXT,
      accountLast4: null,
      routingLast4: null,
      unreadable,
    };
  const details = plain === undefined ? undefined : BankAccountDetails.parse(JSON.parse(plain));
  return {
    accountHolderName: details?.accountHolderName ?? null,
    bankName: details?.bankName ?? null,
    accountLast4: details?.accountLast4 ?? null,
    routingLast4: details?.routingLast4 ?? null,
    unreadable,
  };
}

async function apply(
  event: RecordedEvent<BankAccountEvent>,
  { accounts, standings }: Rows,
  texts: TextReader,
): Promise<void> {
  const { userId } = event.data;
  const standing =
    standings.get(userId) ?? payoutAccounts.row({ userId, payoutsEnabled: false, isVerified: false });
  standings.set(userId, standing);
  const account = 'bankAccountId' in event.data ? accounts.get(event.data.bankAccountId) : undefined;
  switch (event.type) {
    case 'BankAccountSubmitted': {
      const { bankAccountId, accountType, details, submittedAt } = event.data;
      accounts.set(
        bankAccountId,
        bankAccounts.row({
          id: bankAccountId,
          userId,
          status: 'submitted',
          accountType,
          ...shownOf(await texts.open(details, event)),
          isPrimary: false,
          place: event.revision,
          submittedAt,
        }),
      );
      break;
    }
    case 'PayoutAccountOpened':
      standing.connectAccountId = event.data.connectAccountId;
      break;
    case 'PayoutAccountClosed':
      Object.assign(standing, {
        connectAccountId: null,
        payoutsEnabled: false,
        disabledCode: ACCOUNT_CLOSED,
      });
      break;
    case 'BankAccountAdded':
      if (account) account.status = 'added';
      break;
    case 'BankAccountRefused':
      if (account) account.status = 'refused';
      break;
    case 'PrimaryBankAccountChosen':
      for (const row of accounts.values()) if (row.userId === userId) row.isPrimary = row === account;
      break;
    case 'BankAccountErrored':
      if (account) account.error = event.data.code;
      break;
    case 'BankAccountMended':
      if (account) account.error = null;
      break;
    case 'BankAccountRemoved':
      if (account) Object.assign(account, { status: 'removed', isPrimary: false });
      break;
    case 'PayoutsEnabled':
      Object.assign(standing, { payoutsEnabled: true, disabledCode: null });
      break;
    case 'PayoutsDisabled':
      Object.assign(standing, { payoutsEnabled: false, disabledCode: event.data.code });
      break;
    case 'UserVerified':
    case 'UserUnverified':
      standing.isVerified = event.type === 'UserVerified';
      break;
  }
}
