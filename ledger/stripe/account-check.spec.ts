/** What is said of an account at the card provider: right, missing or unproven, and where it is set. */
import { describe, expect, it } from '@jest/globals';
import { checkAccount, ENDPOINTS, type ApprovalProof, type SecretProofs } from './account-check.js';
import type { AccountFacts, KnownEndpoint } from './account-facts.js';

const HOME = 'https://encore.example';
const known = <T>(value: T) => ({ kind: 'known', value }) as const;
const unknown = (why: string) => ({ kind: 'unknown', why }) as const;
const endpoint = (which: 'platform' | 'connect', changes: Partial<KnownEndpoint> = {}): KnownEndpoint => ({
  url: `${HOME}${ENDPOINTS[which].path}`,
  isEnabled: true,
  events: ENDPOINTS[which].events,
  apiVersion: 'v1',
  ...changes,
});
const ACCOUNT = {
  id: 'acct_1',
  country: 'US',
  currency: 'usd',
  areChargesEnabled: true,
  arePayoutsEnabled: true,
  currentlyDue: [],
  payoutInterval: 'manual',
};
const WELL: AccountFacts = {
  account: known(ACCOUNT),
  connect: known(true),
  methods: known({ card: true, cashapp: true }),
  endpoints: known([endpoint('platform'), endpoint('connect')]),
  walletDomains: known(['encore.example']),
  apiVersion: 'v1',
};
const PROVEN: SecretProofs = { platform: new Date(0), connect: new Date(0) };

const check = (
  facts: Partial<AccountFacts> = {},
  settings: { publishableKey?: string | undefined } = {},
  proofs: Partial<SecretProofs> = {},
  approval: ApprovalProof | undefined = { isApproved: true },
) =>
  checkAccount(
    { ...WELL, ...facts },
    { secretKey: 'sk_test_1', publishableKey: 'pk_test_1', publicUrl: HOME, ...settings },
    { ...PROVEN, ...proofs },
    approval,
  ).filter(({ result }) => result !== 'right');

describe('an account at the card provider', () => {
  it('is right but for what a first payment proves', () =>
    expect(check()).toEqual([
      { result: 'unproven', about: 'publishable key', says: expect.stringContaining('first payment') },
    ]));

  it.each<[string, Parameters<typeof check>, string, string, RegExp]>([
    ['a wrong key', [{ account: unknown('Invalid API Key provided.') }], 'missing', 'secret key', /apikeys/],
    ['no publishable key', [{}, { publishableKey: undefined }], 'missing', 'publishable key', /Set STRIPE_P/],
    ['keys of two modes', [{}, { publishableKey: 'pk_live_1' }], 'missing', 'publishable key', /a live key/],
    [
      'an account that takes no payments',
      [{ account: known({ ...ACCOUNT, areChargesEnabled: false, currentlyDue: ['external_account'] }) }],
      'missing',
      'payments',
      /It still wants: external_account/,
    ],
    [
      'payouts that take the balance away',
      [{ account: known({ ...ACCOUNT, payoutInterval: 'daily' }) }],
      'missing',
      'payouts to the platform’s bank',
      /settings\/payouts/,
    ],
    [
      'Cash App that is off',
      [{ methods: known({ card: true, cashapp: false }) }],
      'missing',
      'Cash App',
      /settings\/payment_methods/,
    ],
    [
      'a key that may not look',
      [{ methods: unknown('No permission.') }],
      'unproven',
      'cards',
      /No permission/,
    ],
    ['no Connect', [{ connect: unknown('Sign up for Connect.') }], 'missing', 'Connect', /\/connect/],
    [
      'no endpoint',
      [{ endpoints: known([endpoint('connect')]) }],
      'missing',
      'webhooks of the platform',
      /no endpoint https:\/\/encore\.example\/api\/webhooks\/stripe\. .*--set-up/,
    ],
    [
      'an endpoint at another address',
      [{ endpoints: known([endpoint('platform', { url: `http://other${ENDPOINTS.platform.path}` })]) }],
      'unproven',
      'webhooks of the platform',
      /they go to http:\/\/other\/api/,
    ],
    [
      'an endpoint that is disabled',
      [{ endpoints: known([endpoint('platform', { isEnabled: false }), endpoint('connect')]) }],
      'missing',
      'webhooks of the platform',
      /is disabled/,
    ],
    [
      'an endpoint without some events',
      [
        {
          endpoints: known([
            endpoint('platform', {
              events: ENDPOINTS.platform.events.filter((type) => type !== 'refund.failed'),
            }),
            endpoint('connect'),
          ]),
        },
      ],
      'missing',
      'webhooks of the platform',
      /is not sent refund\.failed/,
    ],
    [
      'an endpoint of another version',
      [{ endpoints: known([endpoint('platform'), endpoint('connect', { apiVersion: 'v0' })]) }],
      'unproven',
      'webhooks of connected accounts',
      /version v0/,
    ],
    [
      'a secret that is not set',
      [{}, {}, { connect: 'not set' }],
      'missing',
      'secret of the webhooks of connected accounts',
      /Set STRIPE_CONNECT_WEBHOOK_SECRET/,
    ],
    [
      'a secret that no webhook has proven',
      [{}, {}, { platform: 'never' }],
      'unproven',
      'secret of the webhooks of the platform',
      /Send one from/,
    ],
    [
      'accounts that the provider does not approve',
      [{}, {}, {}, { isApproved: false, why: 'Your platform needs approval.' }],
      'missing',
      'accounts for payouts alone',
      /needs approval\. Ask at/,
    ],
    [
      'a domain without wallets',
      [{ walletDomains: known(['other.example']) }],
      'missing',
      'wallets in the browser',
      /encore\.example/,
    ],
  ])('is told of with %s', (_, asked, result, about, says) =>
    expect(check(...asked)).toContainEqual({ result, about, says: expect.stringMatching(says) }),
  );

  it('is unproven where nobody has tried whether its accounts are approved', () => {
    const lines = checkAccount(
      WELL,
      { secretKey: 'sk_test_1', publishableKey: 'pk_test_1', publicUrl: HOME },
      PROVEN,
      undefined,
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ result: 'unproven', about: 'accounts for payouts alone' }),
    );
  });
});
