/** What workers and the provider's hints ask about payouts. */
import { Injectable } from '@nestjs/common';
import { InternalCommands } from '../bus/internal-commands.js';
import { ConnectHints } from '../bus/connect-hints.js';
import { PayoutFlow } from './payout-flow.js';

@Injectable()
export class PayoutDuties {
  constructor(commands: InternalCommands, hints: ConnectHints, flow: PayoutFlow) {
    commands.on('AdvancePayout', ({ payoutId }, cause) => flow.advance(payoutId, cause));
    hints
      .on('payout', ({ payoutId }, cause) => flow.advance(payoutId, cause))
      .on('provider-payout', ({ connectAccountId, providerPayoutId }, cause) =>
        flow.advanceProviderPayout(connectAccountId, providerPayoutId, cause),
      );
  }
}
