/**
 * Every read model there is: its table, and its projection bound to the vault where it has to open what is
 * sealed.
 */
import { balancesTable } from './balances/table.js';
import { projectBalances } from './balances/project.js';
import { projectBankAccounts } from './bank-accounts/project.js';
import { bankAccountsTable } from './bank-accounts/table.js';
import type { ReadModel, TableDefinition } from './engine/read-model.js';
import type { Unsealer } from './engine/unsealer.js';
import { projectIdempotencyKeys } from './idempotency-keys/project.js';
import { idempotencyKeysTable } from './idempotency-keys/table.js';
import { projectPayoutCourses } from './payout-courses/project.js';
import { payoutCoursesTable } from './payout-courses/table.js';
import { projectPayouts } from './payouts/project.js';
import { payoutsTable } from './payouts/table.js';
import { projectSchedules } from './schedules/project.js';
import { schedulesTable } from './schedules/table.js';
import { projectSettings } from './settings/project.js';
import { settingsTable } from './settings/table.js';
import { projectTransactions } from './transactions/project.js';
import { transactionsTable } from './transactions/table.js';
import { projectUnapplied } from './unapplied/project.js';
import { unappliedTable } from './unapplied/table.js';
import { projectUsers } from './users/project.js';
import { usersTable } from './users/table.js';
import { projectWallets } from './wallets/project.js';
import { walletsTable } from './wallets/table.js';

/** The tables of all read models, in the order in which they are made. */
export const READ_TABLES: readonly TableDefinition[] = [
  usersTable,
  balancesTable,
  transactionsTable,
  settingsTable,
  schedulesTable,
  idempotencyKeysTable,
  unappliedTable,
  bankAccountsTable,
  payoutCoursesTable,
  payoutsTable,
  walletsTable,
];

/** All read models. `vault` opens profiles and notes. */
export const readModels = (vault: Unsealer): readonly ReadModel[] => [
  { ...usersTable, project: (events, tx) => projectUsers(events, tx, vault) },
  { ...balancesTable, project: projectBalances },
  { ...transactionsTable, project: (events, tx) => projectTransactions(events, tx, vault) },
  { ...settingsTable, project: projectSettings },
  { ...schedulesTable, project: (events, tx) => projectSchedules(events, tx, vault) },
  { ...idempotencyKeysTable, project: projectIdempotencyKeys },
  { ...unappliedTable, project: projectUnapplied },
  { ...bankAccountsTable, project: (events, tx) => projectBankAccounts(events, tx, vault) },
  { ...payoutCoursesTable, project: projectPayoutCourses },
  { ...payoutsTable, project: projectPayouts },
  { ...walletsTable, project: (events, tx) => projectWallets(events, tx, vault) },
];
