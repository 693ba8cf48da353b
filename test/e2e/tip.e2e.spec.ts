/**
 * The main job over HTTP, through the front and on the real pieces: two people sign in, one pays the other,
 * the balance moves, both histories show it to the cent, and the log proves it.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { useEvidence } from '#test/support/evidence';
import {
  ASKS_THE_PAYER,
  CardProviderWorld,
  DECLINED,
  INSUFFICIENT,
  intentOf,
  VISA,
} from '#test/support/payer';
import { json, Person, refusal } from '#test/support/person';
import { useStack } from '#test/support/stack';

const stack = useStack(['all']);
const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let juno: Person;
let milo: Person;

beforeAll(async () => {
  [juno, milo] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Milo')]);
});

/**
 * Both balances and the newest line of both lists, once all that the provider said is in the log and on the
 * screens.
 */
async function standing() {
  await provider.delivered();
  await evidence.shown();
  const of = async (person: Person) => {
    const [{ earnings, totalEarnings, transactionCount }, list] = await Promise.all([
      person.me(),
      person.transactions(),
    ]);
    expect(transactionCount).toBe(list.length);
    return { earnings, totalEarnings, lines: list.length, newest: list[0] };
  };
  return { juno: await of(juno), milo: await of(milo) };
}
const declined = (code: string): unknown =>
  expect.objectContaining({ type: 'StripeCardError', statusCode: 402, decline_code: code });

describe('two people', () => {
  it('sign up, are who they said they are, and begin with nothing', async () => {
    expect(await juno.me()).toMatchObject({
      id: juno.id,
      email: juno.email,
      username: juno.username,
      firstName: 'Juno',
      lastName: 'Valastro',
      isVerified: false,
      earnings: '0.00',
      totalEarnings: '0.00',
      transactionCount: 0,
    });
    expect(await juno.transactions()).toEqual([]);
    expect(milo.id).not.toBe(juno.id);
  });

  it('sign out at the app and at the identity provider, and sign in again as the same person, where they were', async () => {
    expect((await juno.signOut()).url).toBe(`${stack().url}/`);
    expect(refusal(await juno.get('/api/auth/user'))).toEqual([401, 'Unauthorized']);
    const before = juno.id;
    // It asks for the password: the provider's session ended too.
    await juno.signIn(`/tip/${milo.id}?amount=5`);
    expect(juno.id).toBe(before);
  });

  it('find each other by id and by address, which only whoever asked for it is told', async () => {
    const other = {
      id: milo.id,
      username: milo.username,
      firstName: 'Milo',
      lastName: 'Valastro',
      isVerified: false,
    };
    expect(await juno.find(milo.id)).toEqual(other);
    expect(await juno.find(milo.email)).toEqual({ ...other, email: milo.email });
    expect(await juno.find(milo.email.toUpperCase())).toEqual({ ...other, email: milo.email });
    expect(await juno.find(juno.id)).toMatchObject({ email: juno.email });
    expect(refusal(await juno.get('/api/users/nobody@valastro.example'))).toEqual([404, 'User not found']);
  });

  it('are in privacy mode as if not there to one who has their address, and without names to one who has their id', async () => {
    expect((await milo.put('/api/settings', { privacyModeEnabled: true })).status).toBe(200);
    for (const address of [milo.email, milo.email.toUpperCase()])
      expect(refusal(await juno.get(`/api/users/${encodeURIComponent(address)}`))).toEqual([
        404,
        'User not found',
      ]);
    // Not there in the very same words as one who never was.
    const [hidden, nobody] = [
      await juno.get(`/api/users/${milo.email}`),
      await juno.get('/api/users/nobody@valastro.example'),
    ];
    expect(hidden.text).toBe(nobody.text);
    expect(await juno.find(milo.id)).toEqual({
      id: milo.id,
      username: milo.username,
      firstName: '',
      isVerified: false,
      lastName: '',
    });
    const themselves = {
      isVerified: false,
      id: milo.id,
      username: milo.username,
      firstName: 'Milo',
      lastName: 'Valastro',
      email: milo.email,
    };
    expect([await milo.find(milo.email), await milo.find(milo.id)]).toEqual([themselves, themselves]);
    expect(await milo.me()).toMatchObject(themselves);
    // They can still be paid by whoever has their code or link.
    expect((await juno.pay(milo.id, '1.00')).paymentId).toMatch(/^pay_/);
    expect((await milo.put('/api/settings', { privacyModeEnabled: false })).status).toBe(200);
    expect((await juno.find(milo.email)).id).toBe(milo.id);
  });

  it('switch their settings, each their own', async () => {
    const defaults = { biometricEnabled: false, privacyModeEnabled: false, transactionAlertsEnabled: true };
    expect(await juno.settings()).toEqual(defaults);
    const changed = { ...defaults, privacyModeEnabled: true };
    for (let times = 0; times < 2; times += 1)
      expect(json(await juno.put('/api/settings', { privacyModeEnabled: true }))).toEqual(changed);
    expect(await juno.settings()).toEqual(changed);
    expect(await milo.settings()).toEqual(defaults);
    expect((await juno.put('/api/settings', { privacyModeEnabled: false })).status).toBe(200);
    expect(await juno.settings()).toEqual(defaults);
  });
});

