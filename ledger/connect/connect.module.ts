import { Module } from '@nestjs/common';
import { ConnectWebhookController } from './connect.controller.js';
import { ConnectReconciliation } from './connect.handlers.js';

/** What the payout provider tells, by webhook and by reconciliation, for the slices that look into it. */
@Module({ controllers: [ConnectWebhookController], providers: [ConnectReconciliation] })
export class ConnectModule {}
