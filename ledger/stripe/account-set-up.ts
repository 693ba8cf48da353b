/** Makes at the card provider what an account lacks for this ledger, each thing once. */
import Stripe from 'stripe';
import {
  endpointFor,
  ENDPOINTS,
  endpointUrl,
  eventsLackedBy,
  type ApprovalProof,
  type CheckedSettings,
} from './account-check.js';
import type { AccountFacts } from './account-facts.js';
import { PAYEE_ACCOUNT } from './payout-provider.js';
import { openStripe, type StripeAccess } from './stripe-client.js';

const sentenceOf = (error: unknown): string => {
  if (error instanceof Stripe.errors.StripeError) return error.message;
  throw error;
};

/**
 * Makes endpoints and registers the domain where they are missing. Answers what was done, a sentence each.
 */
export async function setUpAccount(
  access: StripeAccess,
  { publicUrl }: CheckedSettings,
  { endpoints, walletDomains }: AccountFacts,
): Promise<string[]> {
  const stripe = openStripe(access);
  const done: string[] = [];
  for (const which of ['platform', 'connect'] as const) {
    const { about, secretSetting } = ENDPOINTS[which];
    const url = endpointUrl(which, publicUrl);
    const known = endpoints.kind === 'known' ? endpoints.value : [];
    const found = endpointFor(which, known, url);
    if (endpoints.kind === 'unknown' || (found && eventsLackedBy(found, which).length === 0)) continue;
    if (found) {
      done.push(`The endpoint ${url} is there and lacks events: add them by hand, it keeps its secret then.`);
      continue;
    }
    try {
      const made = await stripe.webhookEndpoints.create({
        url,
        connect: which === 'connect',
        enabled_events: ENDPOINTS[which].events as Stripe.WebhookEndpointCreateParams.EnabledEvent[],
        api_version: Stripe.API_VERSION as Stripe.WebhookEndpointCreateParams.ApiVersion,
      });
      done.push(
        `Made the endpoint for the ${about}, ${url}. Set ${secretSetting} to ${made.secret ?? '(none was told)'}: the provider shows it this once.`,
      );
    } catch (error) {
      done.push(`The endpoint for the ${about} could not be made: ${sentenceOf(error)}`);
    }
  }
  const { hostname } = new URL(publicUrl);
  if (walletDomains.kind === 'known' && !walletDomains.value.includes(hostname))
    try {
      await stripe.paymentMethodDomains.create({ domain_name: hostname });
      done.push(`Registered ${hostname} for wallets.`);
    } catch (error) {
      done.push(`${hostname} could not be registered for wallets: ${sentenceOf(error)}`);
    }
  return done;
}

/**
 * Whether the provider makes accounts like those of our users: makes one and deletes it again. For test keys
 * only, as nobody stands behind it. Throws what is no answer of the provider's.
 */
export async function proveApproval(access: StripeAccess): Promise<ApprovalProof> {
  const stripe = openStripe(access);
  try {
    const { id } = await stripe.accounts.create({
      ...PAYEE_ACCOUNT,
      metadata: { purpose: 'encore check-stripe' },
    });
    await stripe.accounts.del(id);
    return { isApproved: true };
  } catch (error) {
    return { isApproved: false, why: sentenceOf(error) };
  }
}
