/**
 * A stack in containers as the suites' own support sees a stack: where it is, and what can be shown of it.
 */
import { expect } from '@jest/globals';
import { webhooksTaken } from '#test/support/crowd';
import { Evidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import type { ComposeStack } from './compose-stack.js';

export interface World {
  readonly url: string;
  readonly env: Record<string, string>;
}

/** The stack with its secrets as they are now. */
export function worldOf(stack: ComposeStack): World {
  const database = new URL(stack.secret('database_url'));
  database.host = stack.setting('PROOF_POSTGRES_BIND');
  return {
    url: stack.setting('PUBLIC_URL'),
    env: {
      DATABASE_URL: database.href,
      EVENTSTORE_URL: `esdb://${stack.setting('PROOF_EVENTSTORE_BIND')}?tls=false`,
      ENCORE_MASTER_KEY: stack.secret('master_key'),
      STRIPE_API_URL: `http://${stack.setting('STRIPE_BIND')}`,
      STRIPE_SECRET_KEY: stack.secret('stripe_secret_key'),
      STRIPE_PUBLISHABLE_KEY: stack.setting('STRIPE_PUBLISHABLE_KEY'),
    },
  };
}

/** Two people sign up, and one tips the other: from the proxy to a row. */
export async function tipToRow(world: World, evidence: Evidence, amount = '5.00'): Promise<Person> {
  const provider = new CardProviderWorld(() => world);
  const [payer, recipient] = [await Person.signUp(world.url, 'Wren'), await Person.signUp(world.url, 'Juno')];
  const { paymentId, clientSecret } = await payer.pay(recipient.id, amount);
  await provider.card(clientSecret);
  await webhooksTaken(provider);
  await evidence.shown();
  expect(await recipient.transactions()).toMatchObject([
    { id: paymentId, type: 'payment_received', amount, status: 'completed' },
  ]);
  expect((await recipient.me()).earnings).toBe(amount);
  return recipient;
}
