/**
 * Bench (b): from a POST to the row that it makes visible, on the whole local stack, straight at the ledger's
 * port. First the most that it takes with callers that wait for their answers, then half of that arriving at
 * random, then one caller.
 *
 * A webhook is answered after its append and before its row: its time ends when the read models announce that
 * they have passed its entry, which they do after their commit. Commands are answered when their row is
 * there.
 */
import { Agent, request } from 'node:http';
import pg from 'pg';
import Stripe from 'stripe';
import { v7 as uuidv7 } from 'uuid';
import { IDEMPOTENCY_KEY_HEADER, STALE_HEADER } from '#contracts/plain/headers';
import { PaymentIntentAnswer } from '#contracts/api/payments';
import { JOURNAL } from '#contracts/events/journal';
import { EsdbLog } from '#log/esdb';
import { recorded } from '#log/event-log';
import { SESSION_COOKIE } from '#ledger/sessions/cookies';
import { Sessions } from '#ledger/sessions/sessions';
import { Projected } from '#projections/engine/read-your-writes';
import { CardProviderWorld, intentOf } from '#test/support/payer';
import { Person } from '#test/support/person';
import type { TestStack } from '#test/support/start-stack';
import { Announcements } from './announcements.js';
import { watchBusy } from './busy.js';
import { closedLoop, openLoop, type LoadResult } from './load.js';
import { givenStore, startMeasured } from './measured-store.js';
import { percentile, type Row } from './measure.js';

const PEOPLE = 8;
/** Whose preferences are switched: so many that each one's stream stays short. */
const SWITCHERS = 500;
const CALLERS = 32;
/** Whose processor time is told; that of an event store that was given is not known here. */
const WATCHED = (['ledger-1', 'projections', 'eventstore', 'postgres', 'stripe', 'workers'] as const).filter(
  (part) => part !== 'eventstore' || givenStore() === undefined,
);
const WARM_UP_MS = 3_000;
const ROUND_MS = 4_000;
const LIGHT_MS = 3_000;
/**
 * Paid at the provider before the webhooks are measured, and how many of them full load leaves for the rest.
 */
const STOCK = 7_000;
const STOCK_AFTER_FULL = 3_500;
const STOCK_FOR_LIGHT = 500;
const SHOWN_WITHIN_MS = 30_000;

interface Answer {
  readonly status: number;
  readonly stale: boolean;
  readonly text: string;
}

/**
 * One ledger's public port, over connections that stay open. Throws for what is not answered with 200 and its
 * row.
 */
class Port {
  readonly #agent = new Agent({ keepAlive: true });

  constructor(
    private readonly port: number,
    private readonly origin: string,
  ) {}

  async send(method: string, path: string, body: string, headers: Record<string, string>): Promise<string> {
    const answer = await this.#once(method, path, body, headers);
    if (answer.status !== 200)
      throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
    if (answer.stale) throw new Error(`${method} ${path} was answered before its row was there.`);
    return answer.text;
  }

  close(): void {
    this.#agent.destroy();
  }

  #once(method: string, path: string, body: string, headers: Record<string, string>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          agent: this.#agent,
          host: '127.0.0.1',
          port: this.port,
          method,
          path,
          headers: {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            origin: this.origin,
            ...headers,
          },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (part: string) => (text += part));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              stale: response.headers[STALE_HEADER] !== undefined,
              text,
            }),
          );
          response.on('error', reject);
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

/** The stack, its people and its log, while the bench runs. */
interface Scene {
  readonly stack: TestStack;
  readonly port: Port;
  readonly provider: CardProviderWorld;
  readonly people: readonly { id: string; cookie: string }[];
  readonly switchers: readonly string[];
  readonly log: EsdbLog;
  readonly heard: Announcements;
  readonly projected: Projected;
}

const cookieOf = (token: string): string => `${SESSION_COOKIE}=${token}`;

/** One kind of call at full, half and light load. */
async function threeLoads(
  scene: Scene,
  kind: string,
  goal: string,
  call: (dueAt?: number) => Promise<unknown>,
  timesOf: (loaded: LoadResult) => Promise<number[]> = (loaded) => Promise.resolve(loaded.latencies),
): Promise<Row[]> {
  const processes = Object.fromEntries(WATCHED.map((part) => [part, scene.stack.part(part).pid ?? 0]));
  const busy = watchBusy(processes);
  const full = await closedLoop(CALLERS, ROUND_MS, () => call());
  const busyAtFull = busy();
  await timesOf(full);
  const rate = full.perSecond / 2;
  const half = await timesOf(await openLoop(rate, ROUND_MS, call));
  const light = await timesOf(await closedLoop(1, LIGHT_MS, () => call()));
  const row = (of: string, value: number, note: string): Row => ({
    bench: kind,
    of,
    value: Number(value.toFixed(1)),
    unit: 'ms',
    note,
  });
  const both = (times: number[]): string =>
    `p50 ${percentile(times, 50).toFixed(1)} ms, p99 ${percentile(times, 99).toFixed(1)} ms of ${times.length}`;
  return [
    {
      bench: kind,
      of: `maximum, ${CALLERS} callers`,
      value: Math.round(full.perSecond),
      unit: '/s',
      note: `busy: ${busyAtFull}`,
    },
    row('p50, 1 caller', percentile(light, 50), `${both(light)}${goal && '; goal: p50 < 20 ms'}`),
    row(
      'p99, half of it',
      percentile(half, 99),
      `${both(half)} at ${Math.round(rate)}/s${goal && '; goal: p99 < 60 ms'}`,
    ),
  ];
}

