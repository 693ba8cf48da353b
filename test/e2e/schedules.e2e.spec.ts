/**
 * Subscriptions and scheduled payments on the real stack: made over HTTP, found due by real workers,
 * collected by a real ledger from balance or saved card. What is due tomorrow is due when the suite says so.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { dayLines, isInOrder, SchedulesReport } from '#audit/schedules-report';
import { EsdbLog } from '#log/esdb';
import { eventually } from '#test/conformance/stripe-process';
import { useEvidence } from '#test/support/evidence';
import { PaymentIntentAnswer } from '#contracts/api/payments';
import { DAY_MS as DAY, HOUR_MS as HOUR, MovedClock } from '#test/support/moved-clock';
import { ASKS_THE_PAYER, CardProviderWorld, intentOf, MASTERCARD } from '#test/support/payer';
import { json, Person, refusal } from '#test/support/person';
import { useStack } from '#test/support/stack';

const clock = new MovedClock();
const pass = (ms: number): void => clock.pass(ms);
const fromNow = (ms: number): Date => clock.fromNow(ms);

const stack = useStack(['all'], {
  env: clock.env,
});
const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let log: EsdbLog;
let juno: Person;
let fan: Person;

beforeAll(async () => {
  log = EsdbLog.connect(stack().env.EVENTSTORE_URL!);
  [juno, fan] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Fan')]);
});
afterAll(async () => {
  clock.remove();
  await log?.close();
});
afterEach(async () => {
  // The clock has jumped; whatever became due by it is claimed within a scan or two, and then nothing is
  // missing or doubled.
  let report = '';
  await until('all that is due to be claimed', async () => {
    const now = fromNow(0);
    const found = await SchedulesReport.of(log);
    const days = found.days(now).map((day) => found.on(day, now));
    report = days.map((day) => dayLines(day).join('\n')).join('\n\n');
    return days.every(isInOrder);
  }).catch((error: unknown) => {
    throw new Error(report, { cause: error });
  });
});

/** Somebody with a balance: a fan tipped them. */
async function performer(name: string, balance?: string): Promise<Person> {
  const person = await Person.signUp(stack().url, name);
  if (balance !== undefined) {
    await provider.card((await fan.pay(person.id, balance)).clientSecret);
    await provider.delivered();
    await evidence.shown();
  }
  return person;
}

const until = (what: string, isSo: () => Promise<boolean>): Promise<boolean> => eventually(isSo, what);
const earnings = async (person: Person): Promise<string> => (await person.me()).earnings;

