/**
 * Money of somebody who is forgotten, and debts: what comes back is unclaimed and paid by an operator, what
 * is owed is written off, and no open payment of a stranger's keeps anybody from leaving.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { available, payouts, platform } from '#contracts/plain/accounts';
import { eventually } from '#test/conformance/stripe-process';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { Payee, RETURNING_BANK } from '#test/support/payee';
import { Person } from '#test/support/person';
import { useStack } from '#test/support/stack';

const stack = useStack(['all'], {
  env: { CARE_EVERY_SECONDS: '0.5', PAYOUT_RETRY_SECONDS: '0.2' },
});

const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let fan: Person;

beforeAll(async () => {
  fan = await Person.signUp(stack().url, 'Fan');
  await provider.control('POST', '/test/balance/top_up', { amount: 100_000, currency: 'usd' });
  await provider.control('POST', '/test/switches', { payouts: { settleMs: 300, returnMs: 3_600_000 } });
});

/** `encore operate …`, to its end. */
const operate = (...args: readonly string[]): Promise<{ status: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      ...stack().env,
      LEDGER_INTERNAL_URL: `http://127.0.0.1:${stack().ports['ledger-1-internal']}`,
    };
    const words = [join(process.cwd(), 'dist/processes/operate.js'), ...args];
    execFile(process.execPath, words, { env, timeout: 60_000 }, (error, out, err) =>
      resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err }),
    );
  });

