import { describe, expect, it } from '@jest/globals';
import { refusedInProduction } from './production.js';

const HOME = 'https://encore.example';

describe('in production', () => {
  const good = {
    NODE_ENV: 'production' as const,
    PUBLIC_URL: HOME,
    OIDC_ISSUER: 'https://login.example',
    OIDC_INTERNAL_URL: undefined,
    STRIPE_SECRET_KEY: 'sk_live_1',
    STRIPE_PUBLISHABLE_KEY: 'pk_live_1',
    STRIPE_API_URL: undefined,
    STRIPE_SCRIPT_URL: undefined,
  };
  it('real settings are taken', () => expect(refusedInProduction(good)).toBeUndefined());
  it('test keys are taken where it is a rehearsal, and live ones are not', () => {
    const staging = { ...good, ENCORE_STAGING: 'on' as const };
    const keys = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_PUBLISHABLE_KEY: 'pk_test_1' };
    expect(refusedInProduction({ ...staging, ...keys })).toBeUndefined();
    expect(refusedInProduction(staging)).toMatch(/^STRIPE_SECRET_KEY is a live key, and ENCORE_STAGING=on/);
  });
  it.each([
    [{ STRIPE_SECRET_KEY: 'sk_test_1' }, 'STRIPE_SECRET_KEY'],
    [{ STRIPE_SECRET_KEY: 'rk_test_1' }, 'STRIPE_SECRET_KEY'],
    [{ STRIPE_PUBLISHABLE_KEY: 'pk_test_1' }, 'STRIPE_PUBLISHABLE_KEY'],
    [{ STRIPE_API_URL: 'https://stripe.example' }, 'STRIPE_API_URL'],
    [{ STRIPE_SCRIPT_URL: 'https://stripe.example' }, 'STRIPE_SCRIPT_URL'],
    [{ OIDC_ISSUER: 'http://login.example' }, 'plain-http'],
    [{ OIDC_ISSUER: `${HOME}/identity` }, 'local identity provider'],
    [{ OIDC_ISSUER: 'https://localhost:4000' }, 'local identity provider'],
    [{ OIDC_ISSUER: 'https://127.0.0.1' }, 'local identity provider'],
    [{ OIDC_INTERNAL_URL: 'http://10.0.0.7' }, 'OIDC_INTERNAL_URL'],
    [{ PUBLIC_URL: 'http://encore.example' }, 'PUBLIC_URL'],
  ])('%j is refused by name', (over, words) => {
    expect(refusedInProduction({ ...good, ...over })).toContain(words);
    expect(refusedInProduction({ ...good, ...over, NODE_ENV: 'development' })).toBeUndefined();
  });
});