describe('a subscription', () => {
  it('needs a balance that covers it or a saved card, and says so in a way that a form can read', async () => {
    const milo = await performer('Milo');
    const body = { toUserId: juno.id, amount: 5, frequency: 'weekly', description: null };
    const refused = await milo.post('/api/subscriptions', body);
    expect([refused.status, json(refused)]).toEqual([
      422,
      {
        message:
          'Your available balance does not cover this payment. Add a card, and it is charged when the payment is due.',
        code: 'card_required',
      },
    ]);
    expect(refusal(await milo.post('/api/subscriptions', { ...body, toUserId: 'usr_nobody' }))).toEqual([
      404,
      'Recipient user not found',
    ]);
    expect((await milo.post('/api/subscriptions', { ...body, toUserId: milo.id })).status).toBe(422);
    await milo.saveCard(provider);
    expect((await milo.post('/api/subscriptions', body)).status).toBe(200);
  });

  it('is collected from the balance at once, and again when it is due', async () => {
    const milo = await performer('Milo', '20.00');
    const ada = await performer('Ada');
    const key = uuidv7();
    const body = { toUserId: ada.id, amount: '4.50', frequency: 'monthly', description: 'For the choir' };
    const made = await milo.post('/api/subscriptions', body, { 'idempotency-key': key });
    const { id } = json(made) as { id: string };
    await until('the first payment', async () => (await earnings(ada)) === '4.50');
    const seen = await milo.subscription(id);
    expect(seen).toMatchObject({
      toUserId: ada.id,
      toUsername: ada.username,
      toFirstName: 'Ada',
      amount: '4.50',
      frequency: 'monthly',
      description: 'For the choir',
      status: 'active',
      pauseReason: null,
      lastFailureReason: null,
      nextTryAt: null,
      needsConfirmation: false,
    });
    // The same request again is the same subscription, although the balance would do for another one.
    expect(json(await milo.post('/api/subscriptions', body, { 'idempotency-key': key }))).toMatchObject({
      id,
    });
    expect(
      refusal(await milo.post('/api/subscriptions', { ...body, amount: 5 }, { 'idempotency-key': key }))[0],
    ).toBe(422);
    pass(Date.parse(seen.nextPaymentDate ?? '') - fromNow(0).getTime());
    await until('the second payment', async () => (await earnings(ada)) === '9.00');
    expect(await earnings(milo)).toBe('11.00');
    const [line] = await milo.transactions();
    expect(line).toMatchObject({
      type: 'payment_sent',
      kind: 'transfer',
      amount: '4.50',
      description: 'For the choir',
    });
  });

  it('is collected from the saved card, and pauses with the reason when the card is refused again and again', async () => {
    const milo = await performer('Milo');
    const ada = await performer('Ada');
    const card = await milo.saveCard(provider);
    const { id } = await milo.subscribe(ada.id, '7.00', 'monthly');
    await until('the card payment', async () => (await earnings(ada)) === '7.00');
    await provider.control('POST', `/test/payment_methods/${card}/decline_next`, {
      decline: 'insufficient_funds',
      times: 4,
    });
    pass(31 * DAY);
    for (const wait of [HOUR, DAY, 3 * DAY]) {
      await until('a failed attempt', async () => (await milo.subscription(id)).nextTryAt !== null);
      expect(await milo.subscription(id)).toMatchObject({
        status: 'active',
        lastFailureReason: 'Your card has insufficient funds.',
      });
      pass(wait + 60_000);
      await until('the next attempt', async () => {
        const { nextTryAt, status } = await milo.subscription(id);
        return status === 'paused' || (nextTryAt !== null && Date.parse(nextTryAt) > fromNow(0).getTime());
      });
    }
    expect(await milo.subscription(id)).toMatchObject({
      status: 'paused',
      pauseReason: 'Your card has insufficient funds.',
      nextPaymentDate: null,
    });
    expect(await earnings(ada)).toBe('7.00');
    // Mended and resumed, it goes on with what is due next, and not with what has failed.
    expect(
      json(await milo.call('PATCH', `/api/subscriptions/${id}/status`, { status: 'active' })),
    ).toMatchObject({
      status: 'active',
      pauseReason: null,
    });
    pass(31 * DAY);
    await until('the payment after the pause', async () => (await earnings(ada)) === '14.00');
  });

  it('whose first payment fails says so at once, takes another card and amount, and is paid now once', async () => {
    const milo = await performer('Milo');
    const ada = await performer('Ada');
    const refused = await milo.saveCard(provider);
    await provider.control('POST', `/test/payment_methods/${refused}/decline_next`, {
      decline: 'insufficient_funds',
      times: 1,
    });
    const made = await milo.subscribe(ada.id, '7.00', 'monthly');
    const [first] = await milo.cards();
    expect(made).toMatchObject({
      status: 'active',
      lastFailureReason: 'Your card has insufficient funds.',
      lastFailureFrom: { from: 'card', cardId: first!.id },
      source: { from: 'balance_then_card', cardId: null },
    });
    const { id, failedDueAt: dueAt } = made;
    const path = `/api/subscriptions/${id}`;
    await milo.saveCard(provider, MASTERCARD);
    const other = (await milo.cards()).find((card) => card.id !== first!.id)!;
    const change = { amount: '8.00', source: { from: 'card', cardId: other.id } };
    expect(json(await milo.call('PATCH', path, change))).toMatchObject({
      amount: '8.00',
      source: { from: 'card', cardId: other.id },
    });
    expect(
      refusal(await milo.call('PATCH', path, { source: { from: 'card', cardId: 'crd_of_nobody' } }))[0],
    ).toBe(404);
    expect(refusal(await milo.call('PATCH', path, {}))).toEqual([400, 'Send what is to change.']);
    // The worker’s own retry falls due at the moment in which the payer asks, twice.
    pass(HOUR + 60_000);
    const answers = await Promise.all([1, 2].map(() => milo.post(`${path}/pay-now`, { dueAt })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await until('the payment', async () => (await earnings(ada)) === '8.00');
    await until('the subscription to know', async () => (await milo.subscription(id)).failedDueAt === null);
    expect(json(await milo.post(`${path}/pay-now`, { dueAt }))).toMatchObject({ lastFailureReason: null });
    expect(await earnings(ada)).toBe('8.00');
    pass(31 * DAY);
    await until('the next payment', async () => (await earnings(ada)) === '16.00');
  });

  it('whose bank asks for the payer waits, and is paid when they confirm it in checkout', async () => {
    const milo = await performer('Milo');
    const ada = await performer('Ada');
    await milo.saveCard(provider, ASKS_THE_PAYER);
    const { id } = await milo.subscribe(ada.id, '6.00', 'weekly');
    await until('the bank to ask', async () => (await milo.subscription(id)).needsConfirmation);
    const { confirmPaymentId } = await milo.subscription(id);
    const path = `/api/payments/${confirmPaymentId}/client-secret`;
    const confirm = `/api/payments/${confirmPaymentId}/confirm`;
    expect(refusal(await ada.get(path))).toEqual([404, 'Payment not found']);
    expect(refusal(await ada.post(confirm, {}))).toEqual([404, 'Payment not found']);
    const { clientSecret } = json(await milo.get(path)) as { clientSecret: string };
    const asked = await milo.post(confirm, {});
    expect(json(asked)).toEqual({
      id: confirmPaymentId,
      status: 'action_required',
      clientSecret,
      failureReason: null,
    });
    expect(asked.text).not.toContain('pm_');
    await provider.control('POST', `/test/payment_intents/${intentOf(clientSecret)}/action`, {
      outcome: 'succeed',
    });
    await until('the confirmed payment', async () => (await earnings(ada)) === '6.00');
    await until('the subscription to know', async () => !(await milo.subscription(id)).needsConfirmation);
    expect(await milo.subscription(id)).toMatchObject({
      status: 'active',
      confirmPaymentId: null,
      lastFailureReason: null,
    });
    expect(refusal(await milo.get(path))).toEqual([409, 'This payment has already been paid.']);
    expect(json(await milo.post(confirm, {}))).toMatchObject({ status: 'completed', clientSecret: null });
  });

  it('cancelled at the very time that it falls due is paid once or not at all', async () => {
    const milo = await performer('Milo', '50.00');
    const ada = await performer('Ada');
    const made = await Promise.all([1, 2, 3, 4].map(() => milo.subscribe(ada.id, '5.00', 'weekly')));
    const answers = await Promise.all(
      made.map(({ id }) => milo.call('PATCH', `/api/subscriptions/${id}/status`, { status: 'cancelled' })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await until('the subscriptions to rest', async () => {
      const all = await Promise.all(made.map(({ id }) => milo.subscription(id)));
      return all.every(({ status, isCollecting }) => status === 'cancelled' && !isCollecting);
    });
    await evidence.shown();
    const paid = (await milo.transactions()).filter(({ type }) => type === 'payment_sent').length;
    expect(await earnings(ada)).toBe((paid * 5).toFixed(2));
    const before = await earnings(milo);
    pass(8 * DAY);
    expect(
      (await milo.call('PATCH', `/api/subscriptions/${made[0]!.id}/status`, { status: 'active' })).status,
    ).toBe(409);
    expect(await earnings(milo)).toBe(before);
  });
});

describe('a scheduled payment', () => {
  it('must lie in the future, is paid when it is due, and can be cancelled only before', async () => {
    const milo = await performer('Milo', '30.00');
    const ada = await performer('Ada');
    const late = await milo.post('/api/scheduled-payments', {
      toUserId: ada.id,
      amount: 5,
      scheduledDate: fromNow(-60_000).toISOString(),
    });
    expect(refusal(late)).toEqual([422, 'The date of a scheduled payment must be in the future.']);
    const [tomorrow, never] = [
      await milo.schedule(ada.id, '8.00', fromNow(DAY)),
      await milo.schedule(ada.id, '9.00', fromNow(DAY)),
    ];
    const path = `/api/scheduled-payments/${never.id}/status`;
    expect(json(await milo.call('PATCH', path, { status: 'cancelled' }))).toMatchObject({
      status: 'cancelled',
      notice: null,
    });
    pass(DAY);
    await until('the payment', async () => (await earnings(ada)) === '8.00');
    await until('its completion', async () => (await milo.scheduled(tomorrow.id)).status === 'completed');
    expect(await milo.scheduled(never.id)).toMatchObject({ status: 'cancelled' });
    expect(
      (await milo.call('PATCH', `/api/scheduled-payments/${tomorrow.id}/status`, { status: 'cancelled' }))
        .status,
    ).toBe(409);
  });

  it('is moved to another date, and paid then and not before', async () => {
    const milo = await performer('Milo', '30.00');
    const ada = await performer('Ada');
    const { id } = await milo.schedule(ada.id, '8.00', fromNow(DAY));
    const path = `/api/scheduled-payments/${id}`;
    const scheduledDate = fromNow(3 * DAY).toISOString();
    const moved = await milo.call('PATCH', path, { scheduledDate, source: { from: 'balance' } });
    expect(json(moved)).toMatchObject({ scheduledDate, status: 'pending', source: { from: 'balance' } });
    const from = (source: object) =>
      milo.post('/api/scheduled-payments', { toUserId: ada.id, amount: '9.00', scheduledDate, source });
    const chosen = json(await from({ from: 'balance' })) as { readonly id: string };
    expect(chosen).toMatchObject({ source: { from: 'balance', cardId: null } });
    await milo.call('PATCH', `/api/scheduled-payments/${chosen.id}/status`, {
      status: 'cancelled',
    });
    expect(refusal(await from({ from: 'card', cardId: 'crd_of_nobody' }))[0]).toBe(404);
    const late = await milo.call('PATCH', path, { scheduledDate: fromNow(-60_000).toISOString() });
    expect(refusal(late)).toEqual([422, 'The date of a scheduled payment must be in the future.']);
    pass(DAY + HOUR);
    expect(await earnings(ada)).toBe('0.00');
    pass(2 * DAY);
    await until('the payment', async () => (await earnings(ada)) === '8.00');
  });

  it('takes a tip that came between two attempts', async () => {
    const milo = await performer('Milo', '5.00');
    const ada = await performer('Ada');
    const [one, other] = [
      await milo.schedule(ada.id, '5.00', fromNow(HOUR)),
      await milo.schedule(ada.id, '5.00', fromNow(HOUR)),
    ];
    pass(HOUR);
    // They race for one balance: one is paid, the other waits.
    await until('one payment and one failure', async () => {
      const both = await Promise.all([one, other].map(({ id }) => milo.scheduled(id)));
      return (
        both.some(({ status }) => status === 'completed') && both.some(({ nextTryAt }) => nextTryAt !== null)
      );
    });
    expect([await earnings(milo), await earnings(ada)]).toEqual(['0.00', '5.00']);
    await provider.card((await fan.pay(milo.id, '5.00')).clientSecret);
    await provider.delivered();
    pass(HOUR + 60_000);
    await until('the other payment', async () => (await earnings(ada)) === '10.00');
    expect(await earnings(milo)).toBe('0.00');
  });
});

describe('saved cards', () => {
  it('are listed without a number, one is the default, and a removed one is charged no more', async () => {
    const milo = await performer('Milo');
    const providerId = await milo.saveCard(provider);
    const [saved] = await milo.cards();
    const first = saved!.id;
    expect(first).not.toBe(providerId);
    expect(await milo.cards()).toEqual([
      { id: first, brand: 'visa', last4: '4242', expMonth: 12, expYear: 2040, isDefault: true },
    ]);
    // Saved at a checkout, because the payer ticked it.
    const { clientSecret } = await milo.pay(juno.id, '1.00', { saveCard: true });
    await provider.card(clientSecret, '5555555555554444');
    await until('both cards', async () => (await milo.cards()).length === 2);
    await milo.call('PUT', `/api/payment-methods/${first}/default`);
    expect((await milo.cards()).find(({ isDefault }) => isDefault)?.id).toBe(first);
    for (const { id } of await milo.cards())
      expect((await milo.call('DELETE', `/api/payment-methods/${id}`)).status).toBe(204);
    expect(await milo.cards()).toEqual([]);
    const refused = await milo.post('/api/subscriptions', {
      toUserId: juno.id,
      amount: 5,
      frequency: 'daily',
    });
    expect(json(refused)).toMatchObject({ code: 'card_required' });
  });
});

describe('somebody who is forgotten', () => {
  const forget = async (userId: string): Promise<[number, unknown]> => {
    const answer = await fetch(`http://127.0.0.1:${stack().ports['ledger-1-internal']}/internal/commands`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stack().env.ENCORE_INTERNAL_TOKEN}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ type: 'ForgetUser', userId }),
    });
    return [answer.status, await answer.json()];
  };

  /** What is kept of them: their data key, sessions, and whether the log says that all is done. */
  const kept = async (userId: string) => {
    const { rows } = await evidence.db.query<{ key: Buffer | null; sessions: number }>({
      text: `select wrapped_key as key, (select count(*)::int from edge.sessions where user_id = $1) as sessions
               from vault.data_keys where user_id = $1`,
      values: [userId],
    });
    const finished = (await evidence.events()).some(
      ({ type, data }) => type === 'ForgettingFinished' && data.userId === userId,
    );
    return { ...rows[0], finished };
  };

  it('is finished with by a worker, where it stopped half way and nothing of theirs was to come', async () => {
    const ada = await performer('Ada');
    const database = new pg.Client(stack().env.DATABASE_URL);
    await database.connect();
    await database.query(`
      create function vault.stand_still() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create trigger stand_still before update on vault.data_keys for each row execute function vault.stand_still()`);
    expect((await forget(ada.id))[0]).toBeGreaterThanOrEqual(500);
    expect(await kept(ada.id)).toEqual({ key: expect.any(Buffer), sessions: 1, finished: false });
    await database.query('drop function vault.stand_still cascade');
    await database.end();
    // The hour has come.
    await stack().part('workers').stop();
    await stack().part('workers').start();
    await until('her to be forgotten', async () => (await kept(ada.id)).finished);
    expect(await kept(ada.id)).toEqual({ key: null, sessions: 0, finished: true });
  });

  it('takes along the name and note of what they paid as a guest and took into their account', async () => {
    const [ada, eve] = [await performer('Ada'), await performer('Eve')];
    expect((await eve.put('/api/tip-page/handle', { handle: 'eve_sings' })).status).toBe(200);
    expect((await eve.put('/api/tip-page/published', { isPublished: true })).status).toBe(200);
    const guest = new Person(stack().url, 'Nobody', 'nobody', 'nobody@valastro.example');
    const token = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url');
    const body = { amount: '5.00', method: 'card', note: 'From Ada in row 3', name: 'Ada V.', token };
    const opened = await guest.post('/@eve_sings/payments', body, { 'idempotency-key': uuidv7() });
    await provider.card(PaymentIntentAnswer.parse(json(opened)).clientSecret);
    await provider.delivered();
    expect((await ada.post('/api/tip-page/claims', { token })).status).toBe(204);
    expect(await eve.transactions()).toMatchObject([
      { counterpartyName: 'Ada V.', description: 'From Ada in row 3' },
    ]);

    expect((await forget(ada.id))[0]).toBe(200);
    await evidence.shown();
    expect(await eve.transactions()).toMatchObject([{ counterpartyName: 'A guest', description: null }]);
    await evidence.holds();
  });

  it('pays and is paid no more: what was to come ends with the reason, and their cards are gone', async () => {
    const milo = await performer('Milo', '10.00');
    const [ada, eve] = [await performer('Ada'), await performer('Eve')];
    await ada.saveCard(provider);
    const { id: hers } = await ada.subscribe(eve.id, '3.00', 'weekly');
    const { id: his } = await milo.schedule(ada.id, '5.00', fromNow(DAY));
    const { id: weekly } = await milo.subscribe(ada.id, '1.00', 'weekly');
    await until('the first payments', async () => {
      const [one, other] = await Promise.all([ada.subscription(hers), milo.subscription(weekly)]);
      return one.lastPaymentAt !== null && other.lastPaymentAt !== null;
    });
    const message =
      '$1.00 of theirs is left in the balance, in wallets or on its way to a bank. Pay it out first, and wait until it has arrived.';
    expect(await forget(ada.id)).toEqual([409, { message }]);
    expect((await ada.me()).earnings).toBe('1.00');
    const back = await ada.schedule(milo.id, '1.00', fromNow(HOUR));
    pass(HOUR);
    await until('her balance to be spent', async () => (await ada.scheduled(back.id)).status === 'completed');
    const customers = await provider.stripe.customers.list({ limit: 100 });
    const [customer] = customers.data.filter(({ metadata }) => metadata['userId'] === ada.id);

    expect((await forget(ada.id))[0]).toBe(200);
    expect((await forget(ada.id))[0]).toBe(200);
    expect(await forget('usr_nobody')).toEqual([404, { message: 'User not found' }]);
    await evidence.shown();
    expect(await kept(ada.id)).toEqual({ key: null, sessions: 0, finished: true });
    expect(refusal(await ada.get('/api/auth/user'))).toEqual([401, 'Unauthorized']);
    // The identity provider still knows her; here nobody does.
    const again = await ada.showPassword();
    expect([again.status, again.text]).toEqual([
      410,
      expect.stringContaining('This account no longer exists.'),
    ]);
    const reason = 'The recipient has closed their account.';
    expect(await milo.scheduled(his)).toMatchObject({ status: 'cancelled', lastFailureReason: reason });
    expect(await milo.subscription(weekly)).toMatchObject({ status: 'cancelled', pauseReason: reason });
    expect(await provider.stripe.customers.retrieve(customer!.id)).toMatchObject({ deleted: true });
    for (const path of ['/api/create-payment-intent', '/api/subscriptions'])
      expect(
        refusal(await milo.post(path, { toUserId: ada.id, amount: '5.00', frequency: 'weekly' })),
      ).toEqual([404, 'Recipient user not found']);
    // What was due before it was seen to before it: her subscription would have been, had it gone on.
    const before = Number(await earnings(eve));
    const last = await milo.schedule(eve.id, '2.00', fromNow(15 * DAY));
    pass(15 * DAY);
    await until('a later payment', async () => (await milo.scheduled(last.id)).status === 'completed');
    expect(Number(await earnings(eve)) - before).toBe(2);
    await evidence.holds();
  });
});

