/**
 * What the card provider's stand-in owes after a restart, a kill and an endpoint that is away: objects, keys
 * and webhooks.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  eventually,
  SECRET_KEY,
  sdkFor,
  startStripe,
  WEBHOOK_SECRET,
  WebhookEndpoint,
  type RunningStripe,
} from './stripe-process.js';
import { problemsOf } from './stripe-types.js';

const card = { amount: 1500, currency: 'usd', allowed_payment_method_types: ['card'] };
const paid = { ...card, confirm: true, payment_method: 'pm_card_visa' };

let endpoint: WebhookEndpoint;
let stripe: RunningStripe;

beforeEach(async () => {
  endpoint = new WebhookEndpoint();
  await endpoint.listen();
  stripe = await startStripe({ webhookUrl: endpoint.url });
});
afterEach(async () => {
  await stripe.stop();
  await endpoint.close();
});

const restart = async (): Promise<void> => {
  stripe = await startStripe({ folder: stripe.folder, webhookUrl: endpoint.url });
};
const noneOwed = (): Promise<boolean> =>
  eventually(async () => (await stripe.control('GET', '/test/webhooks')).owed === 0, 'no webhook to be owed');

describe('webhooks', () => {
  it('are signed events with the object as it was, one for each thing that happened', async () => {
    const intent = await stripe.sdk.paymentIntents.create(paid, { idempotencyKey: 'k1' });
    await noneOwed();
    expect(endpoint.typesAbout(intent.id).sort()).toEqual([
      'payment_intent.created',
      'payment_intent.succeeded',
    ]);
    for (const { event } of endpoint.received)
      expect([event.type, problemsOf(event)]).toEqual([event.type, []]);
    const created = endpoint
      .about(intent.id)
      .find(({ event }) => event.type === 'payment_intent.created')?.event;
    expect(created).toMatchObject({
      data: { object: { status: 'requires_confirmation' } },
      request: { idempotency_key: 'k1' },
    });
    expect((await stripe.sdk.events.retrieve(String(created?.id))).pending_webhooks).toBe(0);
  });

  it('carry a signature that another body or another secret does not have', async () => {
    await stripe.sdk.customers.create();
    await noneOwed();
    const [first] = endpoint.received;
    if (!first) throw new Error('No webhook came.');
    const { webhooks } = sdkFor(1, SECRET_KEY);
    expect(() => webhooks.constructEvent(`${first.body} `, first.signature, WEBHOOK_SECRET)).toThrow(
      /signature/i,
    );
    expect(() => webhooks.constructEvent(first.body, first.signature, 'whsec_other')).toThrow(/signature/i);
  });

  it('come again until the endpoint says 2xx', async () => {
    endpoint.status = 500;
    const customer = await stripe.sdk.customers.create();
    await eventually(() => endpoint.about(customer.id).length >= 2, 'a second attempt');
    endpoint.status = 204;
    await noneOwed();
    const ids = new Set(endpoint.about(customer.id).map(({ event }) => event.id));
    expect(ids.size).toBe(1);
  });

  it('are owed while the endpoint is away, over a kill, and come when both are back', async () => {
    await endpoint.close();
    const intent = await stripe.sdk.paymentIntents.create(paid);
    await stripe.kill('SIGKILL');
    await endpoint.listen();
    await restart();
    await noneOwed();
    expect(new Set(endpoint.typesAbout(intent.id))).toEqual(
      new Set(['payment_intent.created', 'payment_intent.succeeded']),
    );
  });

  it('stop, double and shuffle when the switches say so, and an old one is sent again on demand', async () => {
    await stripe.control('POST', '/test/switches', { webhooks: { paused: true } });
    const customer = await stripe.sdk.customers.create();
    expect((await stripe.control('GET', '/test/webhooks')).owed).toBe(1);
    expect(endpoint.received).toEqual([]);
    await stripe.control('POST', '/test/switches', { webhooks: { duplicates: 2, shuffle: true } });
    await eventually(() => endpoint.about(customer.id).length === 1, 'the webhook that was held back');
    const intent = await stripe.sdk.paymentIntents.create(card);
    await eventually(() => endpoint.about(intent.id).length === 3, 'three copies');
    await stripe.control('DELETE', '/test/switches');
    const [first] = endpoint.about(intent.id);
    await stripe.control('POST', `/test/events/${first?.event.id}/resend`);
    await eventually(() => endpoint.about(intent.id).length === 4, 'the event once more');
    expect(new Set(endpoint.about(intent.id).map(({ event }) => event.id)).size).toBe(1);
  });
});

describe('what was acknowledged', () => {
  it('is there after a kill, whatever was under way: no payment lost, none doubled', async () => {
    const acknowledged: string[] = [];
    const keys = Array.from({ length: 200 }, () => randomUUID());
    const create = (key: string): Promise<void> =>
      stripe.sdk.paymentIntents
        .create({ ...paid, metadata: { key } }, { idempotencyKey: key })
        .then(({ id }) => void acknowledged.push(id));
    const calls = keys.map((key) => create(key).catch(() => undefined));
    await eventually(() => acknowledged.length > 20, 'some acknowledgements');
    await stripe.kill('SIGKILL');
    await Promise.all(calls);
    const before = [...acknowledged];
    await restart();
    for (const id of before) expect((await stripe.sdk.paymentIntents.retrieve(id)).status).toBe('succeeded');
    await Promise.all(keys.map(create));
    const found: string[] = [];
    for await (const { metadata } of stripe.sdk.paymentIntents.list({ limit: 100 }))
      found.push(String(metadata.key));
    expect(found.sort()).toEqual([...keys].sort());
    let charges = 0;
    for await (const charge of stripe.sdk.charges.list({ limit: 100 })) charges += charge.paid ? 1 : 0;
    expect(charges).toBe(keys.length);
  });

  it('includes the answers of idempotency keys, the switches and what is due later', async () => {
    const intent = await stripe.sdk.paymentIntents.create(card, { idempotencyKey: 'same' });
    await stripe.control('POST', '/test/switches', { processingMs: 1500, webhooks: { duplicates: 1 } });
    const slow = await stripe.sdk.paymentIntents.create(paid);
    expect(slow.status).toBe('processing');
    await stripe.kill('SIGTERM');
    await restart();
    expect((await stripe.sdk.paymentIntents.create(card, { idempotencyKey: 'same' })).id).toBe(intent.id);
    expect(await stripe.control('GET', '/test/switches')).toMatchObject({
      processingMs: 1500,
      webhooks: { duplicates: 1 },
    });
    await eventually(
      async () => (await stripe.sdk.paymentIntents.retrieve(slow.id)).status === 'succeeded',
      'the payment to settle',
    );
  });
});
