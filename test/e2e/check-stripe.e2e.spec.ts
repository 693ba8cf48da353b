/**
 * `operate check-stripe` over a running stack: what it says before and after a first tip, and what it makes.
 */
import { execFile } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '#test/conformance/stripe-process';
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import { useStack } from '#test/support/stack';

const stack = useStack(['all']);
const provider = new CardProviderWorld(stack);

interface Checked {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

const check = (words: readonly string[] = [], env: Record<string, string> = {}): Promise<Checked> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      ['dist/processes/operate.js', 'check-stripe', ...words],
      { env: { ...process.env, ...stack().env, ...env } },
      (error, out, err) => resolve({ status: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });

describe('check-stripe', () => {
  it('says what is right, missing and unproven, and that a webhook has proven the secret', async () => {
    const before = await check();
    expect(before.err).toBe('');
    expect(before.out).toMatch(/^right {4}secret key: a test key of the account acct_/m);
    expect(before.out).toMatch(/^unproven webhooks of the platform: they go to http/m);
    expect(before.out).toMatch(
      /^unproven secret of the webhooks of the platform: no webhook has been verified/m,
    );
    expect(before.out).toMatch(/^missing {2}wallets in the browser: /m);
    expect(before.status).toBe(1);

    const [juno, milo] = await Promise.all([
      Person.signUp(stack().url, 'Juno'),
      Person.signUp(stack().url, 'Milo'),
    ]);
    const { clientSecret } = await juno.pay(milo.id, '5.00');
    await provider.card(clientSecret);
    const proven = /^right {4}secret of the webhooks of the platform: it verified a webhook at 20/m;
    await eventually(async () => proven.test((await check()).out), 'a verified webhook');
    // Another secret has proven nothing.
    const other = await check([], { STRIPE_WEBHOOK_SECRET: 'whsec_another' });
    expect(other.out).toMatch(/^unproven secret of the webhooks of the platform/m);
  });

  it('makes nothing unless it is told to, and then what is missing, once', async () => {
    expect((await check()).out).toMatch(/^missing {2}wallets in the browser/m);
    const made = await check(['--set-up']);
    expect(made.out).toMatch(/^Registered localhost for wallets\.$/m);
    expect(made.out).toMatch(/^right {4}wallets in the browser: localhost is registered$/m);
    expect(made.out).toMatch(/^right {4}accounts for payouts alone: one was made with this key/m);
    expect((await check(['--set-up'])).out).not.toMatch(/^Registered/m);
  });

  it('needs no more than the secret key, and says what else is to be set', async () => {
    const { STRIPE_PUBLISHABLE_KEY: _, STRIPE_WEBHOOK_SECRET: __, DATABASE_URL: ___, ...few } = stack().env;
    const found = await new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        ['dist/processes/operate.js', 'check-stripe'],
        { env: { PATH: process.env['PATH'], ...few } },
        (_error, out) => resolve(out),
      );
    });
    expect(found).toMatch(/^missing {2}publishable key: Set STRIPE_PUBLISHABLE_KEY/m);
    expect(found).toMatch(/^missing {2}secret of the webhooks of the platform: Set STRIPE_WEBHOOK_SECRET/m);
    expect(found).toMatch(/Postgres did not answer/);
  });

  it('says in one line what is wrong with a key, and makes nothing with it', async () => {
    const wrong = { STRIPE_SECRET_KEY: 'sk_test_nobodys' };
    expect((await check([], wrong)).out).toMatch(/^missing {2}secret key: Invalid API Key/m);
    const refused = await check(['--set-up'], wrong);
    expect({ status: refused.status, out: refused.out }).toEqual({ status: 2, out: '' });
    expect(refused.err).toMatch(/^Nothing is set up: Invalid API Key/);
    expect((await check(['--quickly'])).err).toMatch(/^"--quickly" is not an option of check-stripe/);
  });
});
