/** GET /api/config: what the browser needs to reach the card provider. Nothing here is secret. */
import { z } from 'zod';
import { PaymentMethod } from '../events/journal.js';

export const BrowserConfiguration = z.object({
  paymentMethods: z
    .array(PaymentMethod)
    .describe('What can be paid with: what the card provider does not have active is left out.'),
  stripePublishableKey: z.string(),
  stripeScriptUrl: z.string().describe('The script that defines window.Stripe.'),
});
export type BrowserConfiguration = z.infer<typeof BrowserConfiguration>;

/**
 * Where Stripe's own script is: that of the release whose API the ledger speaks. The script without a release
 * (`v3`) is older, and does not know what our pages tell it.
 */
export const STRIPE_OWN_SCRIPT = 'https://js.stripe.com/endive/stripe.js';