/** PUT /api/settings: answered when its row is there. */
function benchSettings(scene: Scene): Promise<Row[]> {
  let turn = 0;
  return threeLoads(scene, 'PUT /api/settings to row', 'goal', () => {
    const n = turn++;
    // The first round switches on, the next one off: every call changes something.
    const body = JSON.stringify({ biometricEnabled: Math.floor(n / SWITCHERS) % 2 === 0 });
    return scene.port.send('PUT', '/api/settings', body, { cookie: scene.switchers[n % SWITCHERS]! });
  });
}

/** Opens a payment between two of the people; answers its intent. */
async function openPayment({ port, people }: Scene, n: number): Promise<string> {
  const body = JSON.stringify({
    toUserId: people[(n + 1) % PEOPLE]!.id,
    amount: '5.00',
    description: 'Loved the second set',
  });
  const headers = { cookie: people[n % PEOPLE]!.cookie, [IDEMPOTENCY_KEY_HEADER]: uuidv7() };
  const text = await port.send('POST', '/api/create-payment-intent', body, headers);
  return intentOf(PaymentIntentAnswer.parse(JSON.parse(text)).clientSecret);
}

/** The provider's webhook for payments that were paid there; from the POST to the recipient's row. */
async function benchWebhook(scene: Scene, paid: string[]): Promise<Row[]> {
  const { port, log, heard, projected, stack } = scene;
  const secret = stack.env.STRIPE_WEBHOOK_SECRET ?? '';
  const begun = new Map<string, number>();
  let readFrom = ((await log.lastOf(JOURNAL))?.revision ?? -1) + 1;
  let sent = 0;
  let reserve = STOCK_AFTER_FULL;
  const call = async (dueAt = performance.now()): Promise<boolean> => {
    if (paid.length <= reserve) return false;
    const intentId = paid.pop()!;
    sent += 1;
    begun.set(intentId, dueAt);
    const payload = JSON.stringify({
      id: `evt_bench_${sent}`,
      object: 'event',
      api_version: Stripe.API_VERSION,
      created: Math.floor(Date.now() / 1000),
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type: 'payment_intent.succeeded',
      data: { object: { id: intentId, object: 'payment_intent' } },
    });
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
    await port.send('POST', '/api/webhooks/stripe', payload, { 'stripe-signature': signature });
    return true;
  };
  const timesOf = async (): Promise<number[]> => {
    // Light load comes last and needs the least.
    reserve = reserve === STOCK_AFTER_FULL ? STOCK_FOR_LIGHT : 0;
    const last = await log.lastOf(JOURNAL);
    if (!last || !(await projected.waitFor(last.position, SHOWN_WITHIN_MS)))
      throw new Error('The read models did not arrive.');
    const times: number[] = [];
    for await (const raw of log.readStream(JOURNAL, readFrom)) {
      readFrom = raw.revision + 1;
      const event = recorded(raw);
      if (event.type !== 'PaymentSettled') continue;
      const at = begun.get(event.data.intentId);
      if (at === undefined) continue;
      begun.delete(event.data.intentId);
      times.push(heard.passed(raw.position) - at);
    }
    if (begun.size > 0) throw new Error(`${begun.size} payments were not settled by their webhook.`);
    return times;
  };
  return threeLoads(scene, 'webhook to row', 'goal', call, timesOf);
}

async function withScene<T>(run: (scene: Scene) => Promise<T>): Promise<T> {
  const env = { LOG_LEVEL: 'error' };
  const stack = await startMeasured(['all'], { env, mustBeEmpty: true });
  const provider = new CardProviderWorld(() => stack);
  const pool = new pg.Pool({ connectionString: stack.env.DATABASE_URL, max: 4 });
  const log = EsdbLog.connect(stack.env.EVENTSTORE_URL!);
  const port = new Port(stack.ports['ledger-1'] ?? 0, stack.url);
  const projected = Projected.listen(stack.env.DATABASE_URL ?? '');
  const heard = await Announcements.listen(stack.env.DATABASE_URL ?? '');
  try {
    // The provider's own webhooks would settle the payments before ours do.
    await provider.control('POST', '/test/switches', { webhooks: { paused: true } });
    const people = [];
    for (let n = 0; n < PEOPLE; n += 1) {
      const person = await Person.signUp(stack.url, `Payer${n}`);
      people.push({ id: person.id, cookie: await person.jar.getCookieString(stack.url) });
    }
    const sessions = new Sessions(pool);
    const switchers = await Promise.all(
      Array.from({ length: SWITCHERS }, async (_, n) =>
        cookieOf((await sessions.begin(`usr_switcher${n}`, { signedInAt: new Date() })).token),
      ),
    );
    return await run({ stack, port, provider, people, switchers, log, heard, projected });
  } finally {
    port.close();
    await Promise.all([heard.close(), projected.close(), log.close(), pool.end()]);
    await stack.stop();
  }
}

export function benchHttp(): Promise<Row[]> {
  return withScene(async (scene) => {
    let opened = 0;
    const intents: string[] = [];
    const open = async (): Promise<void> => void intents.push(await openPayment(scene, opened++));
    await closedLoop(CALLERS, WARM_UP_MS, open);
    const opening = await threeLoads(scene, 'POST /api/create-payment-intent', '', open);
    while (intents.length < STOCK) await Promise.all(Array.from({ length: CALLERS }, open));

    const waiting = [...intents];
    const paid: string[] = [];
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        for (let intentId = waiting.pop(); intentId !== undefined; intentId = waiting.pop()) {
          await scene.provider.stripe.paymentIntents.confirm(intentId, { payment_method: 'pm_card_visa' });
          paid.push(intentId);
        }
      }),
    );
    return [...(await benchWebhook(scene, paid)), ...(await benchSettings(scene)), ...opening];
  });
}
