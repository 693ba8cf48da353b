/**
 * What people are told, over the whole way: a tip over HTTP, the messages in the app, the mails in the inbox
 * of the mail server. Two workers and two ledgers run all the while.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { Message, MessagesSummary } from '#contracts/api/messages';
import { PaymentIntentAnswer } from '#contracts/api/payments';
import { eventually as patiently } from '#test/conformance/stripe-process';
import { CardProviderWorld } from '#test/support/payer';
import { json, Person } from '#test/support/person';
import { useStack } from '#test/support/stack';

const stack = useStack(['all', 'workers-2'], { ledgers: 2, env: { MAIL_EVERY_SECONDS: '0.2' } });

interface InboxMail {
  readonly to: readonly string[];
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: readonly string[];
}
type Mode = 'take' | 'refuse-address' | 'put-off' | 'hang' | 'lose-answer' | 'no-greeting';

const provider = new CardProviderWorld(stack);
let pool: pg.Pool;
let juno: Person;
let milo: Person;

async function eventually<T>(look: () => Promise<T>, isThere: (seen: T) => boolean): Promise<T> {
  const found = await patiently(async () => {
    const seen = await look();
    return isThere(seen) && { seen };
  }, 'what is looked for');
  return found.seen;
}
const inboxOf = async ({ email }: Person): Promise<InboxMail[]> => {
  const answer = await fetch(`${stack().url}/inbox/mails.json?to=${encodeURIComponent(email)}`);
  return (await answer.json()) as InboxMail[];
};
const mailed = (person: Person, subject: string, count = 1): Promise<InboxMail[]> =>
  eventually(
    async () => (await inboxOf(person)).filter((mail) => mail.subject === subject),
    (mails) => mails.length >= count,
  );
async function server(mode: Mode): Promise<void> {
  const answer = await fetch(`${stack().url}/inbox/mode`, { method: 'PUT', body: JSON.stringify({ mode }) });
  expect(answer.status).toBe(204);
}
const messagesOf = async (person: Person) => json(await person.get('/api/messages')) as Message[];
const summaryOf = async (person: Person) =>
  json(await person.get('/api/messages/summary')) as MessagesSummary;
async function tip(amount: string): Promise<void> {
  const { clientSecret } = json(
    await milo.post('/api/create-payment-intent', { amount, toUserId: juno.id, description: 'Loved it' }),
  ) as { clientSecret: string };
  await provider.card(clientSecret);
  await provider.delivered();
}
const deliveries = async (): Promise<Record<string, number>> => {
  const { rows } = await pool.query<{ status: string; count: number }>(
    'select status, count(*)::int as count from edge.message_deliveries group by 1',
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};
/** What waits after an attempt in vain is due now; what a worker has in hand is left to it. */
const dueNow = () =>
  pool.query(
    `update edge.message_deliveries set due_at = now()
      where status = 'waiting' and due_at < now() + interval '200 seconds'`,
  );

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: stack().env.DATABASE_URL!, max: 2 });
  pool.on('error', () => undefined);
  [juno, milo] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Milo')]);
});
afterAll(() => pool?.end());

describe('a tip', () => {
  it('is told to both, in the app and by one mail each, with the exact amount', async () => {
    await tip('20.50');
    const [receipt] = await mailed(milo, 'Payment sent');
    expect(receipt).toMatchObject({
      to: [milo.email.toLowerCase()],
      text: expect.stringContaining('You paid $20.50 to Juno Valastro.'),
      html: expect.stringContaining('You paid $20.50 to Juno Valastro.'),
      messageId: expect.stringMatching(/^<msg_[0-9a-f]{32}@localhost>$/),
    });
    const [alert] = await mailed(juno, 'Payment received');
    expect(alert?.text).toContain('Milo Valastro paid you $20.50.');
    expect(alert?.text).not.toContain('Loved it');
    expect(alert?.headers).toContainEqual('Auto-Submitted: auto-generated');
    expect((await messagesOf(milo)).filter(({ kind }) => kind === 'receipt')).toMatchObject([
      { title: 'Payment sent', text: 'You paid $20.50 to Juno Valastro.', isRead: false },
    ]);
    expect(await summaryOf(juno)).toMatchObject({ away: { amount: '20.50', tips: 1, named: 1 } });
  });

  it('is read in one browser and read in every other', async () => {
    const [newest] = await messagesOf(juno);
    expect((await juno.post('/api/messages/read', { through: newest!.id })).status).toBe(204);
    expect(await summaryOf(juno)).toEqual({ unread: 0, away: null });
    await juno.signInAgain();
    expect((await messagesOf(juno)).find(({ id }) => id === newest!.id)?.isRead).toBe(true);
    expect((await summaryOf(milo)).unread).toBeGreaterThan(0);
  });

  it('is named as the app names people: in privacy mode by their username', async () => {
    await milo.put('/api/settings', { privacyModeEnabled: true });
    await tip('3.00');
    const mails = await mailed(juno, 'Payment received', 2);
    const [newest] = mails.filter(({ text }) => text.includes('$3.00'));
    expect(newest?.text).toContain(`@${milo.username} paid you $3.00.`);
    expect(newest?.text).not.toContain('Milo Valastro');
    expect(await summaryOf(juno)).toMatchObject({ away: { amount: '3.00', tips: 1, named: 0 } });
    await milo.put('/api/settings', { privacyModeEnabled: false });
  });

  it('is not mailed to whoever switched alerts off, and told in the app all the same', async () => {
    await juno.put('/api/settings', { transactionAlertsEnabled: false });
    await tip('4.00');
    await eventually(
      () => messagesOf(juno),
      (messages) => messages.some(({ amount }) => amount === '4.00'),
    );
    const ended = await eventually(
      async () =>
        (
          await pool.query<{ because: string }>(
            `select because from edge.message_deliveries where user_id = $1 and status = 'dropped'`,
            [juno.id],
          )
        ).rows,
      (rows) => rows.length > 0,
    );
    expect(ended).toEqual([{ because: 'alerts-off' }]);
    await juno.put('/api/settings', { transactionAlertsEnabled: true });
  });
});

