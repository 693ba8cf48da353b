import { Global, Module } from '@nestjs/common';
import { ConnectHints } from '../bus/connect-hints.js';
import { ConnectReconciliation } from './connect-reconciliation.js';
import { ConnectWebhookController } from './connect-webhook.controller.js';

/** What the payout provider tells, by webhook and by reconciliation, for the slices that look into it. */
@Global()
@Module({
  controllers: [ConnectWebhookController],
  providers: [ConnectHints, ConnectReconciliation],
  exports: [ConnectHints],
})
export class ConnectModule {}
