/** The one table of the API's routes. Another resource is a file of its own and a line here. */
import { accountLinkRoutes } from './resources/account-links.js';
import { accountRoutes } from './resources/account-calls.js';
import { balanceRoutes } from './resources/balance.js';
import { chargeRoutes } from './resources/charges.js';
import { customerRoutes } from './resources/customers.js';
import { disputeRoutes } from './resources/disputes.js';
import { eventRoutes } from './resources/events.js';
import { externalAccountRoutes } from './resources/external-accounts.js';
import { paymentIntentRoutes } from './resources/payment-intents.js';
import { paymentMethodRoutes } from './resources/payment-method-calls.js';
import { payoutRoutes } from './resources/payouts.js';
import { refundRoutes } from './resources/refunds.js';
import { setupIntentRoutes } from './resources/setup-intents.js';
import { tokenRoutes } from './resources/tokens.js';
import { transferRoutes } from './resources/transfers.js';
import { topUpRoutes } from './resources/topups.js';
import { setUpRoutes } from './resources/set-up.js';
import type { Route } from './routing.js';

export const ROUTES: readonly Route[] = [
  ...paymentIntentRoutes,
  ...paymentMethodRoutes,
  ...customerRoutes,
  ...setupIntentRoutes,
  ...chargeRoutes,
  ...refundRoutes,
  ...balanceRoutes,
  ...eventRoutes,
  ...accountRoutes,
  ...accountLinkRoutes,
  ...externalAccountRoutes,
  ...tokenRoutes,
  ...transferRoutes,
  ...payoutRoutes,
  ...topUpRoutes,
  ...disputeRoutes,
  ...setUpRoutes,
];
