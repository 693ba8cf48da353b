/** GET /api/config: what the browser needs to reach the card provider. Nothing here is secret. */
import { z } from 'zod';

export const BrowserConfiguration = z.object({
  stripePublishableKey: z.string(),
  stripeScriptUrl: z.string().describe('The script that defines window.Stripe.'),
});
export type BrowserConfiguration = z.infer<typeof BrowserConfiguration>;

/** Where Stripe's own script is. */
export const STRIPE_OWN_SCRIPT = 'https://js.stripe.com/v3/';
