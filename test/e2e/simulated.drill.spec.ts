/**
 * Stories from seeds on the real stack: people tip, subscribe, schedule, keep wallets and ask for
 * payouts over HTTP, cards are charged back and banks say no, the provider loses answers, and ledgers,
 * projector and workers are killed in between. When each has come to rest, its log is judged as the
 * simulator's stories are, against the provider's own list of charges, too.
 *
 * The dice choose what is done and what breaks, not how the processes take turns: unlike a story of the
 * simulator, one that fails here may pass when it is told again.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type Stripe from 'stripe';
import { PaymentIntentAnswer } from '#contracts/api/payments';
import { userKey } from '#ledger/journal/keys';
import { Dice } from '#test/simulator/dice';
import { judgeLog } from '#test/simulator/judge';
import { eventually } from '#test/conformance/stripe-process';
import { useEvidence } from '#test/support/evidence';
import { ASKS_THE_PAYER, CardProviderWorld, DECLINED, intentOf, VISA } from '#test/support/payer';
import { FAILING_BANKS, GOOD_BANK, Payee, RETURNING_BANK } from '#test/support/payee';
import { json, Person, type Answer } from '#test/support/person';
import { useStack } from '#test/support/stack';

const SEEDS = [2, 1, 3];
const ACTS = 40;
const AT_ONCE = 4;
const HOUR = 3_600_000;
const BANKS = [GOOD_BANK, FAILING_BANKS.account_closed, RETURNING_BANK];

const folder = mkdtempSync(join(tmpdir(), 'encore-clock-'));
const clockFile = join(folder, 'ahead');
let aheadMs = 0;
/** Lets time pass for what is due. It never goes back. */
function pass(ms: number): void {
  aheadMs += ms;
  writeFileSync(clockFile, String(aheadMs));
}
const fromNow = (ms: number): Date => new Date(Date.now() + aheadMs + ms);
pass(0);

const stack = useStack(['all'], {
  ledgers: 2,
  env: {
    CARE_EVERY_SECONDS: '1',
    PAYOUT_RETRY_SECONDS: '1',
    SCHEDULES_EVERY_SECONDS: '1',
    TEST_CLOCK_FILE: clockFile,
  },
});
const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);

