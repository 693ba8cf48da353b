/**
 * The event store is away under a crowd that reads, signs in and pays, and a ledger is restarted meanwhile. As long
 * as half a minute in `make prove`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Crowd } from '#test/support/crowd';
import { Evidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import { useStack } from '#test/support/stack';
import { Visitors } from '#test/support/visitors';

const stack = useStack(['all'], { ledgers: 2 });
const OUTAGE_MS = Number(process.env.OUTAGE_SECONDS ?? 2) * 1000;
const WITHIN_MS = 120_000 + OUTAGE_MS;
const TIPS = 24;

let provider: CardProviderWorld;
let evidence: Evidence;
beforeAll(() => {
  provider = new CardProviderWorld(stack());
  evidence = new Evidence(stack());
});
afterAll(() => evidence?.close());

describe('an outage under a crowd', () => {
  it(
    'takes nothing from them, also while a ledger is restarted: reads are 200, sign-in works, each tip is paid once',
    async () => {
      const crowd = await Crowd.gather(stack().url, provider);
      const [reader, signsIn] = [crowd.people[0]!, await Person.signUp(stack().url, 'Sam')];
      const before = await evidence.events();
      const tips = crowd.tip(TIPS, 4);
      // One ledger of the two is killed once: its connections break, and a browser asks again.
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
    WITHIN_MS,
  );
});
