/**
 * Two and three ledger processes write one journal at the same time: nothing is lost, nothing is doubled.
 * Neither is it when the event store is away meanwhile, for two seconds, and as long as half a minute in
 * `make prove`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { Crowd } from '#test/support/crowd';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld, intentOf } from '#test/support/payer';
import { sampled } from '#test/support/sample';
import { Person } from '#test/support/person';
import { useStack } from '#test/support/stack';
import { Visitors } from '#test/support/visitors';
import { LedgerClient } from '#workers/ledger-client';

const PAYMENTS = sampled(48, 24);
const AT_ONCE = 12;
const OUTAGE_MS = Number(process.env.OUTAGE_SECONDS ?? 2) * 1000;

// Three in `make prove`.
describe.each(sampled([2, 3], [2]))('%i ledgers on one journal', (ledgers) => {
  // The one time with an event store that wants TLS and a password, as one in production does.
  const secured: Record<string, string> = ledgers === 2 ? { ENCORE_EVENTSTORE_TLS: 'on' } : {};
  const stack = useStack(['all'], { ledgers, env: secured });
  const evidence = useEvidence(stack);
  const provider = new CardProviderWorld(stack);
  let crowd: Crowd;
  const numbers = Array.from({ length: ledgers }, (_, n) => n + 1);
  beforeAll(async () => {
    crowd = await Crowd.gather(stack().url, provider);
  });

  /** Each ledger by its internal port, as a worker calls it. */
  const inside = (): LedgerClient[] =>
    numbers.map(
      (n) =>
        new LedgerClient(
          `http://127.0.0.1:${stack().ports[`ledger-${n}-internal`]}`,
          stack().env.ENCORE_INTERNAL_TOKEN!,
        ),
    );

  it('reach the event store as they are told to', () => {
    expect(stack().env.EVENTSTORE_URL).toMatch(
      ledgers === 2 ? /^esdb:\/\/encore:.+@.+tls=true&tlsCAFile=/ : /tls=false$/,
    );
  });

  it('settle each payment once, with webhooks doubled and all of them asked to look at the same payments', async () => {
    await provider.control('POST', '/test/switches', { webhooks: { duplicates: 1, shuffle: true } });
    const since = new Date(Date.now() - 60_000).toISOString();
    const asked: Promise<unknown>[] = [];
    await crowd.tip(PAYMENTS, AT_ONCE, (paid) => {
      if (paid % 12 === 0)
        for (const ledger of inside())
          asked.push(ledger.ask({ type: 'ReconcileSince', since }, `spec-${paid}`));
    });
    await Promise.all(asked);
    expect(asked).toHaveLength((PAYMENTS / 12) * ledgers);
    await crowd.cameOutRight(evidence);
    // All of them took part.
    for (const n of numbers) {
      const figures = await (
        await fetch(`http://127.0.0.1:${stack().ports[`ledger-${n}-internal`]}/metrics`)
      ).text();
      for (const route of ['/api/create-payment-intent', '/api/webhooks/stripe']) {
        const line = figures
          .split('\n')
          .find(
            (each) =>
              each.startsWith('encore_http_request_duration_seconds_count') && each.includes(`"${route}"`),
          );
        expect(Number(line?.split(' ').at(-1))).toBeGreaterThan(PAYMENTS / (2 * ledgers));
      }
    }
  }, 120_000);

  it(
    'lose nothing of a crowd to an outage in which one of them is restarted: reads are 200, sign-in works, each tip is paid once',
    async () => {
      const [reader, signsIn] = [crowd.people[0]!, await Person.signUp(stack().url, 'Sam')];
      const before = await evidence.events();
      const tips = crowd.tip(24, 4);
      // One ledger is killed once: its connections break, and a browser asks again.
      const visitors = new Visitors({ reader, signsIn });
      await pause(500);
      await stack().part('eventstore').kill9();
      await pause(OUTAGE_MS / 2);
      await stack().part('ledger-1').restart();
      await pause(OUTAGE_MS / 2);
      await stack().part('eventstore').start();
      await tips;
      const answers = await visitors.leave();
      const refused = [...answers.keys()].filter((line) => !/ (?:200|done|cut off)$/.test(line));
      expect(refused).toEqual([]);
      expect(answers.get('sign-in done')).toBeGreaterThan(2);
      await crowd.cameOutRight(evidence);
      expect((await evidence.events()).slice(0, before.length)).toEqual(before);
    },
    120_000 + OUTAGE_MS,
  );

  it('make one payment of one key that all of them are sent at once', async () => {
    const [payer, recipient] = crowd.people;
    for (let round = 0; round < 5; round += 1) {
      const key = uuidv7();
      const answers = await Promise.all(
        Array.from({ length: 2 * ledgers }, () => payer!.pay(recipient!.id, '1.00', {}, key)),
      );
      expect(new Set(answers.map(({ paymentId, clientSecret }) => `${paymentId} ${clientSecret}`)).size).toBe(
        1,
      );
      const { paymentId, clientSecret } = answers[0]!;
      const opened = (await evidence.journal()).filter(
        (event) => event.type === 'PaymentOpened' && event.data.paymentId === paymentId,
      );
      expect(opened).toHaveLength(1);
      const intents = await provider.stripe.paymentIntents.list({ limit: 100 });
      const made = intents.data.filter(({ metadata }) => metadata.paymentId === paymentId);
      expect(made.map(({ id }) => id)).toEqual([intentOf(clientSecret)]);
    }
    await evidence.holds();
  });

  it('look up a payment that another of them has opened while the read models stand still', async () => {
    const [payer, recipient] = crowd.people;
    await stack().part('projections').stop();
    try {
      const { paymentId, clientSecret } = await payer!.pay(recipient!.id, '2.00');
      // The front hands requests out in turns: each ledger is asked.
      const answers = await Promise.all(
        Array.from({ length: 2 * ledgers }, () => payer!.get(`/api/payments/${paymentId}/client-secret`)),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const open = { amount: '2.00', clientSecret, paymentId };
      for (const { text } of answers) expect(JSON.parse(text)).toEqual(open);
    } finally {
      await stack().part('projections').start();
    }
    await evidence.holds();
  });
});
