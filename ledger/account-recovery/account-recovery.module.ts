import { Module } from '@nestjs/common';
import { AccountRecoveryController } from './account-recovery.controller.js';
import { RefusalPageController } from './refusal-page.controller.js';
import { AccountRecoveries } from './account-recovery.handlers.js';

/** Getting an account back whose passkeys its owner cannot use. */
@Module({ controllers: [AccountRecoveryController, RefusalPageController], providers: [AccountRecoveries] })
export class AccountRecoveryModule {}