beforeAll(async () => {
  await provider.control('POST', '/test/balance/top_up', { amount: 1_000_000, currency: 'usd' });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

const until = (what: string, isSo: () => Promise<boolean>): Promise<boolean> => eventually(isSo, what);

type Act = () => Promise<unknown>;

class Story {
  readonly #dice: Dice;
  readonly #payees: Payee[] = [];
  readonly #banks = new Map<Payee, { id: string; number: string }[]>();
  readonly #wallets = new Map<Payee, string>();
  readonly #schedules: { path: string; by: Person }[] = [];
  readonly #paid: string[] = [];
  readonly #disputes: string[] = [];
  /** Keys that their askers were told are done. */
  readonly acknowledged = new Set<string>();

  constructor(seed: number) {
    this.#dice = new Dice(seed);
  }

  /** Four people with something to spend; some with a card, some with a bank. */
  async open(): Promise<void> {
    const names = ['Juno', 'Milo', 'Ada', 'Rex'];
    this.#payees.push(...(await Promise.all(names.map((name) => Payee.signUp(stack().url, provider, name)))));
    const cards = this.#payees.map(() => this.#dice.maybe([VISA, VISA, ASKS_THE_PAYER]));
    const banked = this.#dice.shuffled(this.#payees).slice(0, 2);
    await Promise.all([
      ...this.#payees.map((payee, n) =>
        this.#tip(this.#payees[(n + 1) % names.length]!, payee, 3_000 + n, [VISA])(),
      ),
      ...this.#payees.map(({ person }, n) => (n === 3 ? undefined : person.saveCard(provider, cards[n]))),
      ...banked.map(async (payee) => {
        const banks = [];
        for (const number of BANKS) banks.push({ id: (await payee.addBank(number)).id, number });
        await payee.verify();
        this.#banks.set(payee, banks);
      }),
    ]);
  }

  /** Some at a time; before some of them, something breaks. */
  async live(accidents: readonly Act[]): Promise<void> {
    const acts = Array.from({ length: ACTS }, () => this.#act());
    const when = accidents.map((_, n) => Math.floor(((n + 1) * ACTS) / (accidents.length + 1)));
    let begun = 0;
    // One after the other, never two restarts in each other's way.
    let breaking: Promise<unknown> = Promise.resolve();
    const work = async (): Promise<void> => {
      for (let act = acts.shift(); act; act = acts.shift()) {
        const accident = accidents[when.indexOf((begun += 1))];
        if (accident) breaking = breaking.then(accident);
        await act();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await breaking;
  }

  /** Nothing new; what is under way comes to its end. */
  async comeToRest(): Promise<void> {
    for (const { path, by } of this.#schedules) await this.#send(by, 'PATCH', path, { status: 'cancelled' });
    for (const id of this.#disputes)
      await provider.control('POST', `/test/disputes/${id}/close`, {
        outcome: this.#dice.one(['won', 'lost']),
      });
    await until('the schedules to rest', async () => {
      pass(6 * HOUR);
      return (await this.#count('schedules where stage is not null or wake_at is not null')) === 0;
    });
    await until('the payouts to end', async () => {
      const returning = [...this.#banks.values()].flat().filter(({ number }) => number === RETURNING_BANK);
      const ids = returning.map(({ id }) => `'${id}'`).join();
      const comesBack = ids === '' ? '' : ` or (step <> 'failed' and bank_account_id in (${ids}))`;
      return (await this.#count(`payouts where step not in ('completed', 'failed')${comesBack}`)) === 0;
    });
    await provider.delivered();
    await until(
      'stray money to go back',
      async () => (await this.#count('unapplied where refunded_minor + disputed_minor < amount_minor')) === 0,
    );
    await evidence.shown();
  }

  /** Plans one thing that somebody does; all that is chosen is chosen here. */
  #act(): Act {
    const dice = this.#dice;
    const who = dice.one(this.#payees);
    const other = dice.one(this.#payees.filter((payee) => payee !== who));
    const minor = dice.between(100, 900);
    const amount = (minor / 100).toFixed(2);
    const key = this.#uuid();
    const act = dice.weighted({
      tip: 8,
      subscribe: 5,
      schedule: 5,
      change: 2,
      payout: 5,
      wallet: 5,
      refund: 2,
      dispute: 1,
      time: 3,
    });
    switch (act) {
      case 'tip':
        return this.#tip(
          who,
          other,
          minor,
          dice.one([[VISA], [VISA], [DECLINED, VISA], [DECLINED], []]),
          key,
        );
      case 'subscribe':
      case 'schedule': {
        const path = act === 'subscribe' ? '/api/subscriptions' : '/api/scheduled-payments';
        const when = dice.between(1, 60) * HOUR;
        const frequency = dice.one(['daily', 'weekly', 'monthly']);
        return async () => {
          const more = act === 'subscribe' ? { frequency } : { scheduledDate: fromNow(when).toISOString() };
          const body = { toUserId: other.person.id, amount, description: null, ...more };
          const answer = await this.#send(who.person, 'POST', path, body, key);
          if (answer.status === 200)
            this.#schedules.push({
              path: `${path}/${(json(answer) as { id: string }).id}/status`,
              by: who.person,
            });
        };
      }
      case 'change': {
        const [n, status] = [dice.next(), dice.one(['paused', 'active', 'cancelled'])];
        return async () => {
          const found = this.#schedules[Math.floor(n * this.#schedules.length)];
          if (found?.path.includes('subscriptions'))
            await this.#send(found.by, 'PATCH', found.path, { status });
        };
      }
      case 'payout': {
        const payee = dice.one([...this.#banks.keys()]);
        const bankAccountId = dice.one(this.#banks.get(payee)!).id;
        return () => this.#send(payee.person, 'POST', '/api/payouts', { amount, bankAccountId }, key, true);
      }
      case 'wallet': {
        const path = dice.one(['/api/treasury/transfer', '/api/treasury/transfer', '/api/treasury/withdraw']);
        return async () => {
          const walletId = this.#wallets.get(who);
          if (walletId !== undefined)
            return this.#send(who.person, 'POST', path, { walletId, amount }, key, true);
          const made = await this.#send(
            who.person,
            'POST',
            '/api/treasury/wallets',
            { displayName: 'Tour' },
            key,
            true,
          );
          this.#wallets.set(who, (json(made) as { id: string }).id);
          return made;
        };
      }
      case 'refund':
      case 'dispute': {
        const n = dice.next();
        return async () => {
          const intent = this.#paid[Math.floor(n * this.#paid.length)];
          if (intent === undefined) return;
          if (act === 'refund')
            return this.#atOffice(provider.stripe.refunds.create({ payment_intent: intent, amount: 50 }));
          const { data } = await provider.stripe.charges.list({ payment_intent: intent });
          const charge = data.find(({ status }) => status === 'succeeded');
          if (charge && !charge.disputed && !charge.refunded)
            this.#disputes.push(
              String((await provider.control('POST', `/test/charges/${charge.id}/dispute`, {})).id),
            );
        };
      }
      case 'time': {
        const hours = dice.between(1, 30);
        return () => Promise.resolve(pass(hours * HOUR));
      }
    }
  }

  /** Opened, and paid with these cards one after the other. */
  #tip(who: Payee, to: Payee, minor: number, cards: readonly string[], key = this.#uuid()): Act {
    const body = { toUserId: to.person.id, amount: (minor / 100).toFixed(2), description: null };
    return async () => {
      const answer = await this.#send(who.person, 'POST', '/api/create-payment-intent', body, key, true);
      const { clientSecret } = PaymentIntentAnswer.parse(json(answer));
      for (const number of cards) await this.#atOffice(provider.card(clientSecret, number));
      if (cards.includes(VISA)) this.#paid.push(intentOf(clientSecret));
    };
  }

  /** What the provider declines is part of the story; that it cannot be reached is not. */
  async #atOffice(work: Promise<unknown>): Promise<void> {
    await work.catch((error: Stripe.errors.StripeError) => {
      if (error.type !== 'StripeCardError' && error.type !== 'StripeInvalidRequestError') throw error;
    });
  }

  /** As a browser does: the same again until there is an answer. */
  async #send(
    who: Person,
    method: string,
    path: string,
    body: object,
    key?: string,
    isMoney = false,
  ): Promise<Answer> {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    let answer: Answer | undefined;
    await until(`${method} ${path} to be answered`, async () => {
      answer = await who.call(method, path, body, headers).catch(() => undefined);
      return answer !== undefined && answer.status < 500;
    });
    if (!answer || ![200, 409, 422].includes(answer.status))
      throw new Error(`${path}: ${answer?.status} ${answer?.text}`);
    if (isMoney && key !== undefined && answer.status === 200) this.acknowledged.add(userKey(who.id, key));
    return answer;
  }

  async #count(what: string): Promise<number> {
    const { rows } = await evidence.db.query<{ n: number }>(`select count(*)::int as n from ${what}`);
    return rows[0]!.n;
  }

  /** A UUIDv7 of now and of this story's chance. */
  #uuid(): string {
    const hex = (digits: number): string =>
      Array.from({ length: digits }, () => this.#dice.below(16).toString(16)).join('');
    const time = Date.now().toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
  }
}

const powerCut =
  (part: 'ledger-1' | 'ledger-2' | 'projections' | 'workers'): Act =>
  async () => {
    await stack().part(part).kill9();
    await stack().part(part).start();
  };
const flush: Act = async () => {
  const redis = new Redis(stack().env.REDIS_URL!);
  await redis.flushall();
  redis.disconnect();
};
/** The provider does its work and is not heard; what it says by webhook comes twice, in any order. */
const lossy: Act = () =>
  provider.control('POST', '/test/switches', {
    faults: [
      { route: 'POST /v1/payment_intents', when: 'after', what: 'close', times: 3 },
      { route: 'POST /v1/payment_intents', when: 'before', what: 'error', times: 1 },
      { route: 'POST /v1/transfers', when: 'after', what: 'error', times: 2 },
      { route: 'POST /v1/payouts', when: 'after', what: 'close', times: 2 },
    ],
    webhooks: { duplicates: 1, shuffle: true },
    payouts: { settleMs: 200, returnMs: 500 },
  });

describe('a story on the real stack', () => {
  it.each(SEEDS)(
    'from seed %i leaves the books right, whatever is killed in it',
    async (seed) => {
      const dice = new Dice(1_000 + seed);
      await provider.control('POST', '/test/switches', { payouts: { settleMs: 200, returnMs: 500 } });
      const story = new Story(seed);
      await story.open();
      const cuts = [
        powerCut(dice.one(['ledger-1', 'ledger-2'])),
        powerCut('projections'),
        powerCut('workers'),
      ];
      await story.live(dice.shuffled([lossy, flush, ...cuts]));
      await story.comeToRest();

      // All that the log holds so far, the stories before this one included.
      const events = await evidence.events();
      expect(judgeLog(events, story.acknowledged)).toEqual([]);
      expect(story.acknowledged.size).toBeGreaterThan(8);
      const booked = events.flatMap((event) =>
        event.type === 'PaymentSettled' || event.type === 'UnappliedReceived' ? [event.data.chargeId] : [],
      );
      const taken: string[] = [];
      for await (const { id, status } of provider.stripe.charges.list({ limit: 100 }))
        if (status === 'succeeded') taken.push(id);
      expect(booked.sort()).toEqual(taken.sort());
      const now = fromNow(0).toISOString();
      const report = await evidence.run(
        'processes/audit.js',
        'schedules-report',
        '--day',
        'all',
        '--now',
        now,
      );
      expect([report.status, report.err]).toEqual([0, '']);
    },
    180_000,
  );

  // Every chain, the trial balance, the balances of people, and every live row against a replay of the log.
  it('leaves read models that a rebuild would write again', async () => {
    await evidence.holds();
    const types = new Set((await evidence.events()).map(({ type }) => type));
    expect([...types]).toEqual(
      expect.arrayContaining(['OccurrenceCollected', 'PayoutFailed', 'WalletFunded']),
    );
  });
});
