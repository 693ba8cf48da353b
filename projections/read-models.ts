/**
 * Every read model there is: its declaration, and its projection bound to the vault where it has to open what
 * is sealed.
 */
import type { ReadModel } from './engine/read-model.js';
import { TextReader, type UnreadableNote, type Unsealer } from './engine/text-reader.js';
import { usersModel } from './users/columns.js';
import { projectUsers } from './users/project.js';
import { balancesModel } from './balances/columns.js';
import { projectBalances } from './balances/project.js';
import { transactionsModel } from './transactions/columns.js';
import { projectTransactions } from './transactions/project.js';
import { settingsModel } from './settings/columns.js';
import { projectSettings } from './settings/project.js';
import { schedulesModel } from './schedules/columns.js';
import { projectSchedules } from './schedules/project.js';
import { idempotencyKeysModel } from './idempotency-keys/columns.js';
import { projectIdempotencyKeys } from './idempotency-keys/project.js';
import { unappliedModel } from './unapplied/columns.js';
import { projectUnapplied } from './unapplied/project.js';
import { unclaimedModel } from './unclaimed/columns.js';
import { projectUnclaimed } from './unclaimed/project.js';
import { bankAccountsModel } from './bank-accounts/columns.js';
import { projectBankAccounts } from './bank-accounts/project.js';
import { payoutsModel } from './payouts/columns.js';
import { projectPayouts } from './payouts/project.js';
import { tipPagesModel } from './tip-pages/columns.js';
import { projectTipPages } from './tip-pages/project.js';
import { statementsModel } from './statements/columns.js';
import { projectStatements } from './statements/project.js';
import { walletsModel } from './wallets/columns.js';
import { projectWallets } from './wallets/project.js';

/**
 * All read models, in the order in which their tables are made. `vault` opens profiles and notes; `note` is
 * told of each text that does not open.
 */
export function readModels(vault: Unsealer, note?: (note: UnreadableNote) => void): readonly ReadModel[] {
  const texts = new TextReader(vault, note);
  return [
    { ...usersModel, project: (events, tx) => projectUsers(events, tx, texts) },
    { ...balancesModel, project: projectBalances },
    { ...transactionsModel, project: (events, tx) => projectTransactions(events, tx, texts) },
    { ...settingsModel, project: projectSettings },
    { ...schedulesModel, project: (events, tx) => projectSchedules(events, tx, texts) },
    { ...idempotencyKeysModel, project: projectIdempotencyKeys },
    { ...unappliedModel, project: projectUnapplied },
    { ...unclaimedModel, project: projectUnclaimed },
    { ...bankAccountsModel, project: (events, tx) => projectBankAccounts(events, tx, texts) },
    { ...payoutsModel, project: projectPayouts },
    { ...walletsModel, project: (events, tx) => projectWallets(events, tx, texts) },
    { ...tipPagesModel, project: (events, tx) => projectTipPages(events, tx, texts) },
    { ...statementsModel, project: projectStatements },
  ];
}
