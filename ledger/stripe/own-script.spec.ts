/**
 * The provider's script that pages load by themselves: of the release that our calls and our fields are
 * written for.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { STRIPE_OWN_SCRIPT } from '#contracts/api/browser-configuration';

/** Each release has a script of its own: https://docs.stripe.com/sdks/stripejs-versioning. */
const release = Stripe.API_VERSION.split('.').at(-1);

describe('the card provider’s script', () => {
  it('is of the release of the API that the ledger speaks', () =>
    expect(STRIPE_OWN_SCRIPT).toBe(`https://js.stripe.com/${release}/stripe.js`));

  it('is of the release that the app loads by the provider’s package', () => {
    const entry = createRequire(import.meta.url).resolve('@stripe/stripe-js');
    const loader = readFileSync(join(dirname(entry), '../dist/index.js'), 'utf8');
    expect(/RELEASE_TRAIN = '(\w+)'/.exec(loader)?.[1]).toBe(release);
  });
});
