/**
 * What of an account at the card provider is right for this ledger, what is missing, and what is not proven,
 * each with where it is set. Pure: it judges what was read.
 */
import type { AccountFacts, KnownEndpoint } from './account-facts.js';
import { keyMode } from './key-mode.js';
import { CONNECT_EVENT_TYPES } from './payout-provider.js';

type CheckResult = 'right' | 'missing' | 'unproven';

export interface CheckLine {
  readonly result: CheckResult;
  readonly about: string;
  /** What was seen, and where it is set or proven. */
  readonly says: string;
}

export interface CheckedSettings {
  readonly secretKey: string;
  /** Undefined where it is not set. */
  readonly publishableKey: string | undefined;
  readonly publicUrl: string;
}

/** When an endpoint's secret last verified a webhook, or why that is not known. */
export type SecretProof = Date | 'never' | 'not set' | 'no answer of Postgres';

export interface SecretProofs {
  readonly platform: SecretProof;
  readonly connect: SecretProof;
}

/**
 * What the provider said when an account like those of our users was made; undefined where nobody has tried.
 */
export type ApprovalProof =
  | { readonly isApproved: true }
  | { readonly isApproved: false; readonly why: string };

interface EndpointNeed {
  readonly about: string;
  readonly path: string;
  readonly events: readonly string[];
  readonly secretSetting: string;
}

const DASHBOARD = 'https://dashboard.stripe.com';

/** The events that the ledger reads, by endpoint; each leads to a reading of the object that it names. */
export const ENDPOINTS: Readonly<Record<'platform' | 'connect', EndpointNeed>> = {
  platform: {
    about: 'webhooks of the platform',
    path: '/api/webhooks/stripe',
    secretSetting: 'STRIPE_WEBHOOK_SECRET',
    events: [
      'payment_intent.succeeded',
      'payment_intent.payment_failed',
      'payment_intent.canceled',
      'charge.updated',
      'charge.refunded',
      'refund.created',
      'refund.updated',
      'refund.failed',
      'charge.dispute.created',
      'charge.dispute.updated',
      'charge.dispute.closed',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.funds_reinstated',
      'payment_method.attached',
      'payment_method.detached',
      'customer.updated',
      'setup_intent.setup_failed',
      'topup.succeeded',
      'topup.reversed',
      'payout.created',
      'payout.failed',
      'payout.canceled',
    ],
  },
  connect: {
    about: 'webhooks of connected accounts',
    path: '/api/webhooks/stripe/connect',
    secretSetting: 'STRIPE_CONNECT_WEBHOOK_SECRET',
    events: CONNECT_EVENT_TYPES,
  },
};

/** Where the provider sends webhooks of this kind. */
export const endpointUrl = (which: keyof typeof ENDPOINTS, publicUrl: string): string =>
  `${publicUrl.replace(/\/$/, '')}${ENDPOINTS[which].path}`;

const modeOf = (key: string): string => keyMode(key) ?? 'unknown';
const right = (about: string, says: string): CheckLine => ({ result: 'right', about, says });
const missing = (about: string, says: string): CheckLine => ({ result: 'missing', about, says });
const unproven = (about: string, says: string): CheckLine => ({ result: 'unproven', about, says });

/**
 * A line for each thing that a payment, a payout or a message needs at the provider, in the order of setting
 * up.
 */
export function checkAccount(
  facts: AccountFacts,
  settings: CheckedSettings,
  proofs: SecretProofs,
  approval: ApprovalProof | undefined,
): CheckLine[] {
  return [
    ...checkKeys(facts, settings),
    ...checkStanding(facts),
    ...checkMethods(facts),
    ...checkConnect(facts, approval),
    ...(['platform', 'connect'] as const).flatMap((which) => checkEndpoint(which, facts, settings, proofs)),
    checkWallets(facts, settings),
  ];
}

function checkKeys({ account }: AccountFacts, { secretKey, publishableKey }: CheckedSettings): CheckLine[] {
  const where = `${DASHBOARD}/apikeys`;
  const [mode, browserMode] = [modeOf(secretKey), modeOf(publishableKey ?? '')];
  return [
    account.kind === 'known'
      ? right('secret key', `a ${mode} key of the account ${account.value.id}`)
      : missing('secret key', `${account.why} Set STRIPE_SECRET_KEY from ${where}.`),
    mode === browserMode
      ? unproven(
          'publishable key',
          `a ${mode} key, too; that it is of the same account, the first payment shows`,
        )
      : missing(
          'publishable key',
          publishableKey === undefined
            ? `Set STRIPE_PUBLISHABLE_KEY from ${where}.`
            : `a ${browserMode} key beside a secret ${mode} key: set STRIPE_PUBLISHABLE_KEY from ${where}.`,
        ),
  ];
}

function checkStanding({ account }: AccountFacts): CheckLine[] {
  if (account.kind === 'unknown') return [];
  const { country, currency, areChargesEnabled, arePayoutsEnabled, currentlyDue, payoutInterval } =
    account.value;
  const due = currentlyDue.length > 0 ? ` It still wants: ${currentlyDue.join(', ')}.` : '';
  const where = `Answer it at ${DASHBOARD}/account/onboarding.`;
  return [
    country === 'US' && currency === 'usd'
      ? right('country and currency', 'US, usd')
      : missing(
          'country and currency',
          `${country ?? 'none'}, ${currency ?? 'none'}: this ledger keeps its books in usd, and pays out to banks in the US.`,
        ),
    areChargesEnabled
      ? right('payments', `enabled.${due}`)
      : missing('payments', `The provider takes none for this account yet.${due} ${where}`),
    arePayoutsEnabled
      ? right('payouts', `enabled.${due}`)
      : missing('payouts', `The provider pays nothing out of this account yet.${due} ${where}`),
    payoutInterval === 'manual'
      ? right('payouts to the platform’s bank', 'only when somebody asks for them')
      : missing(
          'payouts to the platform’s bank',
          `${payoutInterval ?? 'unknown'}: the provider takes away by itself what payouts to people are made from. Set ` +
            `"manual" at ${DASHBOARD}/settings/payouts.`,
        ),
  ];
}

