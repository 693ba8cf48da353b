/**
 * From a balance to a bank account: added, verified, paid out; and whatever can go wrong on the way ends with
 * the money in one place. Bank account numbers are nowhere but at the provider.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { payouts as heldFor } from '#contracts/plain/accounts';
import { eventually } from '#test/conformance/stripe-process';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import {
  acceptOnboarding,
  BANK_NAMES,
  BANK_SECRETS,
  FAILING_BANKS,
  Payee,
  RETURNING_BANK,
} from '#test/support/payee';
import { json, Person, refusal } from '#test/support/person';
import { sampled } from '#test/support/sample';
import { useStack } from '#test/support/stack';

const stack = useStack(['all'], {
  env: {
    CARE_EVERY_SECONDS: '0.5',
    PAYOUT_RETRY_SECONDS: '0.2',
    LOG_LEVEL: 'debug',
  },
});

const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let fan: Person;
const payees: Payee[] = [];

beforeAll(async () => {
  fan = await Person.signUp(stack().url, 'Fan');
  // What the provider took as fees is not there to be paid out; a platform brings some money along.
  await provider.control('POST', '/test/balance/top_up', { amount: 100_000, currency: 'usd' });
  await provider.control('POST', '/test/switches', { payouts: { settleMs: 300, returnMs: 1500 } });
});

async function newcomer(): Promise<Payee> {
  const payee = await Payee.signUp(stack().url, provider);
  payees.push(payee);
  return payee;
}
async function verified(tips: string): Promise<{ payee: Payee; bank: string }> {
  const made = await Payee.verified(stack().url, provider, fan, tips);
  payees.push(made.payee);
  return made;
}
const typesAbout = async (payoutId: string): Promise<string[]> =>
  (await evidence.journal())
    .filter(({ data }) => 'payoutId' in data && data.payoutId === payoutId)
    .map(({ type }) => type);
/** What the journal holds for a user on its way to a bank, in cents, by the postings alone. */
const held = async (payee: Payee): Promise<number> => {
  const account = heldFor(payee.person.id);
  let sum = 0;
  for (const { data } of await evidence.journal())
    if ('postings' in data)
      for (const { debit, credit, amountMinor } of data.postings)
        sum += (credit === account ? amountMinor : 0) - (debit === account ? amountMinor : 0);
  return sum;
};
/** Everything once: the entries, the transfer and the payout; reversed or not. */
async function once(payee: Payee, payoutId: string, ended: 'completed' | 'failed'): Promise<void> {
  await evidence.shown();
  const types = await typesAbout(payoutId);
  expect(types).toEqual([...new Set(types)]);
  expect(types.at(-1)).toBe(ended === 'completed' ? 'PayoutCompleted' : 'PayoutFailed');
  const { transfers, payouts } = await payee.atProvider(payoutId);
  expect(transfers.length).toBeLessThanOrEqual(1);
  expect(payouts.length).toBeLessThanOrEqual(1);
  if (ended === 'completed') {
    expect([transfers[0]?.amount_reversed, payouts[0]?.status]).toEqual([0, 'paid']);
    expect(types).toEqual(['PayoutRequested', 'PayoutTransferred', 'PayoutSubmitted', 'PayoutCompleted']);
  } else for (const transfer of transfers) expect(transfer.amount_reversed).toBe(transfer.amount);
}

