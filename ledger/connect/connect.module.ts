import { Global, Module } from '@nestjs/common';
import { ConnectHints } from '../bus/connect-hints.js';
import { ConnectReconciliation } from './connect.handlers.js';
import { ConnectWebhookController } from './connect.controller.js';

/** What the payout provider tells, by webhook and by reconciliation, for the slices that look into it. */
@Global()
@Module({
  controllers: [ConnectWebhookController],
  providers: [ConnectHints, ConnectReconciliation],
  exports: [ConnectHints],
})
export class ConnectModule {}
