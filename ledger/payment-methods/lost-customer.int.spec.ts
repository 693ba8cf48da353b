/**
 * A customer that somebody deleted at the card provider, in its Dashboard or by another application: its user
 * can save a card all the same, by a setup and at a checkout.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
import type { CardsEvent } from '#contracts/events/cards';
import type { ExecuteStreamCommand } from '#ledger/bus/execute-stream-command';
import { CardProvider } from '#ledger/stripe/card-provider';
import { OwnershipSeal } from '#ledger/stripe/ownership';
import { withCustomer } from '#ledger/stripe/provider-payment';
import { SavedCards } from '#ledger/stripe/saved-cards';
import type { StreamRunner } from '#ledger/streams/runner';
import {
  SECRET_KEY,
  startStripe,
  WEBHOOK_SECRET,
  type RunningStripe,
} from '#test/conformance/stripe-process';
import { declinesWith } from '#test/support/declines';
import { CountedFigures } from '#test/support/provider-figures';
import { cards, type Cards, type CardsCommand } from './cards.decider.js';
import { SavedCardHandlers } from './payment-methods.handlers.js';

const BY = { correlationId: 'spec' };
const SEAL = new OwnershipSeal(Buffer.alloc(32), () => 'led_spec');
let stripe: RunningStripe;
let provider: SavedCards;
let intents: CardProvider;

beforeAll(async () => {
  stripe = await startStripe();
  const access = { secretKey: SECRET_KEY, apiUrl: stripe.url, seal: SEAL };
  provider = new SavedCards(access);
  const publicUrl = 'https://encore.example';
  intents = new CardProvider({ ...access, webhookSecrets: { current: WEBHOOK_SECRET }, publicUrl });
});
afterAll(() => stripe.stop());

/** The handlers over one user's stream in memory. */
function handlers(): { readonly saved: SavedCardHandlers; readonly events: CardsEvent[] } {
  const events: CardsEvent[] = [];
  const state = (): Cards => events.reduce(cards.evolve, cards.initial);
  const execute = async ({ command }: ExecuteStreamCommand<Cards, CardsCommand, CardsEvent>) => {
    events.push(...cards.decide(command, state()));
    return Promise.resolve({ state: state() });
  };
  const read = async () => Promise.resolve(state());
  const saved = new SavedCardHandlers(
    { execute } as unknown as CommandBus,
    { read } as unknown as StreamRunner,
    provider,
    new CountedFigures(),
    declinesWith({}),
    pino({ level: 'silent' }),
  );
  return { saved, events };
}

it('is replaced as its user saves a card, and only where it is really gone', async () => {
  const { saved, events } = handlers();
  await saved.setUp('usr_juno', 'usr_juno:1', 'net', BY);
  const first = await saved.open('usr_juno', BY);
  // What the provider still has stays, whatever was refused.
  expect(await saved.open('usr_juno', BY, first)).toBe(first);

  await stripe.sdk.customers.del(first);
  const secret = await saved.setUp('usr_juno', 'usr_juno:2', 'net', BY);
  const second = await saved.open('usr_juno', BY);
  expect(second).not.toBe(first);
  const setup = await stripe.sdk.setupIntents.retrieve(secret.split('_secret_')[0] ?? '');
  expect(setup.customer).toBe(second);
  expect(events.map(({ type }) => type)).toEqual(['CardCustomerOpened', 'CardCustomerOpened']);
  // A later request that still holds the first one is answered with the second.
  expect(await saved.open('usr_juno', BY, first)).toBe(second);
});

it('is replaced where a payment saves the card that pays it', async () => {
  const { saved } = handlers();
  const first = await saved.open('usr_milo', BY);
  await stripe.sdk.customers.del(first);
  const request = {
    paymentId: 'pay_1',
    key: 'usr_milo:1',
    payerId: 'usr_milo',
    recipientId: 'usr_juno',
    amountMinor: 500,
    method: 'card' as const,
    openedAt: new Date(),
  };
  const intent = await withCustomer(
    (refusedId) => saved.open('usr_milo', BY, refusedId),
    (savesFor) => intents.intentFor({ ...request, savesFor }),
  );
  expect(intent.savesFor).toBe(await saved.open('usr_milo', BY));
  expect(intent.savesFor).not.toBe(first);
});