describe('a bank account', () => {
  /** Has none, and is refused each. */
  let refused: Payee;
  beforeAll(async () => {
    refused = await newcomer();
  });

  it('is added, and waits with its owner’s payouts for the provider’s verification', async () => {
    const juno = await newcomer();
    await juno.earn(fan, '50.00');
    const added = await juno.addBank();
    expect(added).toMatchObject({
      bankName: BANK_NAMES[1],
      accountHolderName: BANK_NAMES[0],
      accountNumber: '••••6789',
      routingNumber: '••••0000',
      accountType: 'checking',
      isPrimary: true,
      isVerified: false,
      needsOnboarding: true,
    });
    const { onboardingUrl, ...account } = added;
    expect(await juno.banks()).toEqual([account]);
    expect((await juno.person.me()).isVerified).toBe(false);

    const asked = await juno.requestPayout(added.id, '20');
    expect(asked).toMatchObject({
      amount: '20.00',
      status: 'pending',
      statusReason: 'Finish verifying your account to receive this payout.',
      bankAccountId: added.id,
      arrivesOn: null,
      completedAt: null,
      failureReason: null,
    });
    expect(await juno.earnings()).toBe('30.00');
    expect(await held(juno)).toBe(2000);

    expect(await acceptOnboarding(onboardingUrl!)).toBe(`${stack().url}/bank-accounts`);
    await eventually(async () => (await juno.person.me()).isVerified, 'the verification to be known');
    expect(await juno.banks()).toMatchObject([{ isVerified: true, needsOnboarding: false }]);

    const done = await juno.until(asked.id, { status: 'completed' });
    expect(done).toMatchObject({ statusReason: null, failureReason: null });
    expect(done.completedAt! >= done.createdAt).toBe(true);
    await once(juno, asked.id, 'completed');
    expect([await juno.earnings(), await held(juno)]).toEqual(['30.00', 0]);
    // Nothing is left to verify.
    const fresh = await juno.person.post('/api/payouts/onboarding', {});
    expect(json(fresh)).toEqual({ onboardingUrl: null });
  });

  it('is asked for under a key once, and refused a second time and with other details', async () => {
    const juno = await newcomer();
    const key = uuidv7();
    const [first, ...others] = await Promise.all(
      Array.from({ length: 3 }, () => juno.addBank(undefined, key)),
    );
    expect(others.map(({ id }) => id)).toEqual([first!.id, first!.id]);
    expect((await juno.addBank(undefined, key)).id).toBe(first!.id);
    expect(await juno.banks()).toHaveLength(1);
    expect(refusal(await juno.tryBank(juno.bankBody(RETURNING_BANK), key))).toEqual([
      422,
      'This request was already made with other details. Start again to make a new one.',
    ]);
    expect(refusal(await juno.tryBank(juno.bankBody()))).toEqual([
      422,
      'You have already added this bank account.',
    ]);
    const account = await juno.account();
    expect(account.external_accounts?.data).toHaveLength(1);
  });

  it.each([
    [{ routingNumber: '110000001' }, 'The routing number is not a valid one. Please check its digits.'],
    [{ accountNumber: '12' }, 'The account number must have 4 to 17 digits.'],
    [{ accountHolderName: '' }, 'Please fill in all required fields'],
  ])('with %j is refused, and nothing is written', async (over, words) => {
    const before = await evidence.text();
    expect(refusal(await refused.tryBank({ ...refused.bankBody(), ...over }))).toEqual([400, words]);
    expect(await evidence.text()).toBe(before);
  });

  it('is primary alone: the first, the chosen one, and the next when that is removed; the provider’s default follows', async () => {
    const juno = await newcomer();
    const [a, b] = [await juno.addBank(), await juno.addBank(RETURNING_BANK)];
    const primaries = async () => (await juno.banks()).map(({ id, isPrimary }) => [id, isPrimary]);
    const atProvider = async () =>
      (await juno.account()).external_accounts!.data.map((bank) => [
        bank.metadata?.['bankAccountId'],
        bank.default_for_currency,
      ]);
    expect(await primaries()).toEqual([[a.id, true], [b.id, false]]); // prettier-ignore
    // An empty body is none, whatever its kind is said to be.
    for (const body of ['', {}, undefined])
      expect((await juno.person.call('PUT', `/api/bank-accounts/${b.id}/primary`, body)).status).toBe(204);
    expect(await primaries()).toEqual([[b.id, true], [a.id, false]]); // prettier-ignore
    expect(new Map((await atProvider()) as [string, boolean][]).get(b.id)).toBe(true);
    expect((await juno.remove(b.id)).status).toBe(204);
    expect((await juno.remove(b.id)).status).toBe(204);
    expect(await primaries()).toEqual([[a.id, true]]);
    expect(await atProvider()).toEqual([[a.id, true]]);
    expect(refusal(await juno.choose(b.id))).toEqual([404, 'Bank account not found']);
    expect((await juno.remove(a.id)).status).toBe(204);
    expect(await juno.banks()).toEqual([]);
    // The number may come back, and the account at the provider is the same.
    const before = (await juno.account()).id;
    await juno.addBank();
    expect([(await juno.banks()).length, (await juno.account()).id]).toEqual([1, before]);
  });

  it('in which the provider finds something wrong says so, and its owner is verified no more', async () => {
    const { payee, bank } = await verified('10.00');
    const account = await payee.account();
    const external = account.external_accounts!.data[0]!.id;
    const status = (to: string) =>
      provider.control('POST', `/test/accounts/${account.id}/external_accounts/${external}/status`, {
        status: to,
      });
    await status('errored');
    await eventually(async () => !(await payee.person.me()).isVerified, 'the error to be known');
    expect(await payee.banks()).toMatchObject([
      { id: bank, isVerified: false, error: expect.stringContaining('payout') },
    ]);
    await status('new');
    await eventually(async () => (await payee.person.me()).isVerified, 'it to be mended');
    expect(await payee.banks()).toMatchObject([{ isVerified: true, error: null }]);
  });
});

