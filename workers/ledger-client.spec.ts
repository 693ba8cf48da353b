/** What a worker makes of the ledger's answers: a no, a stumble, or an outage that is no try of anything. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LedgerAway, LedgerClient, LedgerDeclined } from './ledger-client.js';

let next: { status: number; body: object | string } = { status: 200, body: {} };
let server: Server;
let client: LedgerClient;
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    const body = typeof next.body === 'string' ? next.body : JSON.stringify(next.body);
    response.writeHead(next.status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = new LedgerClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
});
afterAll(() => void server.close());

const asked = async (status: number, body: object | string): Promise<unknown> => {
  next = { status, body };
  return client.ask({ type: 'AdvancePayout', payoutId: 'out_a' }, 'spec').catch((error: unknown) => error);
};

describe('a ledger that', () => {
  it.each([
    [
      'is in an outage',
      503,
      { message: 'Not now.', code: 'outage' },
      LedgerAway,
      { isOutage: true, sentence: 'Not now.' },
    ],
    ['has a provider that stumbles', 503, { message: 'Not now.' }, LedgerAway, { isOutage: false }],
    [
      'has another token',
      401,
      { message: 'Unauthorized' },
      LedgerAway,
      { isOutage: false, sentence: expect.stringContaining('ENCORE_INTERNAL_TOKEN') },
    ],
    ['says no', 422, { message: 'No.' }, LedgerDeclined, { isFinal: true, sentence: 'No.' }],
    ['has a fault', 500, { message: 'A fault.' }, LedgerDeclined, { isFinal: false }],
  ])('%s says so', async (_, status, body, kind, fields) => {
    const error = await asked(status, body);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject(fields);
  });

  it.each([
    ['cut off', '{"looked":1,"fai'],
    ['somebody else’s', '<html>All is well.</html>'],
    ['of another shape', { done: true }],
  ])('gives an answer that is %s fails this one command, and is no outage', async (_, body) => {
    const error = await asked(200, body);
    expect(error).toBeInstanceOf(LedgerAway);
    expect(error).toMatchObject({ isOutage: false });
  });

  it('is not there is an outage', async () => {
    const nobody = new LedgerClient('http://127.0.0.1:1', 'token');
    const error = await nobody
      .ask({ type: 'AdvancePayout', payoutId: 'out_a' }, 'spec')
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ isOutage: true, sentence: undefined });
    await expect(nobody.areWritesOpen()).rejects.toThrow();
  });

  it.each([
    [200, { ready: true, reasons: [], writes: 'open' }, true],
    [200, { ready: true, degraded: true, reasons: ['…'], writes: 'closed' }, false],
    [503, { ready: false, reasons: ['…'], writes: 'open' }, false],
    [401, { message: 'Unauthorized, says an earlier build.' }, true],
  ])('answers %i %j takes commands or not', async (status, body, isOpen) => {
    next = { status, body };
    expect(await client.areWritesOpen()).toBe(isOpen);
  });
});
