import { Module } from '@nestjs/common';
import { TreasuryController } from './treasury.controller.js';

/** Wallets beside the available balance. Their rules are the journal's. */
@Module({ controllers: [TreasuryController] })
export class TreasuryModule {}
