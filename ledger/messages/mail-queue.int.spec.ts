/** What is handed out to be mailed, to whom, and what becomes of it. On a real Postgres. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import type { MailOutcome } from '#contracts/api/mails';
import type { Sealed } from '#contracts/events/journal';
import type { Profile } from '#contracts/events/user';
import { migrate } from '#log/migrations';
import { Vault } from '#log/vault';
import { EDGE, VAULT } from '#processes/migrations';
import { profileOf } from '#test/support/plain-vault';
import { useStack } from '#test/support/stack';
import type { NewMessage } from '../bus/messages.js';
import { LimitCounts, OwnCounter } from '../limits/counter.js';
import { InternalCommands } from '../bus/internal-commands.js';
import { StoreAway, StreamParked } from '../rejection.js';
import { MailQueue, mailsWaiting } from './mail-queue.js';
import { messageIdOf, MessageStore } from './message-store.js';

const stack = useStack(['postgres']);
const ADA = 'usr_ada';
const HOUR_MS = 3_600_000;

describe('mails to be sent', () => {
  let pool: pg.Pool;
  let store: MessageStore;
  let vault: Vault;
  const profiles = new Map<string, Sealed>();
  /** What reading the stream of one of these throws. */
  const failing = new Map<string, Error>();
  let wantsAlerts = true;

  beforeAll(async () => {
    await migrate(stack().env.DATABASE_URL!, [VAULT, EDGE]);
    pool = new pg.Pool({ connectionString: stack().env.DATABASE_URL!, max: 8 });
    store = new MessageStore(pool);
    vault = Vault.open(pool, 'ab'.repeat(32));
  });
  beforeEach(async () => {
    await pool.query('truncate edge.messages, edge.message_deliveries, edge.mail_addresses');
    await pool.query(
      `update edge.message_marks set no_mail_before = now() - interval '10 days', began_at = now() - interval '10 days'`,
    );
    wantsAlerts = true;
    failing.clear();
    await livesAs({});
  });
  afterAll(() => pool.end());

  const livesAs = async (over: Partial<Profile>, userId = ADA): Promise<void> => {
    const profile = profileOf('ada', { email: 'ada@example.org', ...over });
    profiles.set(userId, await vault.seal(userId, JSON.stringify(profile)));
  };
  const none = () => Promise.resolve(new Map<string, string>());
  const counts = new LimitCounts({ counter: new OwnCounter(), secret: Buffer.alloc(32) });
  const queue = (commands = new InternalCommands()): MailQueue =>
    new MailQueue(
      { pool },
      vault,
      {
        async profileOf(userId) {
          if (failing.has(userId)) throw failing.get(userId);
          return Promise.resolve(profiles.get(userId));
        },
        replacedProfileOf: (userId, changedAt) => Promise.resolve(profiles.get(`${userId} ${changedAt}`)),
        wantsAlerts: () => Promise.resolve(wantsAlerts),
      },
      {
        people: () => Promise.resolve(new Map([['usr_juno', 'Juno Valastro']])),
        performers: () => Promise.resolve(new Map([['usr_juno', 'The Lanterns']])),
        bankAccounts: none,
        cards: none,
        notes: none,
        showName: () => Promise.resolve(new Set<string>()),
      },
      counts,
      commands,
      'https://encore.example',
      pino({ level: 'silent' }),
    );
  const receipt = (n: number): NewMessage => ({
    userId: ADA,
    kind: 'receipt',
    key: `pay_${n}`,
    facts: { paymentId: `pay_${n}`, recipientId: 'usr_juno', amountMinor: 2050, currency: 'usd' },
    at: new Date(),
  });
  const passkey: NewMessage = {
    userId: ADA,
    kind: 'passkey_removed',
    key: 'pk_1',
    facts: {},
    at: new Date(),
  };
  const stateOf = async (message: NewMessage) =>
    (
      await pool.query<{
        status: string;
        because: string | null;
        attempts: number;
        wait: number;
        sealed_link: string | null;
      }>(
        `select status, because, attempts, sealed_link, round(extract(epoch from due_at - now()))::int as wait
           from edge.message_deliveries where message_id = $1`,
        [messageIdOf(message)],
      )
    ).rows[0];
  const dueNow = () => pool.query('update edge.message_deliveries set due_at = now()');
  const note = (message: NewMessage, outcome: MailOutcome['outcome'], code?: number) =>
    queue().note({ id: messageIdOf(message), outcome, code });

  it('about another address go to the one of before, whatever is known of the one that counts now', async () => {
    const changedAt = '2026-03-01T20:00:00.000Z';
    await livesAs({ email: 'thief@example.org' });
    const before = profileOf('ada', { email: 'ada@example.org' });
    profiles.set(`${ADA} ${changedAt}`, await vault.seal(ADA, JSON.stringify(before)));
    await pool.query(
      `insert into edge.mail_addresses (user_id, fingerprint, refusals, again_at) values ($1, 'f', 1, now() + interval '1 day')`,
      [ADA],
    );
    const at = new Date();
    const about = { userId: ADA, at, key: changedAt };
    const changed: NewMessage = { ...about, kind: 'address_changed', facts: { changedAt } };
    const facts = { completesAt: at.toISOString(), changedAt };
    const recovery: NewMessage = { ...about, kind: 'recovery_started_earlier', facts };
    const sealedLink = await vault.seal(ADA, '/recovery#usr_ada.token');
    await store.put([changed, { ...recovery, sealedLink }]);
    const mails = await queue().claim(5);
    expect(mails.map(({ to }) => to)).toEqual(['ada@example.org', 'ada@example.org']);
    expect(
      mails.filter(({ text }) => text.includes('https://encore.example/recovery#usr_ada.token')),
    ).toHaveLength(1);
    await note(changed, 'sent');
    await note(recovery, 'address-refused', 550);
    expect((await pool.query('select from edge.mail_addresses')).rowCount).toBe(1);
    // What is known of that address in the app is the other message.
    expect((await store.listOf(ADA, 10)).map(({ kind }) => kind)).toEqual(['address_changed']);
    expect(await store.unreadCount(ADA)).toBe(1);
  });

  it('are handed out once, however many workers ask at the same moment', async () => {
    await store.put(Array.from({ length: 60 }, (_, n) => receipt(n)));
    const claims = await Promise.all(Array.from({ length: 6 }, () => queue().claim(20)));
    const ids = claims.flat().map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([60, 60]);
    expect(await queue().claim(20)).toEqual([]);
    expect((await mailsWaiting(pool)).count).toBe(60);
  });

  it('about somebody’s security are handed out before the tips of an evening, however many wait', async () => {
    const evening = Array.from({ length: 200 }, (_, n) => receipt(n));
    await store.put(evening);
    await store.put([passkey]);
    const [first, ...others] = await queue().claim(20);
    expect(first?.id).toBe(messageIdOf(passkey));
    // The places that are left are for the others, those that have waited longest first.
    expect(others).toHaveLength(19);
  });

  it('are handed out again under the same Message-ID when nobody says what became of them', async () => {
    await store.put([receipt(1)]);
    const [first] = await queue().claim(1);
    expect(first).toMatchObject({
      to: 'ada@example.org',
      messageId: `<${messageIdOf(receipt(1))}@encore.example>`,
    });
    expect((await stateOf(receipt(1)))?.wait).toBe(300);
    await dueNow();
    expect((await queue().claim(1))[0]?.messageId).toBe(first?.messageId);
  });

  it('wait longer after each attempt, and are given up after eight', async () => {
    await store.put([receipt(1)]);
    const waits: (number | undefined)[] = [];
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      expect(await queue().claim(1)).toHaveLength(1);
      await note(receipt(1), 'put-off', 451);
      waits.push((await stateOf(receipt(1)))?.wait);
      await dueNow();
    }
    expect(waits).toEqual([60, 300, 900, 3600, 7200, 14_400, 21_600, 21_600]);
    expect(await queue().claim(1)).toEqual([]);
    expect(await stateOf(receipt(1))).toMatchObject({ status: 'dropped', because: 'given-up' });
  });

  describe('to a guest, after the receipt', () => {
    const GUEST = 'gst_wren';
    const about = { paymentId: 'pay_1', recipientId: 'usr_juno' };
    const mailed: NewMessage = {
      userId: GUEST,
      kind: 'guest_receipt',
      key: 'pay_1:there',
      facts: { ...about, amountMinor: 2050, currency: 'usd' },
      at: new Date(),
    };
    const thanked: NewMessage = {
      userId: GUEST,
      kind: 'guest_thanks',
      key: 'pay_1',
      facts: { ...about, thanks: 'made_my_night' },
      at: new Date(),
    };
    const mailReceipt = async (to: string): Promise<void> => {
      const sealedLink = await vault.seal(GUEST, JSON.stringify({ to, path: '/@junoplays/paid/abc' }));
      await store.put([{ ...mailed, sealedLink }]);
      await queue().claim(1);
      await note(mailed, 'sent');
    };

    const refunded: NewMessage = {
      userId: GUEST,
      kind: 'guest_refunded',
      key: 're_1',
      facts: { ...about, amountMinor: 2050 },
      at: new Date(),
    };

    it('go where the receipt went, with thanks and with what is returned', async () => {
      await mailReceipt('wren@example.org');
      expect(await stateOf(mailed)).toMatchObject({
        status: 'sent',
        sealed_link: expect.stringMatching(/^sealed:/),
      });
      await store.put([thanked]);
      const [mail] = await queue().claim(1);
      expect(mail).toMatchObject({ to: 'wren@example.org' });
      expect(mail?.text).toContain('The Lanterns answers your payment: “You made my night.”');
      expect(mail?.text).toContain('See the receipt: https://encore.example/@junoplays/paid/abc');
      await note(thanked, 'sent');
      await store.put([refunded]);
      const [returned] = await queue().claim(1);
      expect(returned).toMatchObject({ to: 'wren@example.org', subject: 'Payment returned' });
      expect(returned?.text).toContain('$20.50 that you paid to The Lanterns is');
      expect(returned?.text).toContain('See the receipt: https://encore.example/@junoplays/paid/abc');
    });

    it('call the performer as their page does; who has an account calls them by their name', async () => {
      const path = '/@junoplays/paid/abc';
      const sealedLink = await vault.seal(GUEST, JSON.stringify({ to: 'wren@example.org', path }));
      await store.put([{ ...mailed, sealedLink }]);
      const [toGuest] = await queue().claim(1);
      expect(toGuest?.text).toContain('You paid $20.50 to The Lanterns.');
      expect(`${toGuest?.text} ${toGuest?.html}`).not.toContain('Juno Valastro');
      await note(mailed, 'sent');
      await store.put([receipt(1)]);
      const [toUser] = await queue().claim(1);
      expect(toUser?.text).toContain('You paid $20.50 to Juno Valastro.');
    });

    it('wait for the receipt, which says where to, while that is on its way itself', async () => {
      const path = '/@junoplays/paid/abc';
      const sealedLink = await vault.seal(GUEST, JSON.stringify({ to: 'wren@example.org', path }));
      await store.put([{ ...mailed, sealedLink }, refunded]);
      const claimed = await queue().claim(10);
      expect(claimed.map(({ subject }) => subject)).toEqual(['Your receipt']);
      expect(await stateOf(refunded)).toMatchObject({ status: 'waiting', attempts: 0 });
      await note(mailed, 'sent');
      await pool.query('update edge.message_deliveries set due_at = now()');
      expect(await queue().claim(10)).toMatchObject([
        { to: 'wren@example.org', subject: 'Payment returned' },
      ]);
    });

    it('go nowhere without an address, after 30 days, or beyond what one address gets in a day', async () => {
      await store.put([thanked]);
      expect(await queue().claim(1)).toEqual([]);
      expect(await stateOf(thanked)).toMatchObject({ status: 'dropped', because: 'no-verified-address' });

      await pool.query('truncate edge.messages, edge.message_deliveries');
      await mailReceipt('late@example.org');
      await pool.query(`update edge.message_deliveries set ended_at = now() - interval '31 days'`);
      await store.put([thanked]);
      expect(await queue().claim(1)).toEqual([]);
      expect(await stateOf(mailed)).toMatchObject({ sealed_link: null });

      await pool.query('truncate edge.messages, edge.message_deliveries');
      await mailReceipt('busy@example.org');
      const limit = 'guest-receipt-mailbox';
      while ((await counts.take([{ limit, of: 'busy@example.org' }])) === undefined);
      await store.put([thanked]);
      expect(await queue().claim(1)).toEqual([]);
      expect(await stateOf(thanked)).toMatchObject({ status: 'dropped', because: 'too-many-mails' });
      // Returned money is told of all the same.
      await store.put([refunded]);
      expect(await queue().claim(1)).toHaveLength(1);
    });
  });

  it('lose no attempt while the mail server is away', async () => {
    await store.put([receipt(1)]);
    await queue().claim(1);
    await note(receipt(1), 'server-away');
    expect(await stateOf(receipt(1))).toMatchObject({ status: 'waiting', attempts: 0, wait: 30 });
  });

  it('wait when their reader’s stream is parked, and hold up nobody else’s', async () => {
    await livesAs({}, 'usr_milo');
    failing.set('usr_milo', new StreamParked('user-usr_milo', 3, 'It cannot be read.'));
    const parked: NewMessage = { ...passkey, userId: 'usr_milo', key: 'pk_milo' };
    await store.put([parked, passkey, receipt(1)]);
    for (let pass = 0; pass < 10; pass++) {
      await dueNow();
      expect((await queue().claim(20)).map(({ to }) => to)).toEqual(['ada@example.org', 'ada@example.org']);
      await note(passkey, 'server-away');
      await note(receipt(1), 'server-away');
    }
    expect(await stateOf(parked)).toMatchObject({ status: 'waiting', attempts: 0, wait: 600 });
    failing.clear();
    await dueNow();
    expect(await queue().claim(20)).toHaveLength(3);
    // What became of the others is noted also where one is parked as its outcome is told.
    failing.set('usr_milo', new StreamParked('user-usr_milo', 3, 'It cannot be read.'));
    await note(parked, 'address-refused', 550);
    expect(await stateOf(parked)).toMatchObject({ status: 'refused' });
  });

  it('lose no attempt while the event store is away', async () => {
    await store.put([passkey, receipt(1)]);
    failing.set(ADA, new StoreAway());
    for (let pass = 0; pass < 10; pass++) {
      await dueNow();
      await expect(queue().claim(20)).rejects.toBeInstanceOf(StoreAway);
    }
    expect(await stateOf(passkey)).toMatchObject({ status: 'waiting', attempts: 0, wait: 30 });
    failing.clear();
    await dueNow();
    expect(await queue().claim(20)).toHaveLength(2);
  });

  it('that were sent are noted as sent where the outcome of another cannot be noted now', async () => {
    await livesAs({}, 'usr_milo');
    const refused: NewMessage = { ...passkey, userId: 'usr_milo', key: 'pk_milo' };
    await store.put([refused, receipt(1)]);
    const commands = new InternalCommands();
    await queue(commands).claim(2);
    failing.set('usr_milo', new StoreAway());
    const outcomes: MailOutcome[] = [
      { id: messageIdOf(refused), outcome: 'address-refused', code: 550 },
      { id: messageIdOf(receipt(1)), outcome: 'sent' },
    ];
    await expect(commands.carryOut({ type: 'NoteMails', outcomes }, 'spec')).rejects.toBeInstanceOf(
      StoreAway,
    );
    expect(await stateOf(receipt(1))).toMatchObject({ status: 'sent' });
    // The worker says it all again: the refusal counts, and counts once.
    failing.clear();
    for (let time = 0; time < 2; time++) await commands.carryOut({ type: 'NoteMails', outcomes }, 'spec');
    expect(await stateOf(refused)).toMatchObject({ status: 'refused' });
    const { rows } = await pool.query('select user_id, refusals from edge.mail_addresses');
    expect(rows).toEqual([{ user_id: 'usr_milo', refusals: 1 }]);
  });

  it('that say when a payment is tried again, or until when to confirm it, are not sent after that', async () => {
    const failed = (key: string, then: 'tried-again' | 'needs-confirmation', inMs: number): NewMessage => ({
      userId: ADA,
      kind: 'payment_failed',
      key,
      facts: {
        scheduleKind: 'subscription',
        scheduleId: 'sub_1',
        recipientId: 'usr_juno',
        amountMinor: 900,
        currency: 'usd',
        reason: 'Your card was declined.',
        then,
        by: new Date(Date.now() + inMs).toISOString(),
      },
      at: new Date(Date.now() - 2 * HOUR_MS),
    });
    const late = [failed('a', 'tried-again', -HOUR_MS), failed('b', 'needs-confirmation', -HOUR_MS)];
    const inTime = failed('c', 'tried-again', HOUR_MS);
    await store.put([...late, inTime]);
    expect((await queue().claim(5)).map(({ id }) => id)).toEqual([messageIdOf(inTime)]);
    for (const message of late)
      expect(await stateOf(message)).toMatchObject({ status: 'dropped', because: 'overtaken' });
  });

  it('that an account will be deleted are not sent once that was stopped', async () => {
    const wish = { userId: ADA, key: 'forgetting:1', at: new Date() };
    const happensAt = new Date(Date.now() + 24 * HOUR_MS).toISOString();
    const asked: NewMessage = { ...wish, kind: 'forgetting_asked', facts: { happensAt } };
    const stopped: NewMessage = { ...wish, kind: 'forgetting_cancelled', facts: { why: 'canceled' } };
    const again: NewMessage = { ...asked, key: 'forgetting:2' };
    await store.put([asked]);
    await queue().claim(1);
    await note(asked, 'put-off');
    await store.put([stopped, again]);
    await dueNow();
    expect((await queue().claim(5)).map(({ id }) => id).toSorted()).toEqual(
      [stopped, again].map(messageIdOf).toSorted(),
    );
    expect(await stateOf(asked)).toMatchObject({ status: 'dropped', because: 'overtaken' });
  });

  it('that have waited for a day are not sent any more', async () => {
    await store.put([receipt(1)]);
    await pool.query(`update edge.messages set at = now() - interval '25 hours'`);
    expect(await queue().claim(1)).toEqual([]);
    expect(await stateOf(receipt(1))).toMatchObject({ status: 'dropped', because: 'too-old' });
  });

  it('of before a backup was restored are not sent: they may have been', async () => {
    await store.put([{ ...receipt(1), at: new Date(Date.now() - HOUR_MS) }]);
    await pool.query('update edge.message_marks set no_mail_before = now()');
    expect(await queue().claim(1)).toEqual([]);
  });

  it('about payments go to nobody who switched alerts off, those about security always', async () => {
    wantsAlerts = false;
    await store.put([receipt(1), passkey]);
    expect((await queue().claim(5)).map(({ subject }) => subject)).toEqual(['Passkey removed']);
    expect(await stateOf(receipt(1))).toMatchObject({ status: 'dropped', because: 'alerts-off' });
  });

  it.each([
    ['that nobody has verified', { emailVerified: false }],
    ['that would add to the header', { email: 'ada@example.org>\r\nBcc: <eve@example.org' }],
    ['that is two', { email: 'ada@example.org,eve@example.org' }],
  ])('go to no address %s', async (_, over) => {
    await livesAs(over);
    await store.put([passkey]);
    expect(await queue().claim(1)).toEqual([]);
    expect(await stateOf(passkey)).toMatchObject({ status: 'dropped', because: 'no-verified-address' });
  });

  it('go to nobody who is forgotten', async () => {
    profiles.set(ADA, await vault.seal('usr_gone', 'x'));
    await vault.forget('usr_gone');
    await store.put([passkey]);
    expect(await queue().claim(1)).toEqual([]);
    expect(await stateOf(passkey)).toMatchObject({ status: 'dropped', because: 'forgotten' });
  });

  it('leave an address alone that refused: alerts are dropped, security waits, another address is asked', async () => {
    await store.put([receipt(1)]);
    await queue().claim(1);
    await note(receipt(1), 'address-refused', 550);
    expect(await stateOf(receipt(1))).toMatchObject({ status: 'refused', because: 'smtp-550' });
    await store.put([receipt(2), passkey]);
    expect(await queue().claim(5)).toEqual([]);
    expect(await stateOf(receipt(2))).toMatchObject({ status: 'dropped', because: 'address-refused' });
    const wait = (await stateOf(passkey))?.wait;
    expect([wait! > 3500, wait! <= 3600]).toEqual([true, true]);
    await livesAs({ email: 'ada@elsewhere.example' });
    await dueNow();
    expect((await queue().claim(5))[0]?.to).toBe('ada@elsewhere.example');
    await note(passkey, 'sent');
    expect((await pool.query('select from edge.mail_addresses')).rowCount).toBe(0);
  });

  it('are tried after an hour at an address that refused, where they are about security', async () => {
    await store.put([receipt(1)]);
    await queue().claim(1);
    await note(receipt(1), 'address-refused', 550);
    const changed = { ...passkey, at: new Date(Date.now() - HOUR_MS) };
    await store.put([changed]);
    expect((await queue().claim(5)).map(({ to }) => to)).toEqual(['ada@example.org']);
    await note(changed, 'sent');
    expect((await pool.query('select from edge.mail_addresses')).rowCount).toBe(0);
  });

  it('tell of a recovery until it can be completed, and of nothing else after a day', async () => {
    const started = (key: string, completesInHours: number): NewMessage => ({
      userId: ADA,
      kind: 'recovery_started',
      key,
      facts: { completesAt: new Date(Date.now() + completesInHours * HOUR_MS).toISOString() },
      at: new Date(Date.now() - 71 * HOUR_MS),
    });
    await store.put([started('rec_1', 1), started('rec_2', -1)]);
    expect((await stateOf(started('rec_1', 1)))?.status).toBe('waiting');
    expect(await stateOf(started('rec_2', -1))).toMatchObject({ status: 'dropped', because: 'too-old' });
    expect(await queue().claim(5)).toHaveLength(1);
    await pool.query(
      `update edge.messages set facts = jsonb_set(facts, '{completesAt}', '"2026-01-01T00:00:00.000Z"')`,
    );
    await dueNow();
    expect(await queue().claim(5)).toEqual([]);
    expect(await stateOf(started('rec_1', 1))).toMatchObject({ status: 'dropped', because: 'too-old' });
  });

  it('carry a link that is for them alone, which is forgotten once they are sent', async () => {
    const started: NewMessage = {
      userId: ADA,
      kind: 'recovery_started',
      key: 'rec_1',
      facts: { completesAt: '2026-12-04T10:00:00.000Z' },
      at: new Date(),
    };
    await store.put([{ ...started, sealedLink: await vault.seal(ADA, '/refuse/secret') }]);
    const [mail] = await queue().claim(1);
    expect(mail?.text).toContain('https://encore.example/refuse/secret');
    await note(started, 'sent');
    expect(await stateOf(started)).toMatchObject({ status: 'sent', sealed_link: null });
  });
});
