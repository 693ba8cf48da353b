// The internal port: commands behind the token, figures for whoever can reach it, nothing else.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import type { InternalAnswer, InternalCommand } from '#contracts/api/internal';
import type { Ready } from '#edge/health';
import { StoreAway, Unavailable } from '../rejection.js';
import type { TrailEntry } from '../security-trail/security-trail.js';
import { internalPort } from './internal-port.js';

const TOKEN = 'a-token-of-some-length-indeed';
const carryOut = jest.fn<(command: InternalCommand, correlationId: string) => Promise<InternalAnswer>>();
carryOut.mockResolvedValue({ looked: 1, failed: [] });
const metrics = jest.fn(() => Promise.resolve('encore_journal_ready 1\n'));
let how: Ready = { ready: true, reasons: [] };
const noted: TrailEntry[] = [];
const port = internalPort({
  trail: { note: (entry) => void noted.push(entry) },
  token: TOKEN,
  log: pino({ level: 'silent' }),
  figures: { contentType: 'text/plain; version=0.0.4', metrics },
  ready: () => Promise.resolve(how),
  carryOut,
});
let origin: string;
beforeAll(async () => (origin = await port.listen({ port: 0, host: '127.0.0.1' })));
afterAll(() => port.close());

const command = { type: 'RefundUnapplied', chargeId: 'ch_1' };
const post = (headers: Record<string, string>) =>
  fetch(`${origin}/internal/commands`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(command),
  });

describe('the internal port', () => {
  it.each<Record<string, string>>([{}, { authorization: 'Bearer other' }, { authorization: TOKEN }])(
    'carries out nothing for %j',
    async (headers) => {
      expect((await post(headers)).status).toBe(401);
      expect(carryOut).not.toHaveBeenCalled();
    },
  );

  it('carries out a command for whoever has the token', async () => {
    const answer = await post({ authorization: `Bearer ${TOKEN}` });
    expect([answer.status, await answer.json()]).toEqual([200, { looked: 1, failed: [] }]);
    expect(carryOut.mock.calls.map(([asked]) => asked)).toEqual([command]);
  });

  it('notes a worker’s command by its kind, an operator’s with who and what, and words of neither', async () => {
    noted.splice(0);
    const ask = (body: object, headers: Record<string, string> = {}) =>
      fetch(`${origin}/internal/commands`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    await ask(command);
    const writeOff = { type: 'WriteOffDebt', userId: 'usr_a', because: 'Odalys has moved away' };
    await ask(writeOff, { 'x-encore-operator': 'ada@till' });
    await ask(writeOff);
    carryOut.mockRejectedValueOnce(new StoreAway());
    await ask(writeOff, { 'x-encore-operator': 'ada@till' });
    await ask(command, { authorization: 'Bearer other' });
    const act = {
      what: 'operator_act',
      operator: 'ada@till',
      userId: 'usr_a',
      detail: { command: 'WriteOffDebt' },
    };
    expect(noted).toMatchObject([
      { what: 'internal_command', outcome: 'done', detail: { command: 'RefundUnapplied' } },
      { ...act, outcome: 'done' },
      { ...act, outcome: 'done', operator: 'unnamed' },
      { ...act, outcome: 'failed' },
      { what: 'refused', detail: { route: 'internal', status: 401 } },
    ]);
    expect(JSON.stringify(noted)).not.toContain('Odalys');
  });

  it('tells a worker an outage from a no, and when to come back', async () => {
    for (const [error, told] of [
      [new StoreAway(), [503, 'outage', '5']],
      [new Unavailable('The card provider is not answering right now.'), [503, undefined, '1']],
    ] as const) {
      carryOut.mockRejectedValueOnce(error);
      const answer = await post({ authorization: `Bearer ${TOKEN}` });
      const { code } = (await answer.json()) as { code?: string };
      expect([answer.status, code, answer.headers.get('retry-after')]).toEqual(told);
    }
  });

  it('says on its own host how the ledger is', async () => {
    for (const [state, status] of [
      [{ ready: true, degraded: true, reasons: ['The event store has not answered for 3 seconds.'] }, 200],
      [{ ready: false, reasons: ['Postgres does not answer.'] }, 503],
    ] as const) {
      how = state;
      const answer = await fetch(`${origin}/readyz`);
      expect([answer.status, await answer.json()]).toEqual([status, state]);
    }
  });

  it('tells the network whether it serves and takes writes, and not what is inside', async () => {
    const reasons = ['The event store at eventstore:2113 has not answered for 3 seconds.'];
    how = { ready: true, degraded: true, reasons, writes: 'closed' } as Ready;
    // As somebody on the network is: this host's proxy speaks for them.
    const answer = await fetch(`${origin}/readyz`, { headers: { 'x-forwarded-for': '172.18.0.4' } });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        ready: true,
        degraded: true,
        reasons: ['What is amiss is told on this host, and to who shows METRICS_TOKEN.'],
        writes: 'closed',
      },
    ]);
  });

  it('tells its figures without the token, and asks once for all who ask at once', async () => {
    let answer: (text: string) => void = () => undefined;
    metrics.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
    const first = fetch(`${origin}/metrics`);
    while (metrics.mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = fetch(`${origin}/metrics`);
    // Whatever the second one finds, the stores are not asked again while the first one waits.
    await fetch(`${origin}/other`);
    answer('encore_journal_ready 1\n');
    for (const told of [await first, await second]) {
      expect([told.status, await told.text()]).toEqual([200, 'encore_journal_ready 1\n']);
      expect(told.headers.get('content-type')).toContain('text/plain');
    }
  });

  it.each(['/', '/metrics/x', '/internal/other', '/api/auth/user'])('has nothing at %s', async (path) =>
    expect((await fetch(origin + path)).status).toBe(401),
  );
});
