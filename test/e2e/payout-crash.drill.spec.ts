/**
 * A payout's ledger is killed between the provider's work and its own entry, at each step; the provider
 * breaks after its work is done; workers die in between. Whatever happens, money is sent once or is back, and
 * a bank account is added once. `make prove` does each accident at each step.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import type { Payout } from '#contracts/api/payouts';
import { eventually } from '#test/conformance/stripe-process';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { FAILING_BANKS, GOOD_BANK, Payee } from '#test/support/payee';
import { Person } from '#test/support/person';
import { useStack } from '#test/support/stack';

const stack = useStack(['all'], {
  env: { CARE_EVERY_SECONDS: '0.5', PAYOUT_RETRY_SECONDS: '0.2' },
});
const BANK_ANSWERS = { settleMs: 200, returnMs: 500 };

const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let fan: Person;

beforeAll(async () => {
  fan = await Person.signUp(stack().url, 'Fan');
  await provider.control('POST', '/test/balance/top_up', { amount: 1_000_000, currency: 'usd' });
  await switches([]);
});

type Fault = { route: string; when: 'before' | 'after'; what: 'error' | 'hang' | 'close'; times?: number };
const switches = (faults: Fault[]) =>
  provider.control('POST', '/test/switches', { faults, payouts: BANK_ANSWERS });

async function powerCut(part: 'ledger-1' | 'workers'): Promise<void> {
  await stack().part(part).kill9();
  await stack().part(part).start();
}

/** One end, one of everything at the provider, and the sum in one place. */
async function cameOutRight(payee: Payee, { id }: Payout, ended: 'completed' | 'failed'): Promise<void> {
  await payee.until(id, { status: ended });
  await evidence.shown();
  const types = (await evidence.journal())
    .filter(({ data }) => 'payoutId' in data && data.payoutId === id)
    .map(({ type }) => type);
  expect(types).toEqual([...new Set(types)]);
  const { transfers, payouts } = await payee.atProvider(id);
  expect([transfers.length, payouts.length]).toEqual([1, 1]);
  const [transfer] = transfers;
  expect(transfer!.amount_reversed).toBe(ended === 'completed' ? 0 : transfer!.amount);
  expect(payouts[0]!.status).toBe(ended === 'completed' ? 'paid' : 'failed');
  expect(await payee.earnings()).toBe(ended === 'completed' ? '30.00' : '40.00');
}

/** A payee with 40 dollars, and a bank account that takes payouts or refuses them. */
async function payeeAt(number: string): Promise<{ payee: Payee; bank: string }> {
  const { payee, bank } = await Payee.verified(stack().url, provider, fan, '40.00');
  return { payee, bank: number === GOOD_BANK ? bank : (await payee.addBank(number)).id };
}

/** The fault is used up once the request has come. */
const requestHangs = (): Promise<unknown> =>
  eventually(async () => {
    const { faults } = (await provider.control('GET', '/test/switches')) as { faults: Fault[] };
    return faults.length === 0;
  }, 'the request to hang');

const STEPS = [
  ['the transfer', 'POST /v1/transfers', GOOD_BANK, 'completed'],
  ['the payout', 'POST /v1/payouts', GOOD_BANK, 'completed'],
  ['the reversal', 'POST /v1/transfers/:id/reversals', FAILING_BANKS.account_closed, 'failed'],
] as const;