describe('what may break', () => {
  it('all workers down for two weeks: of each subscription the latest due time is collected, a scheduled payment late', async () => {
    const milo = await performer('Milo', '50.00');
    const ada = await performer('Ada');
    const { id } = await milo.subscribe(ada.id, '1.00', 'daily');
    const once = await milo.schedule(ada.id, '5.00', fromNow(DAY));
    await until('the first payment', async () => (await earnings(ada)) === '1.00');
    await stack().part('workers').stop();
    pass(14 * DAY);
    await stack().part('workers').start();
    await until('the scheduled payment', async () => (await milo.scheduled(once.id)).status === 'completed');
    await until('the latest daily one', async () => Number(await earnings(ada)) >= 7);
    await evidence.shown();
    expect([await earnings(ada), await earnings(milo)]).toEqual(['7.00', '43.00']);
    const { out } = await evidence.run(
      'processes/audit.js',
      'schedules-report',
      '--day',
      'all',
      '--now',
      fromNow(0).toISOString(),
    );
    expect(out).toMatch(/ [1-9]\d* superseded/);
    expect(
      (await milo.call('PATCH', `/api/subscriptions/${id}/status`, { status: 'cancelled' })).status,
    ).toBe(200);
  });

  it('workers killed mid-job, Redis flushed, the ledger killed: everything that is due is paid once', async () => {
    const milo = await performer('Milo', '400.00');
    const ada = await performer('Ada');
    const due = await Promise.all(
      Array.from({ length: 40 }, () => milo.schedule(ada.id, '2.00', fromNow(2 * HOUR))),
    );
    const redis = new Redis(stack().env.REDIS_URL!);
    const paid = async (): Promise<number> => Number(await earnings(ada)) / 2;
    try {
      pass(2 * HOUR);
      await until('some payments', async () => (await paid()) > 0);
      await stack().part('workers').kill9();
      await redis.flushall();
      await stack().part('workers').start();
      await until('some more', async () => (await paid()) > 5);
      await stack().part('ledger-1').kill9();
      await redis.flushall();
      await stack().part('ledger-1').start();
      await until('all payments', async () => (await paid()) === due.length);
    } finally {
      redis.disconnect();
    }
    await until('all to be told', async () => {
      const all = await Promise.all(due.map(({ id }) => milo.scheduled(id)));
      return all.every(({ status }) => status === 'completed');
    });
    expect(await earnings(milo)).toBe('320.00');
    await evidence.holds();
  });
});
