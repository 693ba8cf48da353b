/**
 * Crowds and testers of cards, with the limits that hold: a venue's guests behind one address all pay, and
 * whoever tries cards is stopped, whatever they change.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SetupIntentAnswer } from '#contracts/api/payment-methods';
import { PaymentIntentAnswer } from '#contracts/api/payments';
import { DEFAULT_LIMITS, LIMIT_NAMES } from '#contracts/limits';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld, intentOf, VISA } from '#test/support/payer';
import { json, Person, refusal } from '#test/support/person';
import { sampled } from '#test/support/sample';
import { useStack } from '#test/support/stack';

/** Each pays ten times. */
const GUESTS = sampled(30, 6);
const THIEVES = 36;

const stack = useStack(['all'], {
  env: { LIMITS: LIMIT_NAMES.map((name) => `${name}=${DEFAULT_LIMITS[name]}`).join(' ') },
});

const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let juno: Person;
let ada: Person;
let guests: Person[];
let thieves: Person[];

async function people(name: string, count: number): Promise<Person[]> {
  const found: Person[] = [];
  const numbers = Array.from({ length: count }, (_, n) => n).values();
  const work = async (): Promise<void> => {
    for (const n of numbers) found[n] = await Person.signUp(stack().url, `${name}${n}`);
  };
  await Promise.all([work(), work(), work(), work()]);
  return found;
}

beforeAll(async () => {
  [juno, ada] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Ada')]);
  guests = await people('Guest', GUESTS);
  thieves = await people('Thief', THIEVES);
}, 240_000);

/** Starts a payment from an address, at the ledger behind the proxy. */
const start = (who: Person, to: Person, address: string) =>
  who.call(
    'POST',
    `http://localhost:${stack().ports['ledger-1']}/api/create-payment-intent`,
    { toUserId: to.id, amount: '0.50' },
    { 'x-forwarded-for': address },
  );
/** The `n`th card of a list that somebody bought: each is another, and each is declined. */
const stolen = (n: number): string => {
  const digits = `4${String(100_000_000_000_00 + n * 7_919)}`;
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const doubled = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
};

describe('a venue', () => {
  it(`pays ${10 * GUESTS} times behind one address, though some cards are declined`, async () => {
    let paid = 0;
    const turns = Array.from({ length: 10 * GUESTS }, (_, n) => n).values();
    const work = async (): Promise<void> => {
      for (const n of turns) {
        const guest = guests[n % GUESTS]!;
        const answer = await start(guest, juno, '192.0.2.7');
        expect([answer.status, answer.text]).toEqual([200, answer.text]);
        const { clientSecret } = PaymentIntentAnswer.parse(json(answer));
        if (n % 20 === 7)
          await expect(provider.card(clientSecret, stolen(1_000 + n))).rejects.toThrow('declined');
        await provider.card(clientSecret, VISA);
        paid++;
      }
    };
    await Promise.all([work(), work(), work(), work()]);
    await provider.delivered();
    await evidence.shown();
    expect(paid).toBe(10 * GUESTS);
    expect(Number((await juno.me()).earnings)).toBe(5 * GUESTS);
  }, 240_000);
});

describe('a tester of cards', () => {
  it('has one payment canceled at the provider by the fifth decline', async () => {
    const tester = thieves.pop()!;
    const { clientSecret, paymentId } = PaymentIntentAnswer.parse(
      json(await start(tester, juno, '203.0.113.1')),
    );
    for (let n = 0; n < 5; n++) {
      await expect(provider.card(clientSecret, stolen(n))).rejects.toThrow('declined');
      await provider.delivered();
    }
    const intent = await provider.stripe.paymentIntents.retrieve(intentOf(clientSecret));
    expect(intent.status).toBe('canceled');
    await expect(provider.card(clientSecret, VISA)).rejects.toThrow();
    expect(refusal(await tester.get(`/api/payments/${paymentId}/client-secret`))).toEqual([
      409,
      'This payment was canceled. Start a new one.',
    ]);
  });

  it('with another card, account and address for each try is stopped at the 30th decline against one performer', async () => {
    let declined = 0;
    let challenged = 0;
    let stoppedAt: number | undefined;
    for (let n = 0; n < THIEVES && stoppedAt === undefined; n++) {
      const answer = await start(thieves[n]!, ada, `198.51.100.${n}`);
      if (answer.status === 429) {
        stoppedAt = n;
        expect(refusal(answer)[1]).toMatch(
          /^Too many cards were declined for this person just now\. Please wait \d+ (minutes|seconds) and try again\.$/,
        );
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        continue;
      }
      const { clientSecret } = PaymentIntentAnswer.parse(json(answer));
      const intent = await provider.stripe.paymentIntents.retrieve(intentOf(clientSecret));
      if (intent.payment_method_options?.card?.request_three_d_secure === 'any') challenged++;
      await expect(provider.card(clientSecret, stolen(100 + n))).rejects.toThrow('declined');
      declined++;
      await provider.delivered();
    }
    expect([stoppedAt, declined, challenged]).toEqual([30, 30, 15]);
    // Guests who have paid today still can: their banks are asked to confirm it.
    const { clientSecret } = PaymentIntentAnswer.parse(json(await start(guests[0]!, ada, '192.0.2.7')));
    await provider.card(clientSecret, VISA);
    await provider.delivered();
  }, 120_000);
});

describe('a tester who saves cards instead of paying by them', () => {
  it('is stopped at the tenth decline, and their setup is canceled at the provider', async () => {
    const tester = thieves.pop()!;
    const { clientSecret } = SetupIntentAnswer.parse(json(await tester.post('/api/setup-intent', {})));
    for (let n = 0; n < 10; n++) {
      await expect(provider.saveCard(clientSecret, stolen(2_000 + n))).rejects.toThrow('declined');
      await provider.delivered();
    }
    const setup = await provider.stripe.setupIntents.retrieve(intentOf(clientSecret));
    expect(setup.status).toBe('canceled');
    for (const answer of [
      await tester.post('/api/setup-intent', {}),
      await start(tester, juno, '203.0.113.9'),
    ])
      expect(refusal(answer)).toEqual([
        429,
        expect.stringMatching(/^Too many cards were declined\. Please wait \d+ minutes and try again\.$/),
      ]);
  }, 60_000);
});

describe('somebody with a list of addresses', () => {
  it('learns of six a minute, and nothing of who hides', async () => {
    const [curious] = guests as [Person, ...Person[]];
    const [hidden] = thieves as [Person, ...Person[]];
    await hidden.put('/api/settings', { privacyModeEnabled: true });
    const found = await curious.get(`/api/users/${encodeURIComponent(juno.email)}`);
    expect(found.status).toBe(200);
    const [nobody, hides] = [
      await curious.get('/api/users/nobody%40valastro.example'),
      await curious.get(`/api/users/${encodeURIComponent(hidden.email)}`),
    ];
    expect([hides.status, hides.text]).toEqual([nobody.status, nobody.text]);
    const statuses = [];
    for (let n = 0; n < 20; n++)
      statuses.push((await curious.get(`/api/users/listed${n}%40valastro.example`)).status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(17);
  });
});

describe('after all of it', () => {
  it('the books are in order', () => evidence.holds());
});
