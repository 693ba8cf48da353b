/**
 * Money of cards that the provider holds for two days, as a real one does: payouts wait in the order of their
 * requests, say until when, and go when the money is there.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PayoutFunds } from '#contracts/api/payouts';
import { eventually } from '#test/conformance/stripe-process';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { Payee } from '#test/support/payee';
import { json, Person } from '#test/support/person';
import { useStack } from '#test/support/stack';

const DAY_MS = 86_400_000;
const stack = useStack(['all'], { env: { CARE_EVERY_SECONDS: '0.5' } });

const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let fan: Person;

const payouts = { settleMs: 300, returnMs: 1500 };
const hold = (chargeFundsPendingMs: number) =>
  provider.control('POST', '/test/switches', { chargeFundsPendingMs, payouts });

beforeAll(async () => {
  fan = await Person.signUp(stack().url, 'Fan');
});
afterAll(() => provider.control('DELETE', '/test/switches'));

const verified = (tips: string) => Payee.verified(stack().url, provider, fan, tips);
const fundsOf = async ({ person }: Payee): Promise<PayoutFunds> =>
  PayoutFunds.parse(json(await person.get('/api/payouts/funds')));

describe('payouts of money that the provider holds for days', () => {
  it('wait in their order, say until when, and go when it is there', async () => {
    await hold(2 * DAY_MS);
    const before = Date.now();
    const juno = await verified('50.00');
    await hold(0);
    const milo = await verified('10.00');
    const booked = async () =>
      (await evidence.journal()).flatMap(({ type, data }) =>
        type === 'ProviderFeeBooked' && 'availableOn' in data ? [data] : [],
      );
    await eventually(async () => (await booked()).length === 2, 'both fees to be booked');
    const [pending] = await booked();
    expect(pending).toMatchObject({ amountMinor: 175, netMinor: 4825 });
    const availableOn = pending!.availableOn!;
    expect(Date.parse(availableOn)).toBeGreaterThan(before + 2 * DAY_MS - 60_000);

    const large = await juno.payee.requestPayout(juno.bank, '30.00');
    const small = await milo.payee.requestPayout(milo.bank, '5.00');
    const when = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
    for (const [{ payee }, { id }] of [
      [juno, large],
      [milo, small],
    ] as const) {
      const waiting = await eventually(async () => {
        const payout = await payee.payout(id);
        return payout.statusReason !== null && payout;
      }, 'the payout to say what it waits for');
      expect(waiting).toMatchObject({
        status: 'pending',
        expectedOn: availableOn,
        statusReason: `The money for this payout is not available at the payment provider yet. It is expected on ${when.format(new Date(availableOn))} UTC, and the payout goes by itself then.`,
      });
    }
    // $9.41 are there, and would cover the small one: it waits behind the large one.
    expect(await fundsOf(juno.payee)).toEqual({
      now: '0.00',
      later: [{ on: availableOn, amount: '20.00' }],
      undated: '0.00',
    });
    expect((await juno.payee.atProvider(large.id)).transfers).toEqual([]);
    expect((await milo.payee.atProvider(small.id)).transfers).toEqual([]);

    await provider.control('POST', '/test/balance/release', {});
    await juno.payee.until(large.id, { status: 'completed', statusReason: null, expectedOn: null });
    await milo.payee.until(small.id, { status: 'completed', statusReason: null, expectedOn: null });
  });

  it('have no date where nothing that is known to come covers them', async () => {
    await hold(2 * DAY_MS);
    // The fee of it is more than all that is left of the others.
    const ada = await verified('9000.00');
    await eventually(
      async () => Number((await fundsOf(ada.payee)).undated) > 100,
      'the balance to say that nothing covers the whole of it',
    );
    const all = await ada.payee.requestPayout(ada.bank, '9000.00');
    const waiting = await eventually(async () => {
      const payout = await ada.payee.payout(all.id);
      return payout.statusReason !== null && payout;
    }, 'the payout to say what it waits for');
    expect(waiting).toMatchObject({
      status: 'pending',
      expectedOn: null,
      statusReason:
        'The money for this payout is not available at the payment provider yet. It is tried again by itself.',
    });
    await provider.control('POST', '/test/balance/release', {});
    await provider.control('POST', '/test/balance/top_up', { amount: 100_000, currency: 'usd' });
    await ada.payee.until(all.id, { status: 'completed' });
  });
});
