/**
 * Folds bank accounts' streams into rows; the vault opens what is shown of each, and a forgotten user's
 * columns are blanked.
 */
import {
  BANK_ACCOUNTS_PREFIX,
  BankAccountDetails,
  type BankAccountEvent,
} from '#contracts/events/bank-account';
import type { RecordedEvent } from '#contracts/log';
import type { Tx } from '../engine/read-model.js';
import type { Unsealer } from '../engine/unsealer.js';

interface AccountRow {
  id: string;
  user_id: string;
  status: 'submitted' | 'added' | 'refused' | 'removed';
  account_type: string;
  account_holder_name: string | null;
  bank_name: string | null;
  account_last4: string | null;
  routing_last4: string | null;
  is_primary: boolean;
  error: string | null;
  place: string;
  submitted_at: Date | string;
}
interface StandingRow {
  user_id: string;
  connect_account_id: string | null;
  payouts_enabled: boolean;
  disabled_code: string | null;
  is_verified: boolean;
}

const isAboutBanks = (event: RecordedEvent): event is RecordedEvent<BankAccountEvent> =>
  event.stream.startsWith(BANK_ACCOUNTS_PREFIX);

export async function projectBankAccounts(
  events: readonly RecordedEvent[],
  tx: Tx,
  vault: Unsealer,
): Promise<void> {
  const forgotten = events.flatMap((event) => (event.type === 'UserForgotten' ? [event.data.userId] : []));
  for (const userId of forgotten) vault.drop(userId);
  const concerned = events.filter(isAboutBanks);
  const userIds = [...new Set([...concerned.map(({ data }) => data.userId), ...forgotten])];
  if (userIds.length === 0) return;

  const rows = await rowsOf(userIds, tx);
  for (const event of concerned) await apply(event, rows, vault);
  for (const row of rows.accounts.values())
    if (forgotten.includes(row.user_id)) Object.assign(row, shownOf(undefined));
  await write(rows, tx);
}

interface Rows {
  readonly accounts: Map<string, AccountRow>;
  readonly standings: Map<string, StandingRow>;
}

async function rowsOf(userIds: readonly string[], tx: Tx): Promise<Rows> {
  const accounts = await tx.query<AccountRow>({
    name: 'bank-accounts-concerned',
    text: 'select * from bank_accounts where user_id = any($1::text[])',
    values: [userIds],
  });
  const standings = await tx.query<StandingRow>({
    name: 'payout-accounts-concerned',
    text: 'select * from payout_accounts where user_id = any($1::text[])',
    values: [userIds],
  });
  return {
    accounts: new Map(accounts.rows.map((row) => [row.id, row])),
    standings: new Map(standings.rows.map((row) => [row.user_id, row])),
  };
}

const shownOf = (details: BankAccountDetails | undefined) => ({
  account_holder_name: details?.accountHolderName ?? null,
  bank_name: details?.bankName ?? null,
  account_last4: details?.accountLast4 ?? null,
  routing_last4: details?.routingLast4 ?? null,
});

async function apply(
  event: RecordedEvent<BankAccountEvent>,
  { accounts, standings }: Rows,
  vault: Unsealer,
): Promise<void> {
  const { userId } = event.data;
  const standing = standings.get(userId) ?? {
    user_id: userId,
    connect_account_id: null,
    payouts_enabled: false,
    disabled_code: null,
    is_verified: false,
  };
  standings.set(userId, standing);
  const account = 'bankAccountId' in event.data ? accounts.get(event.data.bankAccountId) : undefined;
  switch (event.type) {
    case 'BankAccountSubmitted': {
      const { bankAccountId, accountType, details, submittedAt } = event.data;
      const plain = await vault.unseal(details);
      accounts.set(bankAccountId, {
        id: bankAccountId,
        user_id: userId,
        status: 'submitted',
        account_type: accountType,
        ...shownOf(plain === undefined ? undefined : BankAccountDetails.parse(JSON.parse(plain))),
        is_primary: false,
        error: null,
        place: String(event.revision),
        submitted_at: submittedAt,
      });
      break;
    }
    case 'PayoutAccountOpened':
      standing.connect_account_id = event.data.connectAccountId;
      break;
    case 'BankAccountAdded':
      if (account) account.status = 'added';
      break;
    case 'BankAccountRefused':
      if (account) account.status = 'refused';
      break;
    case 'PrimaryBankAccountChosen':
      for (const row of accounts.values()) if (row.user_id === userId) row.is_primary = row === account;
      break;
    case 'BankAccountErrored':
      if (account) account.error = event.data.code;
      break;
    case 'BankAccountMended':
      if (account) account.error = null;
      break;
    case 'BankAccountRemoved':
      if (account) Object.assign(account, { status: 'removed', is_primary: false });
      break;
    case 'PayoutsEnabled':
      Object.assign(standing, { payouts_enabled: true, disabled_code: null });
      break;
    case 'PayoutsDisabled':
      Object.assign(standing, { payouts_enabled: false, disabled_code: event.data.code });
      break;
    case 'UserVerified':
    case 'UserUnverified':
      standing.is_verified = event.type === 'UserVerified';
      break;
  }
}

async function write({ accounts, standings }: Rows, tx: Tx): Promise<void> {
  const rows = [...accounts.values()];
  if (rows.length > 0)
    await tx.query({
      name: 'bank-accounts-written',
      text: `insert into bank_accounts
             select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                                  $9::boolean[], $10::text[], $11::bigint[], $12::timestamptz[])
             on conflict (id) do update set status = excluded.status, account_holder_name = excluded.account_holder_name,
               bank_name = excluded.bank_name, account_last4 = excluded.account_last4, routing_last4 = excluded.routing_last4,
               is_primary = excluded.is_primary, error = excluded.error`,
      values: [
        rows.map((row) => row.id),
        rows.map((row) => row.user_id),
        rows.map((row) => row.status),
        rows.map((row) => row.account_type),
        rows.map((row) => row.account_holder_name),
        rows.map((row) => row.bank_name),
        rows.map((row) => row.account_last4),
        rows.map((row) => row.routing_last4),
        rows.map((row) => row.is_primary),
        rows.map((row) => row.error),
        rows.map((row) => row.place),
        rows.map((row) => row.submitted_at),
      ],
    });
  const stands = [...standings.values()];
  if (stands.length > 0)
    await tx.query({
      name: 'payout-accounts-written',
      text: `insert into payout_accounts
             select * from unnest($1::text[], $2::text[], $3::boolean[], $4::text[], $5::boolean[])
             on conflict (user_id) do update set connect_account_id = excluded.connect_account_id,
               payouts_enabled = excluded.payouts_enabled, disabled_code = excluded.disabled_code,
               is_verified = excluded.is_verified`,
      values: [
        stands.map((row) => row.user_id),
        stands.map((row) => row.connect_account_id),
        stands.map((row) => row.payouts_enabled),
        stands.map((row) => row.disabled_code),
        stands.map((row) => row.is_verified),
      ],
    });
}
