/** What the card provider tells of our account there, read without changing anything. */
import Stripe from 'stripe';
import { Unavailable } from '../rejection.js';
import { openStripe, type StripeAccess } from './stripe-client.js';

/** What was asked, or why it could not be learnt, in the provider's words. */
type ProviderFact<T> =
  | { readonly kind: 'known'; readonly value: T }
  | { readonly kind: 'unknown'; readonly why: string };

interface OwnAccount {
  readonly id: string;
  readonly country: string | undefined;
  readonly currency: string | undefined;
  readonly areChargesEnabled: boolean;
  readonly arePayoutsEnabled: boolean;
  /** What the provider still wants to know before it enables more. */
  readonly currentlyDue: readonly string[];
  /** How often the provider pays the balance out to our bank by itself: `manual` for never. */
  readonly payoutInterval: string | undefined;
}

export interface KnownEndpoint {
  readonly url: string;
  readonly isEnabled: boolean;
  /** The events that it is sent; `*` for all of them. */
  readonly events: readonly string[];
  readonly apiVersion: string | undefined;
}

export interface AccountFacts {
  readonly account: ProviderFact<OwnAccount>;
  /** Whether connected accounts can be listed: the account is a platform of Connect. */
  readonly connect: ProviderFact<true>;
  /** The ways to pay that are offered by default. */
  readonly methods: ProviderFact<{ readonly card: boolean; readonly cashapp: boolean }>;
  readonly endpoints: ProviderFact<readonly KnownEndpoint[]>;
  /** Domains on which wallets such as Apple Pay are shown. */
  readonly walletDomains: ProviderFact<readonly string[]>;
  /** The version of the API that this build speaks. */
  readonly apiVersion: string;
}

const NO_ANSWER =
  'The card provider does not answer, so nothing of the account was checked, and no key was found to be wrong. Look at the network, and try again.';

/**
 * Asks for all of it. Throws Unavailable where the provider does not answer, and what is no answer of its
 * own.
 */
export async function readAccountFacts(access: StripeAccess): Promise<AccountFacts> {
  const stripe = openStripe(access);
  const [account, connect, methods, endpoints, walletDomains] = await Promise.all([
    factFrom(async () => ownAccountIn(await stripe.accounts.retrieveCurrent())),
    factFrom(async () => (await stripe.accounts.list({ limit: 1 }), true as const)),
    factFrom(async () => {
      const { data } = await stripe.paymentMethodConfigurations.list({ limit: 100 });
      const used = data.find(({ is_default: isDefault }) => isDefault) ?? data[0];
      return { card: used?.card?.available === true, cashapp: used?.cashapp?.available === true };
    }),
    factFrom(async () => {
      const { data } = await stripe.webhookEndpoints.list({ limit: 100 });
      return data.map(({ url, status, enabled_events: events, api_version: apiVersion }): KnownEndpoint => ({
        url,
        isEnabled: status === 'enabled',
        events,
        apiVersion: apiVersion ?? undefined,
      }));
    }),
    factFrom(async () => {
      const { data } = await stripe.paymentMethodDomains.list({ limit: 100 });
      return data.filter(({ enabled }) => enabled).map(({ domain_name: name }) => name);
    }),
  ]);
  return { account, connect, methods, endpoints, walletDomains, apiVersion: Stripe.API_VERSION };
}

async function factFrom<T>(ask: () => Promise<T>): Promise<ProviderFact<T>> {
  try {
    return { kind: 'known', value: await ask() };
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    if (error instanceof Stripe.errors.StripeConnectionError)
      throw new Unavailable(NO_ANSWER, { cause: error });
    return { kind: 'unknown', why: error.message };
  }
}

function ownAccountIn(account: Stripe.Account): OwnAccount {
  return {
    id: account.id,
    country: account.country ?? undefined,
    currency: account.default_currency ?? undefined,
    areChargesEnabled: account.charges_enabled,
    arePayoutsEnabled: account.payouts_enabled,
    currentlyDue: account.requirements?.currently_due ?? [],
    payoutInterval: account.settings?.payouts?.schedule.interval,
  };
}
