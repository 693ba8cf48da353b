/**
 * Many people who tip each other at once, each as a browser does it: a key is kept before it is sent, and
 * what was not answered is sent again with the same key. Whatever happens to the stack meanwhile,
 * `cameOutRight` must hold afterwards.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { PaymentIntentAnswer } from '#contracts/api/payments';
import type { Evidence } from './evidence.js';
import { intentOf, type CardProviderWorld } from './payer.js';
import { json, Person } from './person.js';

const AGAIN_AFTER_MS = 50;
const PATIENCE_MS = 60_000;
/** How many keys are sent again at once when all is over. */
const ASKED_AT_ONCE = 8;

interface Tip {
  readonly payer: Person;
  readonly recipient: Person;
  readonly minor: number;
  readonly key: string;
  /** Every payment that an answer named: must be one. */
  readonly named: Set<string>;
  /** Every secret that an answer held: must be one. */
  readonly secrets: Set<string>;
}

/** Does it again until it gives something. */
async function persist<T>(work: () => Promise<T | undefined>, what: string): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const done = await work();
    if (done !== undefined) return done;
    if (Date.now() > end) throw new Error(`Waited ${PATIENCE_MS} ms in vain for ${what}.`);
    await pause(AGAIN_AFTER_MS);
  }
}

/** Does it for each, `atOnce` at a time, in order. */
async function each<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Sends the provider's webhooks until all of them were taken. */
export async function webhooksTaken(provider: CardProviderWorld): Promise<void> {
  await persist(async () => {
    await provider.control('POST', '/test/webhooks/send_now');
    return (await provider.control('GET', '/test/webhooks')).owed === 0 || undefined;
  }, 'the webhooks to be delivered');
}

/**
 * A connection that ended without an answer: `fetch` throws, as it does in a browser. (An error of another
 * realm than the suite's.)
 */
function unlessCutOff(failure: unknown): undefined {
  if (String(failure) !== 'TypeError: fetch failed') throw failure;
}

export class Crowd {
  readonly tips: Tip[] = [];
  /** Requests that had to be sent again. */
  repeats = 0;
  /** When each tip was opened, by the monotonic clock in milliseconds, and its payment. */
  readonly opened: { readonly at: number; readonly paymentId: string }[] = [];

  private constructor(
    readonly people: readonly Person[],
    private readonly provider: CardProviderWorld,
  ) {}

  static async gather(url: string, provider: CardProviderWorld, size = 4): Promise<Crowd> {
    const names = Array.from({ length: size }, (_, n) => `Crowd${n}`);
    return new Crowd(await Promise.all(names.map((name) => Person.signUp(url, name))), provider);
  }

  /** Opens and pays `total` tips, `atOnce` at a time; `paid` is told after each how many are paid. */
  async tip(total: number, atOnce: number, paid: (count: number) => void = () => undefined): Promise<void> {
    const { people } = this;
    const waiting = Array.from({ length: total }, (_, n): Tip => {
      const [payer, recipient] = [
        people[n % people.length]!,
        people[(n * 3 + 1 + (n % people.length)) % people.length]!,
      ];
      const to = recipient === payer ? people[(n + 1) % people.length]! : recipient;
      return { payer, recipient: to, minor: 100 + n, key: uuidv7(), named: new Set(), secrets: new Set() };
    });
    this.tips.push(...waiting);
    let count = 0;
    await each(waiting, atOnce, async (tip) => {
      await this.provider.card(await this.open(tip));
      count += 1;
      paid(count);
    });
  }

  /** Opens a tip, as often as it takes; returns the secret. */
  async open(tip: Tip): Promise<string> {
    const { payer, recipient, minor, key } = tip;
    const body = { toUserId: recipient.id, amount: (minor / 100).toFixed(2), description: `Tip of ${minor}` };
    return persist(async () => {
      const answer = await payer
        .post('/api/create-payment-intent', body, { 'idempotency-key': key })
        .catch(unlessCutOff);
      if (answer === undefined || answer.status >= 500) {
        this.repeats += 1;
        return undefined;
      }
      if (answer.status !== 200) throw new Error(`Answered ${answer.status}: ${answer.text}`);
      const { paymentId, clientSecret } = PaymentIntentAnswer.parse(json(answer));
      if (tip.named.size === 0) this.opened.push({ at: performance.now(), paymentId });
      tip.named.add(paymentId);
      tip.secrets.add(clientSecret);
      return clientSecret;
    }, `the tip of ${minor} to be opened`);
  }

  /** Waits until the provider's last word is booked: every webhook taken, and everything shown. */
  async settled(evidence: Evidence): Promise<void> {
    await webhooksTaken(this.provider);
    await evidence.shown();
  }

  /**
   * Nothing lost, nothing doubled: each tip is one payment, opened, submitted and settled once; balances and
   * lists are the sums of the tips; every key still answers with its payment; and the audit passes.
   */
  async cameOutRight(evidence: Evidence): Promise<void> {
    await this.settled(evidence);
    const { tips, people } = this;
    await each(tips, ASKED_AT_ONCE, (tip) => this.open(tip));
    expect(tips.map(({ named, secrets }) => [named.size, secrets.size])).toEqual(tips.map(() => [1, 1]));

    const journal = await evidence.journal();
    const count = (type: string): Map<string, number> => {
      const counts = new Map<string, number>();
      for (const event of journal)
        if (event.type === type && 'paymentId' in event.data && event.data.paymentId !== undefined)
          counts.set(event.data.paymentId, (counts.get(event.data.paymentId) ?? 0) + 1);
      return counts;
    };
    const once = new Map(tips.map(({ named }) => [[...named][0]!, 1]));
    expect(once.size).toBe(tips.length);
    for (const type of ['PaymentOpened', 'PaymentSubmitted', 'PaymentSettled'])
      expect([type, count(type)]).toEqual([type, once]);
    expect(journal.filter(({ type }) => type.startsWith('Unapplied'))).toEqual([]);
    const intents = journal.flatMap((event) =>
      event.type === 'PaymentSettled' ? [event.data.intentId] : [],
    );
    expect(intents.sort()).toEqual(tips.map(({ secrets }) => intentOf([...secrets][0]!)).sort());

    for (const person of people) {
      const [me, list] = await Promise.all([person.me(), person.transactions()]);
      const received = tips.filter(({ recipient }) => recipient === person);
      const sum = (received.reduce((all, { minor }) => all + minor, 0) / 100).toFixed(2);
      expect([me.earnings, me.totalEarnings]).toEqual([sum, sum]);
      const concerned = tips.filter(({ payer, recipient }) => payer === person || recipient === person);
      const said = concerned.map(({ named, payer, minor }) => {
        const type = payer === person ? 'payment_sent' : 'payment_received';
        return `${[...named][0]!} ${type} ${(minor / 100).toFixed(2)} completed Tip of ${minor}`;
      });
      const shown = list.map(
        ({ id, type, amount, status, description }) => `${id} ${type} ${amount} ${status} ${description}`,
      );
      expect(shown.sort()).toEqual(said.sort());
      expect(me.transactionCount).toBe(list.length);
    }
    await evidence.holds();
  }
}
