/** What a worker makes of the ledger's answers: a no, a stumble, or an outage that is no try of anything. */
import dns from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
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

describe('of several ledgers behind one name', () => {
  interface Told {
    readonly status: number;
    readonly body: object;
  }
  const NAME = 'ledgers.test';
  const ADDRESSES = ['127.0.0.1', '127.0.0.2'];
  /** What the ledger at each address answers; one without an answer is not there. */
  let answers: Map<string, Told>;
  let servers: Server[];
  let seen: string[];
  let ledgers: LedgerClient;

  const OPEN = { status: 200, body: { ready: true, reasons: [], writes: 'open', looked: 1, failed: [] } };
  const CLOSED = { status: 200, body: { ready: true, degraded: true, reasons: [], writes: 'closed' } };
  const STRANGER = { status: 401, body: { message: 'Unauthorized' } };
  const OUTAGE = { status: 503, body: { message: 'Not now.', code: 'outage' } };

  async function listen(address: string, port: number): Promise<number> {
    const ledger = createServer((request, response) => {
      request.resume();
      seen.push(address);
      const { status, body } = answers.get(address)!;
      response.writeHead(status).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => ledger.listen(port, address, resolve));
    servers.push(ledger);
    return (ledger.address() as AddressInfo).port;
  }

  async function withLedgers(first: Told | undefined, second: Told | undefined): Promise<void> {
    const both = [first, second];
    answers = new Map(ADDRESSES.flatMap((address, at) => (both[at] ? [[address, both[at]] as const] : [])));
    let port = 0;
    for (const address of answers.keys()) port = await listen(address, port);
    sortedNames();
    ledgers = new LedgerClient(`http://${NAME}:${port}`, 'token');
  }

  /** A resolver that sorts: the same address comes first, each time, and the first is begun with. */
  function sortedNames(): void {
    type Lookup = (name: string, options: object, done: (error: null, all: object) => void) => void;
    const all = ADDRESSES.map((address) => ({ address, family: 4 }));
    const lookup: Lookup = (_name, _options, done) => void setImmediate(done, null, all);
    jest.spyOn(dns, 'lookup').mockImplementation(lookup as never);
    jest.spyOn(Math, 'random').mockReturnValue(0);
  }

  beforeEach(() => {
    servers = [];
    seen = [];
  });
  afterEach(() => {
    jest.restoreAllMocks();
    for (const ledger of servers) {
      ledger.closeAllConnections();
      ledger.close();
    }
  });

  it.each([
    ['first', CLOSED, OPEN],
    ['second', OPEN, CLOSED],
  ])('workers leave the %s, which takes no commands, at their next look', async (_, first, second) => {
    await withLedgers(first, second);
    const looks = [
      await ledgers.areWritesOpen(),
      await ledgers.areWritesOpen(),
      await ledgers.areWritesOpen(),
    ];
    expect(looks.slice(1)).toEqual([true, true]);
  });

  it.each([
    ['that cannot do anything now', OUTAGE],
    ['that has not been given a new token yet', STRANGER],
  ])('workers ask another than the one %s, and stay with it', async (_, first) => {
    await withLedgers(first, OPEN);
    const ask = () => ledgers.ask({ type: 'AdvancePayout', payoutId: 'out_a' }, 'spec');
    await ask().catch(() => undefined);
    for (let n = 0; n < 3; n++) await ask();
    expect(seen.slice(-3)).toEqual(Array(3).fill('127.0.0.2'));
  });

  it.each([
    ['first', undefined, OPEN],
    ['second', OPEN, undefined],
  ])('the %s may be gone: a command goes to the other at once', async (_, first, second) => {
    await withLedgers(first, second);
    for (let n = 0; n < 3; n++)
      expect(await ledgers.ask({ type: 'AdvancePayout', payoutId: 'out_a' }, 'spec')).toMatchObject({
        looked: 1,
      });
  });

  it('none of which is there, there is an outage', async () => {
    sortedNames();
    const gone = new LedgerClient(`http://${NAME}:1`, 'token');
    await expect(gone.ask({ type: 'AdvancePayout', payoutId: 'out_a' }, 'spec')).rejects.toMatchObject({
      isOutage: true,
    });
  });
});
