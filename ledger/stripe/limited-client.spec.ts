/** What a 429 of the provider's holds back: all calls, or only the one about an object that is in use. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { CallLimiter, type CallCounter } from './call-limiter.js';
import { openStripe } from './stripe-client.js';

interface Refusal {
  readonly reason?: string;
  readonly code?: string;
}
const INTENT = { id: 'pi_1', object: 'payment_intent' };

let server: Server;
let stripe: Stripe;
/** What the next calls are refused with. */
let refusals: Refusal[];
let calls: number;
let holds: number[];
let pauses: number[];

beforeAll(async () => {
  server = createServer((_request, response) => {
    calls += 1;
    const refusal = refusals.shift();
    const { reason, code = 'rate_limit' } = refusal ?? {};
    response.writeHead(refusal ? 429 : 200, {
      'content-type': 'application/json',
      ...(reason !== undefined && { 'stripe-rate-limited-reason': reason }),
    });
    const error = { type: 'invalid_request_error', code, message: 'Refused.' };
    response.end(JSON.stringify(refusal ? { error } : INTENT));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const counter: CallCounter = {
    take: () => Promise.resolve(0),
    hold: (ms) => Promise.resolve(void holds.push(ms)),
  };
  const pause = (ms: number): Promise<void> => Promise.resolve(void pauses.push(ms));
  const limiter = new CallLimiter(counter, { total: 100, endpoint: 25 }, undefined, pause);
  const { port } = server.address() as AddressInfo;
  stripe = openStripe({ secretKey: 'sk_test_x', apiUrl: `http://127.0.0.1:${port}`, limiter });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  [refusals, calls, holds, pauses] = [[], 0, [], []];
});

const confirm = () => stripe.paymentIntents.confirm('pi_1', {}, { maxNetworkRetries: 0 });

it('holds all ledgers where too many calls are made, and makes the call again', async () => {
  refusals = [{ reason: 'global-rate' }, { reason: 'endpoint-concurrency' }];
  expect((await confirm()).id).toBe('pi_1');
  expect([calls, holds.length, pauses.length]).toEqual([3, 2, 0]);
});

it('holds nobody else where another request is changing the same object', async () => {
  refusals = [{ code: 'lock_timeout' }, { code: 'lock_timeout' }];
  expect((await confirm()).id).toBe('pi_1');
  expect([calls, holds.length, pauses.length]).toEqual([3, 0, 2]);
  refusals = Array.from({ length: 9 }, () => ({ code: 'lock_timeout' }));
  await expect(confirm()).rejects.toMatchObject({ code: 'lock_timeout', statusCode: 429 });
  expect(holds).toEqual([]);
});

it('holds nobody where one object was changed too often, by whoever did that, and does not ask again', async () => {
  refusals = [{ reason: 'resource-specific' }];
  await expect(confirm()).rejects.toBeInstanceOf(Stripe.errors.StripeRateLimitError);
  expect([calls, holds.length, pauses.length]).toEqual([1, 0, 0]);
});

it('takes a 429 without a word for one call too many', async () => {
  refusals = [{}];
  expect((await confirm()).id).toBe('pi_1');
  expect([calls, holds.length]).toEqual([2, 1]);
});