describe('a tip', () => {
  it('by card reaches the recipient to the cent, and both histories', async () => {
    const { clientSecret, paymentId } = await juno.pay(milo.id, 20.5, { description: 'Great set' });
    // Opened is nobody's money yet.
    expect(await standing()).toMatchObject({ juno: { lines: 0 }, milo: { earnings: '0.00', lines: 0 } });
    expect(await provider.card(clientSecret, VISA)).toMatchObject({
      status: 'succeeded',
      amount: 2050,
      currency: 'usd',
    });
    const line = {
      id: paymentId,
      amount: '20.50',
      status: 'completed',
      kind: 'payment',
      refundedAmount: '0.00',
      disputedAmount: '0.00',
      disputeStatus: null,
      thanks: null,
      scheduleKind: null,
      scheduleId: null,
      paymentMethod: 'card',
      description: 'Great set',
      failureReason: null,
    };
    expect(await standing()).toEqual({
      juno: {
        earnings: '0.00',
        totalEarnings: '0.00',
        lines: 1,
        newest: {
          ...line,
          type: 'payment_sent',
          counterpartyId: milo.id,
          counterpartyUsername: milo.username,
          counterpartyName: 'Milo Valastro',
          createdAt: expect.any(String),
        },
      },
      milo: {
        earnings: '20.50',
        totalEarnings: '20.50',
        lines: 1,
        newest: {
          ...line,
          type: 'payment_received',
          counterpartyId: juno.id,
          counterpartyUsername: juno.username,
          counterpartyName: 'Juno Valastro',
          createdAt: expect.any(String),
        },
      },
    });
  });

  it('has no name of its recipient in the payer’s history while they have privacy mode on', async () => {
    const named = async () =>
      (await juno.transactions()).map((line) => [line.counterpartyUsername, line.counterpartyName]);
    expect((await milo.put('/api/settings', { privacyModeEnabled: true })).status).toBe(200);
    expect(await named()).toEqual([[milo.username, null]]);
    expect((await milo.put('/api/settings', { privacyModeEnabled: false })).status).toBe(200);
    expect(await named()).toEqual([[milo.username, 'Milo Valastro']]);
  });

  it('declined twice is in the payer’s history only, until another card pays the same payment', async () => {
    const { clientSecret, paymentId } = await juno.pay(milo.id, '7.77');
    await expect(provider.card(clientSecret, DECLINED)).rejects.toEqual(declined('generic_decline'));
    expect(await standing()).toMatchObject({
      juno: {
        lines: 2,
        newest: { id: paymentId, status: 'failed', amount: '7.77', failureReason: 'Your card was declined.' },
      },
      milo: { earnings: '20.50', lines: 1 },
    });
    await expect(provider.card(clientSecret, INSUFFICIENT)).rejects.toEqual(declined('insufficient_funds'));
    expect(await standing()).toMatchObject({
      juno: {
        lines: 2,
        newest: { id: paymentId, status: 'failed', failureReason: 'Your card has insufficient funds.' },
      },
      milo: { earnings: '20.50', lines: 1 },
    });
    await provider.card(clientSecret, VISA);
    expect(await standing()).toMatchObject({
      juno: {
        earnings: '0.00',
        lines: 2,
        newest: { id: paymentId, status: 'completed', failureReason: null },
      },
      milo: {
        earnings: '28.27',
        totalEarnings: '28.27',
        lines: 2,
        newest: { id: paymentId, amount: '7.77', status: 'completed' },
      },
    });
  });

  it('that the payer’s bank asks about moves nothing when the payer fails, and settles when they complete it', async () => {
    const { clientSecret, paymentId } = await juno.pay(milo.id, '1.01');
    const asked = await provider.card(clientSecret, ASKS_THE_PAYER);
    expect(asked.status).toBe('requires_action');
    expect(await standing()).toMatchObject({ juno: { lines: 2 }, milo: { earnings: '28.27', lines: 2 } });
    expect(await provider.answer(asked, 'fail')).toBe('failed');
    // No card was charged: there is no attempt to tell anybody about.
    expect(await standing()).toMatchObject({ juno: { lines: 2 }, milo: { earnings: '28.27', lines: 2 } });

    const again = await provider.card(clientSecret, ASKS_THE_PAYER);
    expect(await provider.answer(again, 'succeed')).toBe('succeeded');
    expect(await standing()).toMatchObject({
      juno: {
        earnings: '0.00',
        lines: 3,
        newest: { id: paymentId, type: 'payment_sent', amount: '1.01', status: 'completed' },
      },
      milo: {
        earnings: '29.28',
        lines: 3,
        newest: { id: paymentId, type: 'payment_received', status: 'completed' },
      },
    });
  });

  it('by Cash App moves nothing when refused there, and settles when authorized', async () => {
    const { clientSecret, paymentId } = await milo.pay(juno.id, '50', { paymentMethod: 'cashapp' });
    const asked = await provider.cashApp(clientSecret);
    expect(asked.next_action?.type).toBe('cashapp_handle_redirect_or_display_qr_code');
    expect(await provider.answer(asked, 'fail')).toBe('failed');
    expect(await standing()).toMatchObject({
      juno: { earnings: '0.00', lines: 3 },
      milo: { earnings: '29.28', lines: 3 },
    });

    expect(await provider.answer(await provider.cashApp(clientSecret), 'succeed')).toBe('succeeded');
    const line = {
      id: paymentId,
      amount: '50.00',
      status: 'completed',
      paymentMethod: 'cashapp',
      description: null,
    };
    expect(await standing()).toMatchObject({
      juno: {
        earnings: '50.00',
        totalEarnings: '50.00',
        lines: 4,
        newest: { ...line, type: 'payment_received' },
      },
      milo: { earnings: '29.28', totalEarnings: '29.28', newest: { ...line, type: 'payment_sent' } },
    });
  });
});

