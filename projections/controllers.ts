/** The calls that read models answer, for the ledger's process to serve. */
import type { Type } from '@nestjs/common';
import { BankAccountListController } from './bank-accounts/controller.js';
import { CurrentUserController } from './current-user/controller.js';
import { PayoutListController } from './payouts/controller.js';
import { SchedulesController } from './schedules/controller.js';
import { SettingsReadController } from './settings/controller.js';
import { TipPageReadController } from './tip-pages/controller.js';
import { StatementsController } from './statements/controller.js';
import { TransactionsController } from './transactions/controller.js';
import { UsersController } from './users/controller.js';
import { WalletsController } from './wallets/controller.js';

export const READ_CONTROLLERS: readonly Type[] = [
  CurrentUserController,
  UsersController,
  SettingsReadController,
  TransactionsController,
  WalletsController,
  BankAccountListController,
  PayoutListController,
  SchedulesController,
  TipPageReadController,
  StatementsController,
];
