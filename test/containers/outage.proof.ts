/**
 * The event store of docker-compose.yml away for half a minute, under people who read, sign in and pay, while
 * a ledger is restarted and a scheduled payment falls due.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Crowd } from '#test/support/crowd';
import { Evidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { json, Person } from '#test/support/person';
import { Visitors } from '#test/support/visitors';
import { ComposeStack, run } from './compose-stack.js';
import { tipToRow, worldOf, type World } from './world.js';

const SLOW_MS = 900_000;
const OUTAGE_MS = 30_000;
const TIPS = 60;
const AT_ONCE = 4;

const ScheduledPayments = z.array(z.object({ status: z.string(), amount: z.string() }));

let stack: ComposeStack;
let world: World;
let evidence: Evidence;

beforeAll(async () => {
  stack = await ComposeStack.find();
  await stack.prepare();
  await stack.up();
  world = worldOf(stack);
  evidence = new Evidence(() => world);
}, SLOW_MS);
afterAll(async () => {
  await evidence?.close();
  await stack?.down({ forget: true });
}, SLOW_MS);

describe('the event store away for half a minute', () => {
  it(
    'takes away writes only, loses nothing, and sets no schedule back, also while a ledger is restarted',
    async () => {
      const crowd = await Crowd.gather(world.url, new CardProviderWorld(() => world));
      const [reader, signsIn, payer] = await Promise.all(
        ['Rhea', 'Sam', 'Pia'].map((name) => Person.signUp(world.url, name)),
      );
      // What falls due in the middle of it is paid from a balance.
      const juno = await tipToRow(world, evidence, '20.00');
      const before = await evidence.events();
      const due = await juno.post('/api/scheduled-payments', {
        toUserId: reader!.id,
        amount: '7.00',
        scheduledDate: new Date(Date.now() + OUTAGE_MS / 2).toISOString(),
      });
      expect([due.status, due.text]).toEqual([200, expect.stringContaining('7.00')]);

      const visitors = new Visitors({
        reader: reader!,
        signsIn: signsIn!,
        pays: { payer: payer!, recipient: juno },
      });
      const tips = crowd.tip(TIPS, AT_ONCE);
      const [store] = await stack.containers('eventstore');
      const [ledger] = await stack.containers('ledger');
      await run('docker', ['kill', store!.id]);
      const away = performance.now();
      await pause(OUTAGE_MS / 3);
      await run('docker', ['restart', '--time', '30', ledger!.id]);
      await pause(Math.max(0, away + OUTAGE_MS - performance.now()));
      await run('docker', ['start', store!.id]);
      await tips;
      await evidence.shown();
      const answers = await visitors.leave();

      const said = [...answers].map(([line, count]) => `${line}: ${count}`).sort();
      process.stdout.write(`${said.join('\n')}\n`);
      const others = [...answers.keys()].filter(
        (line) => !/ (?:200|done)$|^payment 503 with Retry-After$/.test(line),
      );
      expect(others).toEqual([]);
      for (const line of [
        '/ 200',
        '/api/auth/user 200',
        '/api/transactions 200',
        'sign-in done',
        'payment 200',
      ])
        expect([line, answers.get(line) ?? 0]).toEqual([line, expect.any(Number)]);
      expect(answers.get('payment 503 with Retry-After')).toBeGreaterThan(5);

      await stack.until(
        async () => (await reader!.me()).earnings === '7.00',
        'workers',
        'to pay what fell due',
      );
      const payments = ScheduledPayments.parse(json(await juno.get('/api/scheduled-payments')));
      expect(payments).toEqual([{ status: 'completed', amount: '7.00' }]);
      expect(crowd.tips.map(({ named, secrets }) => [named.size, secrets.size])).toEqual(
        crowd.tips.map(() => [1, 1]),
      );
      await evidence.shown();
      expect((await evidence.events()).slice(0, before.length)).toEqual(before);
      await evidence.holds();
    },
    SLOW_MS,
  );
});