describe('a key', () => {
  it('sent again with the same body, also at once, is the same payment and secret; with another body it is refused', async () => {
    const key = uuidv7();
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => juno.pay(milo.id, '3.00', {}, key)));
    expect(others).toEqual([first, first]);
    expect(await juno.pay(milo.id, '3.00', {}, key.toUpperCase())).toEqual(first);
    const other = await juno.post(
      '/api/create-payment-intent',
      { toUserId: milo.id, amount: '3.01' },
      { 'idempotency-key': key },
    );
    expect(refusal(other)).toEqual([
      422,
      'This request was already made with other details. Start again to make a new one.',
    ]);
    // The same key of another person is another key.
    expect((await milo.pay(juno.id, '3.00', {}, key)).paymentId).not.toBe(first?.paymentId);

    await provider.card(first!.clientSecret);
    expect(await standing()).toMatchObject({ milo: { earnings: '32.28', newest: { id: first?.paymentId } } });
    expect(await juno.pay(milo.id, '3.00', {}, key)).toEqual(first);
    expect(await standing()).toMatchObject({ milo: { earnings: '32.28' } });
    const intents = await provider.stripe.paymentIntents.list({ limit: 100 });
    expect(
      intents.data.filter(({ metadata }) => metadata.paymentId === first?.paymentId).map(({ id }) => id),
    ).toEqual([intentOf(first!.clientSecret)]);
  });
});

describe('a payment that takes the place of one that was left', () => {
  it('ends that one first, and is refused where it was paid meanwhile', async () => {
    const [left, paid] = [uuidv7(), uuidv7()];
    const byCashApp = await milo.pay(juno.id, '4.00', { paymentMethod: 'cashapp' }, left);
    await provider.cashApp(byCashApp.clientSecret);
    const byCard = await milo.pay(juno.id, '4.00', { insteadOf: [left] }, paid);
    const { status } = await provider.stripe.paymentIntents.retrieve(intentOf(byCashApp.clientSecret));
    expect(status).toBe('canceled');
    await provider.card(byCard.clientSecret);
    const again = { toUserId: juno.id, amount: '4.00', paymentMethod: 'cashapp', insteadOf: [left, paid] };
    const refused = await milo.post('/api/create-payment-intent', again, { 'idempotency-key': uuidv7() });
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      409,
      expect.objectContaining({ code: 'earlier-payment-stands' }),
    ]);
    // Nobody ends a payment of somebody else's.
    const others = await juno.pay(milo.id, '4.00', { insteadOf: [paid] }, uuidv7());
    expect(others.paymentId).toMatch(/^pay_/);
    expect((await standing()).juno.newest).toMatchObject({ id: byCard.paymentId, status: 'completed' });
  });
});

describe('the log', () => {
  it('proves it: the audit passes, and tables built anew hold the same rows', async () => {
    await standing();
    await evidence.holds();
    const before = await evidence.rows();
    expect(before['transactions']?.length).toBeGreaterThan(4);
    const rebuilt = await evidence.run('processes/rebuild.js');
    expect(rebuilt).toMatchObject({
      status: 0,
      err: '',
      out: expect.stringContaining('The rebuilt read models are live.'),
    });
    expect(await evidence.rows()).toEqual(before);
    expect((await standing()).milo.earnings).toBe('32.28');
  });

  it('holds no name, address or note of anybody in the clear', async () => {
    const text = await evidence.text();
    for (const id of [juno.id, milo.id, 'PaymentSettled', 'UserRegistered']) expect(text).toContain(id);
    for (const personal of [juno.email, milo.username, 'Valastro', 'Great set'])
      expect(text).not.toContain(personal);
  });
});
