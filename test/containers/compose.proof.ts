/**
 * docker-compose.yml, proven on an engine: `make prove-compose`. Not part of `make test`, which needs no Docker. It comes up
 * with stand-in images, a tip goes through the proxy to a row, and a ledger, the projector and the event store are each killed
 * while people tip: nothing is lost and nothing is doubled.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Crowd } from '#test/support/crowd';
import { Evidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import { ComposeStack, proofSettings, type Service } from './compose-stack.js';

const TIPS = 90;
const AT_ONCE = 4;
const SLOW_MS = 900_000;

const settings = proofSettings();
const url = settings.PUBLIC_URL!;
let stack: ComposeStack;
let world: { env: Record<string, string>; url: string };
let evidence: Evidence;
let provider: CardProviderWorld;

beforeAll(async () => {
  stack = await ComposeStack.find();
  await stack.down({ forget: true });
  await stack.up();
  const database = new URL(stack.secret('database_url'));
  database.host = settings.PROOF_POSTGRES_BIND!;
  world = {
    url,
    env: {
      DATABASE_URL: database.href,
      EVENTSTORE_URL: `esdb://${settings.PROOF_EVENTSTORE_BIND}?tls=false`,
      ENCORE_MASTER_KEY: stack.secret('master_key'),
      STRIPE_API_URL: `http://${settings.STRIPE_BIND}`,
      STRIPE_SECRET_KEY: stack.secret('stripe_secret_key'),
      STRIPE_PUBLISHABLE_KEY: settings.STRIPE_PUBLISHABLE_KEY!,
    },
  };
  evidence = new Evidence(world);
  provider = new CardProviderWorld(world);
}, SLOW_MS);
afterAll(async () => {
  await evidence?.close();
  await stack?.down({ forget: true });
}, SLOW_MS);

describe('the stack of docker-compose.yml', () => {
  it('serves the pages with what browsers may keep and what they may load', async () => {
    const page = await fetch(`${url}/history`);
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    const [asset] = /\/assets\/[^"]+\.js/.exec(await page.text()) ?? [];
    const script = await fetch(`${url}${asset}`, { headers: { 'accept-encoding': 'br' } });
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.headers.get('content-encoding')).toBe('br');
    expect((await fetch(`${url}/api/auth/user`)).status).toBe(401);
  });

  it(
    'runs everything as a user without rights, on a file system that cannot be written',
    async () => {
      for (const service of ['ledger', 'projections', 'workers', 'eventstore', 'identity', 'stripe'] as Service[]) {
        const said = await stack.compose(
          ...['exec', '-T', service, 'sh', '-c'],
          'id -u; touch /app/written 2>&1; grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status',
        );
        expect([service, said]).toEqual([
          service,
          expect.stringMatching(/^1000\n.*Read-only file system\nCapEff:\s+0+\nNoNewPrivs:\s+1\n$/),
        ]);
      }
    },
    SLOW_MS,
  );

  it(
    'loses nothing and doubles nothing when a ledger, the projector and the event store are killed while people tip',
    async () => {
      // Before anybody else pays: it counts every payment of the log.
      const crowd = await Crowd.gather(url, provider);
      const kills: Promise<void>[] = [];
      await crowd.tip(TIPS, AT_ONCE, (paid) => {
        if (paid === 15) kills.push(stack.kill9('ledger', 0));
        if (paid === 40) kills.push(stack.kill9('projections'));
        if (paid === 65) kills.push(stack.kill9('eventstore'));
      });
      await Promise.all(kills);
      expect(kills).toHaveLength(3);
      await stack.healthy();
      await crowd.cameOutRight(evidence);
      // The same verdict from inside, by the image's own tool.
      expect(await stack.compose('run', '--rm', '-T', 'audit', 'verify')).toContain('The books are in order.');
    },
    SLOW_MS,
  );

  it(
    'takes a tip through the proxy to a row',
    async () => {
      const [payer, recipient] = [await Person.signUp(url, 'Wren'), await Person.signUp(url, 'Juno')];
      const { paymentId, clientSecret } = await payer.pay(recipient.id, '5.00');
      await provider.card(clientSecret);
      await provider.control('POST', '/test/webhooks/send_now');
      await evidence.shown();
      expect(await recipient.transactions()).toMatchObject([
        { id: paymentId, type: 'payment_received', amount: '5.00', status: 'completed' },
      ]);
      expect((await recipient.me()).earnings).toBe('5.00');
    },
    SLOW_MS,
  );

  it(
    'keeps everything when it is taken down and brought up again',
    async () => {
      const before = await evidence.everything();
      await evidence.close();
      await stack.down();
      await stack.up();
      evidence = new Evidence(world);
      expect(await evidence.everything()).toEqual(before);
      await evidence.holds();
    },
    SLOW_MS,
  );
});