function checkMethods({ methods }: AccountFacts): CheckLine[] {
  const where = `${DASHBOARD}/settings/payment_methods`;
  return [
    { about: 'cards', isOn: (value: { card: boolean }) => value.card },
    { about: 'Cash App', isOn: (value: { cashapp: boolean }) => value.cashapp },
  ].map(({ about, isOn }) => {
    if (methods.kind === 'unknown') return unproven(about, `${methods.why} See ${where}.`);
    return isOn(methods.value as { card: boolean; cashapp: boolean })
      ? right(about, 'offered')
      : missing(about, `not active, so nobody is offered it. Switch it on at ${where}.`);
  });
}

function checkConnect({ connect }: AccountFacts, approval: ApprovalProof | undefined): CheckLine[] {
  const approved = 'accounts for payouts alone';
  return [
    connect.kind === 'known'
      ? right('Connect', 'the account is a platform')
      : missing('Connect', `${connect.why} Sign up at ${DASHBOARD}/connect.`),
    approval === undefined
      ? unproven(
          approved,
          'the provider may have to approve accounts with `transfers` and without `card_payments`. With a test key, ' +
            '--set-up makes one and deletes it again.',
        )
      : approval.isApproved
        ? right(approved, 'one was made with this key, and deleted again')
        : missing(approved, `${approval.why} Ask at https://support.stripe.com.`),
  ];
}

function checkEndpoint(
  which: 'platform' | 'connect',
  { endpoints, apiVersion }: AccountFacts,
  { publicUrl }: CheckedSettings,
  proofs: SecretProofs,
): CheckLine[] {
  const { about, secretSetting } = ENDPOINTS[which];
  const url = endpointUrl(which, publicUrl);
  const where = `${DASHBOARD}/webhooks`;
  return [endpointLine(), secretLine()];

  function endpointLine(): CheckLine {
    if (endpoints.kind === 'unknown') return unproven(about, `${endpoints.why} See ${where}.`);
    const found = endpointFor(which, endpoints.value, url);
    if (!found) return missing(about, `no endpoint ${url}. Make it at ${where}, or run with --set-up.`);
    if (!found.isEnabled) return missing(about, `${found.url} is disabled. Enable it at ${where}.`);
    const lacks = eventsLackedBy(found, which);
    if (lacks.length > 0)
      return missing(about, `${found.url} is not sent ${lacks.join(', ')}. Add them at ${where}.`);
    if (found.apiVersion !== undefined && found.apiVersion !== apiVersion)
      return unproven(
        about,
        `${found.url} is sent events of the version ${found.apiVersion}, and this build reads ${apiVersion}. They are hints only, and ` +
          'objects are read again; make the endpoint anew to be sure.',
      );
    return found.url === url
      ? right(about, url)
      : unproven(
          about,
          `they go to ${found.url}, which is not where PUBLIC_URL is: a webhook that arrives proves it.`,
        );
  }

  function secretLine(): CheckLine {
    const proof = proofs[which];
    const name = `secret of the ${about}`;
    if (proof === 'not set')
      return missing(name, `Set ${secretSetting} to what the endpoint shows at ${where}.`);
    if (proof === 'no answer of Postgres')
      return unproven(name, 'Postgres did not answer, which knows when it last held: set DATABASE_URL.');
    if (proof === 'never')
      return unproven(
        name,
        `no webhook has been verified with ${secretSetting} yet. Send one from ${where}, and look again.`,
      );
    return right(name, `it verified a webhook at ${proof.toISOString()}`);
  }
}

/** The endpoint at our address, else one that leads to the same path elsewhere. */
export function endpointFor(
  which: 'platform' | 'connect',
  endpoints: readonly KnownEndpoint[],
  url: string,
): KnownEndpoint | undefined {
  const { path } = ENDPOINTS[which];
  return endpoints.find((each) => each.url === url) ?? endpoints.find((each) => each.url.endsWith(path));
}

/** Which events an endpoint is not sent, and should be. */
export function eventsLackedBy(
  { events }: Pick<KnownEndpoint, 'events'>,
  which: 'platform' | 'connect',
): string[] {
  return events.includes('*') ? [] : ENDPOINTS[which].events.filter((type) => !events.includes(type));
}

function checkWallets({ walletDomains }: AccountFacts, { publicUrl }: CheckedSettings): CheckLine {
  const about = 'wallets in the browser';
  const { hostname } = new URL(publicUrl);
  const where = `${DASHBOARD}/settings/payment_method_domains`;
  if (walletDomains.kind === 'unknown') return unproven(about, `${walletDomains.why} See ${where}.`);
  return walletDomains.value.includes(hostname)
    ? right(about, `${hostname} is registered`)
    : missing(
        about,
        `Apple Pay and Google Pay are not shown on ${hostname}. Register it at ${where}, or run with --set-up.`,
      );
}
