/**
 * A ledger belongs to one account of the card provider's: its first entry says which, and no other is taken.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SECRET_KEY, startStripe, type RunningStripe } from '#test/conformance/stripe-process';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import { useStack } from '#test/support/stack';

const stack = useStack(['all']);
const evidence = useEvidence(stack);
let another: RunningStripe;

beforeAll(async () => {
  another = await startStripe();
});
afterAll(async () => {
  await another?.stop();
});

/** Runs a program of dist/ to its end. */
const run = (
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ status: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const options = { env: { ...process.env, ...stack().env, ...env }, timeout: 60_000 };
    execFile(process.execPath, [join(process.cwd(), 'dist', script), ...args], options, (error, out, err) =>
      resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err }),
    );
  });

describe('a ledger', () => {
  it('has the provider’s account in its first entry, and an operator is told which it is', async () => {
    const provider = new CardProviderWorld(stack);
    const { id } = await provider.stripe.accounts.retrieveCurrent();
    const [first] = await evidence.journal();
    expect(first).toMatchObject({ type: 'LedgerFounded', data: { providerAccountId: id, mode: 'test' } });
    const told = await run('processes/operate.js', ['found']);
    expect(told).toMatchObject({ status: 0, err: '' });
    expect(told.out).toContain(`is founded over the card provider’s account ${id} (test mode)`);
    expect((await evidence.journal()).filter(({ type }) => type === 'LedgerFounded')).toHaveLength(1);
  });

  it('does not start with the keys of another account, and says why', async () => {
    const keys = { STRIPE_API_URL: another.url, STRIPE_SECRET_KEY: SECRET_KEY, LEDGER_PORT: '0' };
    const { status, err } = await run('processes/ledger.js', [], { ...keys, LEDGER_INTERNAL_PORT: '0' });
    expect(status).toBe(2);
    expect(err).toMatch(
      /^The keys are of the card provider’s account acct_\w+ \(test mode\), and this ledger was founded/,
    );
    expect((await run('processes/operate.js', ['found'], keys)).status).toBe(2);
  });

  it('seals what it makes at the provider with its id, and no text that a person wrote', async () => {
    const provider = new CardProviderWorld(stack);
    const [juno, milo] = [await Person.signUp(stack().url, 'Juno'), await Person.signUp(stack().url, 'Milo')];
    const { paymentId } = await juno.pay(milo.id, '10.00', { description: 'for the song about rain' });
    const { data } = await provider.stripe.paymentIntents.list({ limit: 1 });
    expect(data[0]!.metadata).toMatchObject({
      paymentId,
      ledger: expect.stringMatching(/^led_/),
      payerId: juno.id,
      recipientId: milo.id,
      method: 'card',
      key: expect.stringContaining(juno.id),
      mac: expect.any(String),
    });
    expect(JSON.stringify(data[0])).not.toContain('rain');
  });

  it('has books that are in order', () => evidence.holds());
});
