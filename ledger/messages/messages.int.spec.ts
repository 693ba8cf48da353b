/** Messages on a real Postgres: kept once, listed, read, forgotten. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { guestIdOf } from '#contracts/plain/guest';
import { migrate } from '#log/migrations';
import { Vault } from '#log/vault';
import { EDGE, VAULT } from '#processes/migrations';
import { useStack } from '#test/support/stack';
import type { NewMessage } from '../bus/messages.js';
import { messageIdOf, MessageStore } from './message-store.js';
import { MessageOutbox } from './messages.handlers.js';

const stack = useStack(['postgres']);
const MASTER_KEY = 'ab'.repeat(32);
const HOUR_MS = 3_600_000;
const ago = (ms: number): Date => new Date(Date.now() - ms);

let pool: pg.Pool;
let store: MessageStore;
let vault: Vault;
let outbox: MessageOutbox;
const receipt = (userId: string, n: number, at = ago(n * HOUR_MS)): NewMessage => ({
  userId,
  kind: 'receipt',
  key: `pay_${n}`,
  facts: { paymentId: `pay_${n}`, recipientId: 'usr_juno', amountMinor: 2050, currency: 'usd' },
  at,
});
const tip = (userId: string, n: number, payerId: string): NewMessage => ({
  userId,
  kind: 'tip_received',
  key: `tip_${n}`,
  facts: { paymentId: `pay_${n}`, payerId, amountMinor: 500, currency: 'usd' },
  at: ago(n),
});
const mailOf = async (message: NewMessage) =>
  (
    await pool.query<{ status: string; because: string | null; sealed_link: string | null }>(
      'select status, because, sealed_link from edge.message_deliveries where message_id = $1',
      [messageIdOf(message)],
    )
  ).rows;

describe('messages', () => {
  beforeAll(async () => {
    await migrate(stack().env.DATABASE_URL!, [VAULT, EDGE]);
    pool = new pg.Pool({ connectionString: stack().env.DATABASE_URL!, max: 4 });
    // There have been messages for long.
    await pool.query(
      `update edge.message_marks set began_at = now() - interval '1 year', no_mail_before = now() - interval '1 year'`,
    );
    store = new MessageStore(pool);
    vault = Vault.open(pool, MASTER_KEY);
    outbox = new MessageOutbox(store, vault);
  });
  afterAll(() => pool.end());

  describe('a message', () => {
    it('is kept and mailed once, however many tell it at the same moment', async () => {
      const one = receipt('usr_once', 1);
      await Promise.all(Array.from({ length: 20 }, () => outbox.put(one)));
      expect(await store.listOf('usr_once', 10)).toHaveLength(1);
      expect(await mailOf(one)).toEqual([{ status: 'waiting', because: null, sealed_link: null }]);
    });

    it('is shown and never mailed when it happened more than a day ago', async () => {
      const old = receipt('usr_old', 25);
      await outbox.put(old);
      expect(await store.listOf('usr_old', 10)).toMatchObject([{ id: messageIdOf(old), isRead: false }]);
      expect(await mailOf(old)).toEqual([{ status: 'dropped', because: 'too-old', sealed_link: null }]);
    });

    it('of a quarter of a year ago is not kept at all', async () => {
      await outbox.put(receipt('usr_ancient', 1, ago(91 * 24 * HOUR_MS)));
      expect(await store.listOf('usr_ancient', 10)).toEqual([]);
    });

    it('keeps a link that is for the mail alone sealed', async () => {
      const started: NewMessage = {
        userId: 'usr_link',
        kind: 'recovery_started',
        key: 'rec_1',
        facts: { completesAt: '2026-03-04T10:00:00.000Z' },
        at: new Date(),
        mailLink: '/refuse/secret',
      };
      await outbox.put(started);
      const [mail] = await mailOf(started);
      expect(mail?.sealed_link).toMatch(/^sealed:usr_link:/);
      expect(JSON.stringify(await store.listOf('usr_link', 10))).not.toContain('secret');
    });

    it('to somebody who is forgotten is nothing, and those from before are deleted', async () => {
      await outbox.put(receipt('usr_gone', 1));
      await vault.seal('usr_gone', 'their name');
      await vault.forget('usr_gone');
      await store.forget('usr_gone');
      await outbox.put(receipt('usr_gone', 1));
      await outbox.put({ ...receipt('usr_gone', 2), mailLink: '/refuse/secret' });
      expect(await store.listOf('usr_gone', 10)).toEqual([]);
      expect(await mailOf(receipt('usr_gone', 1))).toEqual([]);
    });

    it('of a kind that only a newer build knows is left for that one', async () => {
      await outbox.put(receipt('usr_new', 1));
      await pool.query(
        `insert into edge.messages (id, user_id, kind, key, facts, at) values ('msg_new', 'usr_new', 'from_the_future', 'k', '{}', now())`,
      );
      expect(await store.listOf('usr_new', 10)).toHaveLength(1);
    });
  });

  describe('the list of messages', () => {
    it('has the newest first, a page at a time', async () => {
      for (const n of [3, 1, 2]) await outbox.put(receipt('usr_list', n));
      const [first, second] = await store.listOf('usr_list', 2);
      const before = { atMs: second!.at.getTime(), id: second!.id };
      const [third] = await store.listOf('usr_list', 2, before);
      expect([first, second, third].map((line) => line?.facts)).toMatchObject([
        { paymentId: 'pay_1' },
        { paymentId: 'pay_2' },
        { paymentId: 'pay_3' },
      ]);
    });

    it('is read for its owner alone', async () => {
      const mine = receipt('usr_read', 1);
      await outbox.put(mine);
      await store.readSome('usr_other', [messageIdOf(mine)]);
      await store.readThrough('usr_other', messageIdOf(mine));
      expect(await store.unreadCount('usr_read')).toBe(1);
      await store.readSome('usr_read', [messageIdOf(mine)]);
      expect(await store.unreadCount('usr_read')).toBe(0);
      expect(await store.listOf('usr_read', 1)).toMatchObject([{ isRead: true }]);
    });

    it('is read as far as it was seen: what came since stays unread', async () => {
      await outbox.put(receipt('usr_seen', 1));
      const seen = receipt('usr_seen', 2);
      await outbox.put(seen);
      await outbox.put(receipt('usr_seen', 3));
      await store.readThrough('usr_seen', messageIdOf(seen));
      expect(await store.unreadCount('usr_seen')).toBe(1);
    });

    it('adds up the tips that nobody looked at yet, by who paid them', async () => {
      for (const n of [1, 2]) await outbox.put(tip('usr_away', n, 'usr_ada'));
      await outbox.put(tip('usr_away', 3, 'usr_milo'));
      await outbox.put(receipt('usr_away', 1));
      const tips = await store.unreadTips('usr_away');
      expect(new Map(tips.map(({ payerId, ...sum }) => [payerId, sum]))).toEqual(
        new Map([
          ['usr_ada', { tips: 2, amountMinor: 1000 }],
          ['usr_milo', { tips: 1, amountMinor: 500 }],
        ]),
      );
    });

    it('adds up the tips of guests together, however many guests there were', async () => {
      await store.put(Array.from({ length: 300 }, (_, n) => tip('usr_busy', n, guestIdOf(`guest-${n}`))));
      await outbox.put(tip('usr_busy', 300, 'usr_ada'));
      const tips = await store.unreadTips('usr_busy');
      expect(new Map(tips.map(({ payerId, ...sum }) => [payerId, sum]))).toEqual(
        new Map([
          [null, { tips: 300, amountMinor: 150_000 }],
          ['usr_ada', { tips: 1, amountMinor: 500 }],
        ]),
      );
    });
  });
});