async function forget(userId: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${stack().ports['ledger-1-internal']}/internal/commands`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stack().env['ENCORE_INTERNAL_TOKEN']}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ type: 'ForgetUser', userId }),
  });
  await answer.text();
  return answer.status;
}

/** What an account holds by the postings alone, in cents. */
async function balanceOf(account: string): Promise<number> {
  let sum = 0;
  for (const { data } of await evidence.journal())
    if ('postings' in data)
      for (const { debit, credit, amountMinor } of data.postings)
        sum += (credit === account ? amountMinor : 0) - (debit === account ? amountMinor : 0);
  return sum;
}

describe('somebody who is forgotten', () => {
  it('leaves with a stranger’s payment open, and a payout that comes back later is paid by an operator', async () => {
    const { payee } = await Payee.verified(stack().url, provider, fan, '20.00');
    const { id: bank } = await payee.addBank(RETURNING_BANK);
    const userId = payee.person.id;
    const open = await fan.pay(userId, '7.00');
    const { id } = await payee.requestPayout(bank, '20.00');
    expect(await forget(userId)).toBe(409);
    await payee.until(id, { status: 'completed' });
    expect(await forget(userId)).toBe(200);
    const canceled = await provider.stripe.paymentIntents.list({ limit: 1 });
    expect(canceled.data[0]).toMatchObject({ metadata: { paymentId: open.paymentId }, status: 'canceled' });

    const [sent] = (await payee.atProvider(id)).payouts;
    await provider.control('POST', `/test/payouts/${sent!.id}/settle`, { outcome: 'failed' });
    const failed = async () =>
      (await evidence.journal()).some(
        ({ type, data }) => type === 'PayoutFailed' && 'payoutId' in data && data.payoutId === id,
      );
    await eventually(failed, 'the payout to come back');
    expect([await balanceOf(available(userId)), await balanceOf(payouts(userId))]).toEqual([0, 0]);
    expect(await balanceOf(platform('unclaimed'))).toBe(2000);

    await evidence.shown();
    const list = await operate('unclaimed', '--list');
    expect(list).toMatchObject({ status: 0, err: '' });
    expect(list.out).toContain(`${id}  ${userId}  `);
    expect(list.out).toContain('$20.00  PayoutReturned');
    for (const _ of [1, 2])
      expect(
        await operate('pay-unclaimed', id, '--amount', '20.00', '--reference', 'wire of 3 March, no. 17'),
      ).toEqual({
        status: 0,
        out: `${id} is booked as paid out of the platform’s own funds (wire of 3 March, no. 17).\n`,
        err: '',
      });
    const another = await operate(
      'pay-unclaimed',
      id,
      '--amount',
      '20.00',
      '--reference',
      'wire of 4 March, no. 9',
    );
    expect(another).toMatchObject({ status: 2, err: expect.stringContaining('wire of 3 March, no. 17') });
    await evidence.shown();
    expect((await operate('unclaimed', '--list')).out).toBe('Nothing is unclaimed.\n');
    expect((await evidence.journal()).filter(({ type }) => type === 'UnclaimedPaid')).toHaveLength(1);
    const unknown = await operate('pay-unclaimed', 'out_unknown', '--amount', '1.00', '--reference', 'x');
    expect(unknown).toMatchObject({ status: 2, err: expect.stringContaining('no such unclaimed money') });
  });

  it('leaves what a refund takes later to be taken from what waits, and an operator pays what is left', async () => {
    const { payee } = await Payee.verified(stack().url, provider, fan, '50.00');
    const [intent] = (await provider.stripe.paymentIntents.list({ limit: 1 })).data;
    const { id: bank } = await payee.addBank(RETURNING_BANK);
    const userId = payee.person.id;
    const { id } = await payee.requestPayout(bank, '50.00');
    await payee.until(id, { status: 'completed' });
    expect(await forget(userId)).toBe(200);
    const [sent] = (await payee.atProvider(id)).payouts;
    await provider.control('POST', `/test/payouts/${sent!.id}/settle`, { outcome: 'failed' });
    const before = await balanceOf(platform('losses'));
    await eventually(
      async () => (await balanceOf(platform('unclaimed'))) === 5000,
      'the payout to come back',
    );
    await evidence.shown();
    expect((await operate('unclaimed', '--list')).out).toContain('$50.00  PayoutReturned');

    const pay = (amount: string) =>
      operate('pay-unclaimed', id, '--amount', amount, '--reference', 'wire of 5 March, no. 2');
    await provider.stripe.refunds.create({ payment_intent: intent!.id, amount: 4000 });
    await eventually(
      async () => (await balanceOf(platform('unclaimed'))) === 1000,
      'the refund to be booked',
    );
    expect(await balanceOf(platform('losses'))).toBe(before);
    const older = await pay('50.00');
    expect(older).toMatchObject({
      status: 2,
      err: expect.stringContaining('Only $10.00 is left of this money, not $50.00'),
    });
    await evidence.shown();
    expect((await operate('unclaimed', '--list')).out).toContain('$10.00  PayoutReturned');
    for (const _ of [1, 2]) expect(await pay('10.00')).toMatchObject({ status: 0, err: '' });
    expect((await pay('50.00')).err).toContain('$10.00 of it, and not $50.00');
    await evidence.shown();
    expect((await operate('unclaimed', '--list')).out).toBe('Nothing is unclaimed.\n');
    expect(await balanceOf(platform('unclaimed'))).toBe(0);
  });
});

describe('a debt', () => {
  it('is written off by an operator, once', async () => {
    const { payee, bank } = await Payee.verified(stack().url, provider, fan, '30.00');
    const { id: userId } = payee.person;
    const { id } = await payee.requestPayout(bank, '30.00');
    await payee.until(id, { status: 'completed' });
    const [intent] = (await provider.stripe.paymentIntents.list({ limit: 1 })).data;
    await provider.stripe.refunds.create({ payment_intent: intent!.id });
    await eventually(async () => (await payee.earnings()) === '-30.00', 'the refund to leave a debt');
    expect(await operate('write-off', userId, '--because', 'insolvent')).toEqual({
      status: 0,
      out: `${userId} owes nothing any more. What was owed is the platform’s loss.\n`,
      err: '',
    });
    for (const [whom, sentence] of [
      [userId, 'This user owes nothing: nothing was written off.'],
      ['usr_unknown', 'User not found'],
    ] as const)
      expect(await operate('write-off', whom, '--because', 'insolvent')).toMatchObject({
        status: 2,
        out: '',
        err: expect.stringContaining(sentence),
      });
    await eventually(async () => (await payee.earnings()) === '0.00', 'the debt to be gone');
    expect((await evidence.journal()).filter(({ type }) => type === 'DebtWrittenOff')).toHaveLength(1);
    expect(await balanceOf(platform('losses'))).toBe(-3000);
    expect((await operate('write-off', userId)).err).toContain('write-off needs --because');
  });
});

it('leaves the books in order', () => evidence.holds());