describe('a tip of a guest', () => {
  const paidBy = async (email: string): Promise<InboxMail> => {
    const guest = new Person(stack().url, 'Nobody', 'nobody', email);
    const token = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url');
    const opened = await guest.post(
      '/@juno_show/payments',
      { amount: '5.00', method: 'card', token },
      { 'idempotency-key': uuidv7() },
    );
    await provider.card(PaymentIntentAnswer.parse(json(opened)).clientSecret);
    await provider.delivered();
    await eventually(
      async () => (await guest.post(`/@juno_show/paid/${token}/mail`, { email })).status,
      (status) => status === 204,
    );
    return (await mailed(guest, 'Your receipt'))[0]!;
  };

  it('is mailed with the name that the page shows: the stage name, in privacy mode the handle', async () => {
    await juno.put('/api/tip-page/handle', { handle: 'juno_show' });
    await juno.put('/api/tip-page', { stageName: 'The Lanterns', line: '', isListed: false });
    await juno.put('/api/tip-page/published', { isPublished: true });
    const mail = await paidBy('wren@valastro.example');
    expect(mail.text).toContain('You paid $5.00 to The Lanterns.');
    expect(mail.text + mail.html).not.toContain('Juno Valastro');
    await juno.put('/api/settings', { privacyModeEnabled: true });
    const hidden = await paidBy('eve@valastro.example');
    expect(hidden.text).toContain('You paid $5.00 to @juno_show.');
    expect(hidden.text + hidden.html).not.toContain(juno.username);
    await juno.put('/api/settings', { privacyModeEnabled: false });
  });
});

describe('a mail server', () => {
  it('that takes a mail and hangs up before it says so gets it again, under the same Message-ID', async () => {
    await server('lose-answer');
    await tip('5.00');
    await eventually(
      () => inboxOf(milo),
      (mails) => mails.some(({ text }) => text.includes('$5.00')),
    );
    await server('take');
    const again = await eventually(
      async () => {
        await dueNow();
        return (await inboxOf(milo)).filter(({ text }) => text.includes('$5.00'));
      },
      (mails) => mails.length >= 2,
    );
    expect(new Set(again.map(({ messageId }) => messageId)).size).toBe(1);
    await eventually(deliveries, ({ waiting = 0 }) => waiting === 0);
  });

  it('that refuses an address is not asked again for what is mailed to it', async () => {
    await server('refuse-address');
    await tip('6.00');
    await eventually(
      async () => (await pool.query('select from edge.mail_addresses')).rowCount ?? 0,
      (count) => count === 2,
    );
    await server('take');
    await tip('7.00');
    const left = await eventually(
      async () =>
        (await pool.query(`select from edge.message_deliveries where because = 'address-refused'`))
          .rowCount ?? 0,
      (count) => count >= 2,
    );
    expect(left).toBe(2);
    expect((await inboxOf(milo)).filter(({ text }) => text.includes('$7.00'))).toEqual([]);
    await pool.query('delete from edge.mail_addresses');
  });

  it('that hangs on a thousand mails holds up nothing else, and gets each of them once when it answers', async () => {
    await server('hang');
    await pool.query(
      `insert into edge.messages (id, user_id, kind, key, facts, at)
       select 'msg_' || lpad(to_hex(n), 32, '0'), $1, 'sessions_ended', 'bulk_' || n, '{}', now()
         from generate_series(1, 1000) n`,
      [milo.id],
    );
    await pool.query(
      `insert into edge.message_deliveries (message_id, user_id, channel, status)
       select id, user_id, 'mail', 'waiting' from edge.messages where key like 'bulk_%'`,
    );
    await milo.saveCard(provider);
    const { id } = await milo.subscribe(juno.id, '9.00', 'monthly');
    // A job of the same workers' goes on: the first occurrence is collected.
    await eventually(
      async () => (await milo.transactions()).filter(({ amount }) => amount === '9.00'),
      (lines) => lines.length === 1,
    );
    expect((await milo.subscription(id)).status).toBe('active');
    expect((await fetch(`${stack().url}/readyz`)).status).toBe(200);
    await server('take');
    await eventually(
      async () => {
        await dueNow();
        return deliveries();
      },
      ({ waiting = 0 }) => waiting === 0,
    );
    const bulk = (await inboxOf(milo)).filter(({ subject }) => subject === 'Signed out elsewhere');
    expect(new Set(bulk.map(({ messageId }) => messageId)).size).toBe(bulk.length);
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from edge.message_deliveries d join edge.messages m on m.id = d.message_id
        where m.key like 'bulk_%' and d.status = 'sent'`,
    );
    expect(rows).toEqual([{ count: 1_000 }]);
  });
});