describe('a payout', () => {
  /** Has ten dollars and a bank account, and is refused each. */
  let refused: Payee;
  let refusedBank: string;
  beforeAll(async () => {
    refused = await newcomer();
    await refused.earn(fan, '10.00');
    refusedBank = (await refused.addBank()).id;
  });

  it.each([
    [{ amount: 0 }, 400, 'Please enter a valid amount greater than 0'],
    [{ amount: 'ten' }, 400, 'Please enter a valid amount greater than 0'],
    [{ amount: undefined }, 400, 'Please enter an amount and select a bank account'],
    [{ bankAccountId: '' }, 400, 'Please enter an amount and select a bank account'],
    [{ bankAccountId: 'bnk_of_nobody' }, 404, 'Bank account not found'],
    [{ amount: '10.01' }, 422, 'Your available balance is $10.00, which does not cover $10.01.'],
  ])('with %j is refused, and nothing moves', async (over, status, words) => {
    const asked = { amount: '1.00', bankAccountId: refusedBank, ...over };
    const before = await evidence.everything();
    expect(refusal(await refused.person.post('/api/payouts', asked))).toEqual([status, words]);
    expect(await evidence.everything()).toEqual(before);
    expect([await refused.earnings(), await refused.payouts()]).toEqual(['10.00', []]);
  });

  it('is taken once under its key, as a number or as text', async () => {
    const { payee, bank } = await verified('30.00');
    const key = uuidv7();
    const answers = await Promise.all([10, 10, 10].map((amount) => payee.requestPayout(bank, amount, key)));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect((await payee.tryPayout(bank, 11, key)).status).toBe(422);
    await payee.until(answers[0]!.id, { status: 'completed' });
    expect((await payee.requestPayout(bank, 10, key)).id).toBe(answers[0]!.id);
    expect([await payee.earnings(), (await payee.payouts()).length]).toEqual(['20.00', 1]);
  });

  it('of the whole balance, asked for twice at once, is one payout and one refusal', async () => {
    const { payee, bank } = await verified('25.00');
    const answers = await Promise.all([payee.tryPayout(bank, '25.00'), payee.tryPayout(bank, '25.00')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    const refused = answers.find(({ status }) => status === 422)!;
    expect(refusal(refused)).toEqual([422, 'Your available balance is $0.00, which does not cover $25.00.']);
    const [payout] = await payee.payouts();
    await payee.until(payout!.id, { status: 'completed' });
    await once(payee, payout!.id, 'completed');
    expect([await payee.earnings(), await held(payee)]).toEqual(['0.00', 0]);
  });

  it.each(sampled(Object.entries(FAILING_BANKS), Object.entries(FAILING_BANKS).slice(0, 1)))(
    'that the bank refuses with %s is failed, says why, and the money is back',
    async (code, number) => {
      const { payee } = await verified('12.00');
      const { id } = await payee.addBank(number);
      const asked = await payee.requestPayout(id, '12.00');
      const failed = await payee.until(asked.id, { status: 'failed' });
      expect(failed.failureReason).toMatch(/^[A-Z].*\.$/);
      await once(payee, asked.id, 'failed');
      expect([await payee.earnings(), await held(payee)]).toEqual(['12.00', 0]);
      const entry = (await evidence.journal()).find(
        ({ type, data }) => type === 'PayoutFailed' && 'payoutId' in data && data.payoutId === asked.id,
      );
      expect(entry?.data).toMatchObject({ code, reason: failed.failureReason });
    },
  );

  it('to a bank account that refused one before comes back without being sent, and says why', async () => {
    const { payee } = await verified('6.00');
    const { id } = await payee.addBank(FAILING_BANKS.no_account);
    await payee.until((await payee.requestPayout(id, '1.00')).id, { status: 'failed' });
    const again = await payee.requestPayout(id, '6.00');
    const failed = await payee.until(again.id, { status: 'failed' });
    expect(failed.failureReason).toBe(
      'The payment provider does not pay out to this bank account any more. Please use another one.',
    );
    expect((await payee.atProvider(again.id)).payouts).toEqual([]);
    await once(payee, again.id, 'failed');
    expect([await payee.earnings(), await held(payee)]).toEqual(['6.00', 0]);
  });

  it('that the bank returns after it was paid is failed then, and the money is back', async () => {
    const { payee } = await verified('15.00');
    const { id } = await payee.addBank(RETURNING_BANK);
    const asked = await payee.requestPayout(id, '15.00');
    await payee.until(asked.id, { status: 'completed' });
    expect(await payee.earnings()).toBe('0.00');
    const failed = await payee.until(asked.id, { status: 'failed' });
    expect(failed).toMatchObject({ failureReason: 'The bank account has been closed.', completedAt: null });
    await once(payee, asked.id, 'failed');
    expect(await typesAbout(asked.id)).toEqual([
      'PayoutRequested',
      'PayoutTransferred',
      'PayoutSubmitted',
      'PayoutCompleted',
      'PayoutReturned',
      'PayoutFailed',
    ]);
    expect([await payee.earnings(), await held(payee)]).toEqual(['15.00', 0]);
  });

  it('that the provider cancels is failed, and the money is back', async () => {
    const { payee, bank } = await verified('9.00');
    await provider.control('POST', '/test/switches', { payouts: { settleMs: 600_000 } });
    const asked = await payee.requestPayout(bank, '9.00');
    const [sent] = await eventually(async () => {
      const { payouts } = await payee.atProvider(asked.id);
      return payouts.length > 0 && payouts;
    }, 'the payout to be sent');
    await provider.stripe.payouts.cancel(sent!.id, {}, { stripeAccount: (await payee.account()).id });
    await provider.control('POST', '/test/switches', { payouts: { settleMs: 300, returnMs: 1500 } });
    const failed = await payee.until(asked.id, { status: 'failed' });
    expect(failed.failureReason).toBe('The payout was canceled at the payment provider.');
    await once(payee, asked.id, 'failed');
    expect(await payee.earnings()).toBe('9.00');
  });

  it('whose bank account is removed meanwhile is failed, and the money is back', async () => {
    const juno = await newcomer();
    await juno.earn(fan, '8.00');
    const { id } = await juno.addBank();
    const asked = await juno.requestPayout(id, '8.00');
    expect((await juno.remove(id)).status).toBe(204);
    const failed = await juno.until(asked.id, { status: 'failed' });
    expect(failed.failureReason).toBe('The bank account was removed before the payout was sent.');
    expect(await typesAbout(asked.id)).toEqual(['PayoutRequested', 'PayoutFailed']);
    expect([await juno.earnings(), await held(juno)]).toEqual(['8.00', 0]);
    expect(refusal(await juno.tryPayout(id, '8.00'))).toEqual([404, 'Bank account not found']);
  });

  it('waits while the provider does not have the money yet, says so, and goes on when it has', async () => {
    await provider.control('POST', '/test/switches', {
      chargeFundsPendingMs: 86_400_000,
      payouts: { settleMs: 300, returnMs: 1500 },
    });
    const { payee, bank } = await verified('50000.00');
    const asked = await payee.requestPayout(bank, '50000.00');
    const waiting = await eventually(async () => {
      const payout = await payee.payout(asked.id);
      return payout.statusReason !== null && payout;
    }, 'the payout to be put off');
    expect(waiting).toMatchObject({
      status: 'pending',
      statusReason:
        'The money for this payout is not available at the payment provider yet. It is tried again by itself.',
    });
    expect(await typesAbout(asked.id)).toEqual(['PayoutRequested']);
    const figures = await (await fetch(`http://127.0.0.1:${stack().ports.workers}/metrics`)).text();
    expect(figures).toMatch(/^encore_payouts_put_off\{code="balance_insufficient"\} 1$/m);
    expect(figures).toMatch(/^encore_payouts_put_off_seconds\{code="balance_insufficient"\} [\d.]+$/m);
    await provider.control('POST', '/test/switches', { payouts: { settleMs: 300, returnMs: 1500 } });
    await provider.control('POST', '/test/balance/release', {});
    await provider.control('POST', '/test/balance/top_up', { amount: 1_000_000, currency: 'usd' });
    await payee.until(asked.id, { status: 'completed' });
    await once(payee, asked.id, 'completed');
    const after = await (await fetch(`http://127.0.0.1:${stack().ports.workers}/metrics`)).text();
    expect(after).not.toContain('balance_insufficient');
  });
});

describe('an account at the provider that is gone', () => {
  const SENTENCE =
    'Your account at the payment provider was closed, so payouts cannot reach this bank account. Please add it again.';

  const SWITCHES = { payouts: { settleMs: 300, returnMs: 1500 } };
  const MOON_PHASE = {
    status: 400,
    body: { error: { type: 'invalid_request_error', code: 'moon_phase', message: 'No.' } },
    isKept: true,
  };
  const NO_PAYOUTS = [
    { route: 'POST /v1/payouts', when: 'before', what: 'answer', times: 10_000, answer: MOON_PHASE },
  ];

  /** A payout that waits at the user's account, because the provider knows a code that we do not. */
  async function waiting(payee: Payee, bank: string): Promise<string> {
    await provider.control('POST', '/test/switches', { ...SWITCHES, faults: NO_PAYOUTS });
    const { id } = await payee.requestPayout(bank, '20');
    const delayed = await payee.until(id, {
      statusReason:
        'The payment provider does not take this payout at the moment. It is tried again by itself.',
    });
    expect(delayed.status).not.toBe('failed');
    return id;
  }

  it.each([['by its webhook', false] as const, ['though no webhook comes', true] as const])(
    'is known %s: the money is back, the bank account says so, and another one is paid',
    async (_, isSilent) => {
      const { payee, bank } = await verified('50.00');
      const payoutId = await waiting(payee, bank);
      const { id: account } = await payee.account();
      const webhooks = { paused: isSilent };
      // The provider takes payouts again only when the account is gone: a try of ours must not come in
      // between.
      await provider.control('POST', '/test/switches', { ...SWITCHES, webhooks, faults: NO_PAYOUTS });
      await provider.control('POST', `/test/accounts/${account}/deauthorize`, {});
      await provider.control('POST', '/test/switches', { ...SWITCHES, webhooks });
      const failed = await payee.until(payoutId, { status: 'failed' });
      expect(failed.failureReason).toBe(
        'Your account at the payment provider was closed. Please add your bank account again to be paid out.',
      );
      expect([await payee.earnings(), await held(payee)]).toEqual(['50.00', 0]);
      const transfers = await provider.stripe.transfers.list({ transfer_group: payoutId });
      expect(transfers.data.map(({ reversed }) => reversed)).toEqual([true]);
      await eventually(async () => !(await payee.person.me()).isVerified, 'the user to be unverified');
      expect(await payee.banks()).toMatchObject([
        { id: bank, isVerified: false, needsOnboarding: false, error: SENTENCE },
      ]);
      expect((await payee.tryPayout(bank, '10')).status).toBe(404);

      await provider.control('POST', '/test/switches', SWITCHES);
      const again = await payee.addBank();
      expect(again).toMatchObject({ isPrimary: true, needsOnboarding: true });
      await payee.verify();
      const paid = await payee.requestPayout(again.id, '20');
      await payee.until(paid.id, { status: 'completed' });
      expect((await payee.remove(bank)).status).toBe(204);
      expect(await payee.banks()).toMatchObject([{ id: again.id, isVerified: true }]);
    },
  );
});

describe('the provider’s webhooks', () => {
  it('that never come are made up for by the worker’s first look', async () => {
    const { payee, bank } = await verified('20.00');
    const { id: returning } = await payee.addBank(RETURNING_BANK);
    const late = await newcomer();
    await late.earn(fan, '5.00');
    const { onboardingUrl, id: lateBank } = await late.addBank();
    await provider.control('POST', '/test/switches', {
      webhooks: { paused: true },
      payouts: { settleMs: 100, returnMs: 100 },
    });

    await acceptOnboarding(onboardingUrl!);
    const [good, bad, waiting] = [
      await payee.requestPayout(bank, '10.00'),
      await payee.requestPayout(returning, '10.00'),
      await late.requestPayout(lateBank, '5.00'),
    ];
    for (const [payout, status] of [
      [good, 'paid'],
      [bad, 'failed'],
    ] as const)
      // prettier-ignore
      await eventually(async () => (await payee.atProvider(payout.id)).payouts[0]?.status === status, `it to be ${status}`);
    await stack().part('workers').restart();
    await payee.until(good.id, { status: 'completed' });
    await payee.until(bad.id, { status: 'failed' });
    await late.until(waiting.id, { status: 'processing' });
    await eventually(
      async () => (await late.atProvider(waiting.id)).payouts[0]?.status === 'paid',
      'it to be paid',
    );
    await stack().part('workers').restart();
    await late.until(waiting.id, { status: 'completed' });
    expect([await payee.earnings(), await late.earnings()]).toEqual(['10.00', '0.00']);

    // And change nothing when they come after all.
    const { revision } = await evidence.everything();
    await provider.control('POST', '/test/switches', { payouts: { settleMs: 300, returnMs: 1500 } });
    await provider.delivered();
    expect((await evidence.everything()).revision).toBe(revision);
    for (const [who, payout, ended] of [
      [payee, good, 'completed'],
      [payee, bad, 'failed'],
      [late, waiting, 'completed'],
    ] as const)
      // prettier-ignore
      await once(who, payout.id, ended);
  });

  it('that come often and shuffled end alike', async () => {
    await provider.control('POST', '/test/switches', {
      webhooks: { duplicates: 3, shuffle: true },
      payouts: { settleMs: 50, returnMs: 150 },
    });
    const { payee, bank } = await verified('60.00');
    const { id: returning } = await payee.addBank(RETURNING_BANK);
    const asked = await Promise.all(
      [1, 2, 3].flatMap((n) => [payee.requestPayout(bank, n), payee.requestPayout(returning, 10 + n)]),
    );
    await Promise.all(
      asked.map(({ id }, n) => payee.until(id, { status: n % 2 === 0 ? 'completed' : 'failed' })),
    );
    await provider.delivered();
    for (const [n, { id }] of asked.entries()) await once(payee, id, n % 2 === 0 ? 'completed' : 'failed');
    expect([await payee.earnings(), await held(payee)]).toEqual(['54.00', 0]);
    await provider.control('POST', '/test/switches', { payouts: { settleMs: 300, returnMs: 1500 } });
  });

  it('that are forged are not believed', async () => {
    const { payee } = await verified('1.00');
    const account = await payee.account();
    await provider.delivered();
    const before = await evidence.everything();
    const payload = JSON.stringify({
      id: 'evt_x',
      object: 'event',
      type: 'account.updated',
      account: account.id,
      data: { object: { id: account.id, object: 'account', payouts_enabled: false } },
    });
    const send = (secret: string) =>
      payee.person.post('/api/webhooks/stripe/connect', payload, {
        'stripe-signature': provider.stripe.webhooks.generateTestHeaderString({ payload, secret }),
      });
    expect((await send('whsec_of_somebody_else')).status).toBe(400);
    expect((await send(stack().env.STRIPE_WEBHOOK_SECRET!)).status).toBe(400);
    // Signed rightly, and not true: what it says is read at the provider.
    expect((await send(stack().env.STRIPE_CONNECT_WEBHOOK_SECRET!)).status).toBe(200);
    expect(await evidence.everything()).toEqual(before);
  });
});

describe('after all of it', () => {
  it('the books are in order', () => evidence.holds());

  it('no number is in the log, in what the processes wrote, or in an answer, and no name in the first two', async () => {
    const log = await evidence.text();
    const written = (['ledger-1', 'projections', 'workers', 'front'] as const)
      .map((part) => stack().part(part).output())
      .join('\n');
    const answers = payees.flatMap((payee) => payee.answers).join('\n');
    // The search finds what is there.
    expect([log, written, answers].map((text) => text.length > 10_000)).toEqual([true, true, true]);
    expect(log).toContain('BankAccountSubmitted');
    expect(answers).toContain(BANK_NAMES[0]);
    const found = [...BANK_SECRETS, ...BANK_NAMES].flatMap((secret) => [
      ...(log.includes(secret) ? [`the log holds ${secret}`] : []),
      ...(written.includes(secret) ? [`a process wrote ${secret}`] : []),
    ]);
    for (const number of BANK_SECRETS) if (answers.includes(number)) found.push(`an answer holds ${number}`);
    expect(found).toEqual([]);
  });
});