describe.each(STEPS)('at %s', (_step, route, number, ended) => {
  /** The provider has done this step, whatever it answered. */
  const isDone = async (payee: Payee, id: string): Promise<boolean> => {
    const { transfers, payouts } = await payee.atProvider(id);
    if (route === 'POST /v1/transfers') return transfers.length > 0;
    return route === 'POST /v1/payouts' ? payouts.length > 0 : (transfers[0]?.amount_reversed ?? 0) > 0;
  };

  it('a ledger killed after the provider’s work and before its own entry doubles nothing', async () => {
    const { payee, bank } = await payeeAt(number);
    await switches([{ route, when: 'after', what: 'hang' }]);
    const payout = await payee.requestPayout(bank, '10.00');
    await eventually(() => isDone(payee, payout.id), 'the provider’s work');
    // A reversal is seen by whoever looks next, who may have finished it by now; the steps forward wait for
    // this ledger.
    if (ended === 'completed') expect((await payee.payout(payout.id)).status).not.toBe(ended);
    await powerCut('ledger-1');
    await switches([]);
    await cameOutRight(payee, payout, ended);
  });

  it('a ledger killed while the provider has done nothing yet begins again', async () => {
    const { payee, bank } = await payeeAt(number);
    await switches([{ route, when: 'before', what: 'hang' }]);
    const payout = await payee.requestPayout(bank, '10.00');
    await requestHangs();
    // Again a reversal may have been done by whoever looked next.
    if (ended === 'completed') expect(await isDone(payee, payout.id)).toBe(false);
    await powerCut('ledger-1');
    await powerCut('workers');
    await cameOutRight(payee, payout, ended);
  });

  for (const what of ['error', 'close'] as const)
    it(`a provider that does its work and answers with ${what} does it once`, async () => {
      const { payee, bank } = await payeeAt(number);
      await switches([{ route, when: 'after', what, times: 3 }]);
      const payout = await payee.requestPayout(bank, '10.00');
      await cameOutRight(payee, payout, ended);
      await switches([]);
    });
});

describe('adding a bank account', () => {
  it.each(['POST /v1/accounts', 'POST /v1/accounts/:id/external_accounts'])(
    'whose ledger is killed after %s adds it once, when it is asked for again',
    async (route) => {
      const payee = await Payee.signUp(stack().url, provider);
      const key = uuidv7();
      await switches([{ route, when: 'after', what: 'hang' }]);
      const first = payee.tryBank(payee.bankBody(), key).catch(() => undefined);
      await requestHangs();
      await powerCut('ledger-1');
      await first;
      await switches([]);
      const added = await payee.addBank(undefined, key);
      expect(await payee.banks()).toMatchObject([{ id: added.id, isPrimary: true }]);
      expect((await payee.account()).external_accounts!.data).toHaveLength(1);
    },
  );
});

describe('many payouts at once', () => {
  it('survive ledger and workers killed again and again', async () => {
    const { payee: good, bank } = await Payee.verified(stack().url, provider, fan, '100.00');
    const { id: bad } = await good.addBank(FAILING_BANKS.no_account);
    const asked = await Promise.all(
      Array.from({ length: 12 }, (_, n) => good.requestPayout(n % 3 === 2 ? bad : bank, (100 + n) / 100)),
    );
    /** How many have ended so far; on a slow machine all of them have before the last cut. */
    const ended = async (): Promise<number> =>
      (await Promise.all(asked.map(({ id }) => good.payout(id)))).filter(
        ({ status }) => status === 'completed' || status === 'failed',
      ).length;
    for (let cut = 0; cut < 3; cut++) {
      const before = (await evidence.journal()).length;
      await powerCut(cut === 1 ? 'workers' : 'ledger-1');
      await eventually(
        async () => (await evidence.journal()).length > before || (await ended()) === asked.length,
        'something to happen after the cut',
      );
    }
    let sent = 0;
    for (const [n, { id }] of asked.entries()) {
      const isBad = n % 3 === 2;
      await good.until(id, { status: isBad ? 'failed' : 'completed' });
      const { transfers, payouts } = await good.atProvider(id);
      // Once one has failed the provider sends no other to that bank: those come back without having been
      // sent.
      expect(transfers).toHaveLength(1);
      expect(payouts.map(({ status }) => status)).toEqual(
        isBad ? payouts.map(() => 'failed').slice(0, 1) : ['paid'],
      );
      expect(transfers[0]!.amount_reversed).toBe(isBad ? transfers[0]!.amount : 0);
      if (!isBad) sent += 100 + n;
    }
    expect(await good.earnings()).toBe(((10_000 - sent) / 100).toFixed(2));
  }, 180_000);
});

describe('after all of it', () => {
  it('the books are in order', () => evidence.holds());
});
