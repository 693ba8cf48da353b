/** Messages from the log: once, whoever follows and whatever becomes of the log. On a real Postgres. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { accountRecoveryStream } from '#contracts/events/account-recovery';
import { JOURNAL } from '#contracts/events/journal';
import { passkeysStream } from '#contracts/events/passkeys';
import { guestStream } from '#contracts/events/guest';
import { userStream } from '#contracts/events/user';
import type { EventLog } from '#log/event-log';
import { migrate } from '#log/migrations';
import { Vault } from '#log/vault';
import { EDGE, VAULT } from '#processes/migrations';
import { JUNO, MILO, open, openAccount, settle, submit } from '#test/support/journal-spec';
import { MemoryNode } from '#test/support/memory-node';
import { useStack } from '#test/support/stack';
import { Story } from '#test/support/story';
import { MessageFollower } from './message-follower.js';
import { MessageStore } from './message-store.js';

const stack = useStack(['postgres']);
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
const HOUR_MS = 3_600_000;
const MASTER_KEY = randomBytes(32).toString('hex');

/** A ledger's beginning, an hour ago. */
function begin(): Story {
  const story = new Story();
  story.nowMs = Date.now() - HOUR_MS;
  story.command(openAccount(JUNO), openAccount(MILO));
  return story;
}

function tip(story: Story, n: number, occurredAt = new Date(story.nowMs).toISOString()): void {
  const payment = { paymentId: `pay_${n}`, amount: '1.00' };
  story.command(open(payment), submit(payment), settle(payment, { occurredAt }));
}

describe('messages from the log', () => {
  let pool: pg.Pool;
  let store: MessageStore;
  let vault: Vault;
  const running: MessageFollower[] = [];
  let recovery: string | undefined;
  let earlier: readonly string[];

  beforeAll(async () => {
    await migrate(stack().env.DATABASE_URL!, [VAULT, EDGE]);
    pool = new pg.Pool({ connectionString: stack().env.DATABASE_URL!, max: 10 });
    store = new MessageStore(pool);
    vault = Vault.open(pool, MASTER_KEY);
  });
  beforeEach(async () => {
    recovery = undefined;
    earlier = [];
    await pool.query('truncate edge.messages, edge.message_deliveries, vault.data_keys');
    await pool.query(
      `update edge.message_marks set position = null, last_event = null,
              began_at = now() - interval '10 days', no_mail_before = now() - interval '10 days'`,
    );
  });
  const stopAll = async (): Promise<void> => {
    await Promise.all(running.splice(0).map((follower) => follower.stop()));
  };
  afterEach(stopAll);
  afterAll(() => pool.end());

  function follow(log: EventLog, areKeysBack = () => Promise.resolve(false)): MessageFollower {
    const follower = new MessageFollower({
      log,
      pool,
      store,
      vault,
      note: pino({ level: 'silent' }),
      recovery: () => recovery,
      areKeysOfForgottenBack: areKeysBack,
      onDrop: () => undefined,
      earlierAddresses: () => Promise.resolve(earlier),
      retryMs: 5,
    });
    running.push(follower);
    follower.start();
    return follower;
  }

  interface Kept {
    user_id: string;
    kind: string;
    key: string;
    status: string;
    because: string | null;
  }
  const kept = async (): Promise<Kept[]> =>
    (
      await pool.query<Kept>(
        `select m.user_id, kind, key, status, because from edge.messages m
           join edge.message_deliveries d on d.message_id = m.id order by m.at, key, kind`,
      )
    ).rows;
  const marks = async (): Promise<unknown[]> =>
    (await pool.query<object>('select position, last_event from edge.message_marks')).rows;
  async function until(count: number): Promise<Kept[]> {
    for (;;) {
      const rows = await kept();
      if (rows.length >= count) return rows;
      await soon();
    }
  }
  /** All that the log holds is told: what is written behind it has been. */
  async function allTold(story: Story): Promise<Kept[]> {
    tip(story, 9_999);
    for (;;) {
      const rows = await kept();
      // Its payer may be forgotten; both are told at once.
      if (rows.some(({ key, user_id: told }) => key === 'pay_9999' && told === JUNO))
        return rows.filter(({ key }) => key !== 'pay_9999');
      await soon();
    }
  }

  it('are told to both of a payment, and are to be mailed', async () => {
    const story = begin();
    follow(story.log);
    tip(story, 1);
    expect(await until(2)).toEqual([
      { user_id: MILO, kind: 'receipt', key: 'pay_1', status: 'waiting', because: null },
      { user_id: JUNO, kind: 'tip_received', key: 'pay_1', status: 'waiting', because: null },
    ]);
  });

  it('are told each time that the same passkey is added and removed, and once when the log is read anew', async () => {
    const story = begin();
    const passkey = { userId: JUNO, passkeyId: 'psk_1' };
    for (let n = 0; n < 2; n += 1) {
      story.nowMs += 1_000;
      story.write(passkeysStream(JUNO), {
        type: 'PasskeyEnrolled',
        data: { ...passkey, credential: 'sealed:usr_juno:x' },
      });
      story.write(passkeysStream(JUNO), { type: 'PasskeyRemoved', data: passkey });
    }
    follow(story.log);
    const kinds = ['passkey_added', 'passkey_added', 'passkey_removed', 'passkey_removed'];
    expect((await until(4)).map(({ kind }) => kind).toSorted()).toEqual(kinds);
    await stopAll();
    await pool.query('update edge.message_marks set position = null, last_event = null');
    follow(story.log);
    expect((await allTold(story)).map(({ kind }) => kind).toSorted()).toEqual(kinds);
  });

  it('are told once by three ledgers side by side, each interrupted, and none is lost', async () => {
    const story = begin();
    const { log } = story;
    for (let n = 0; n < 3; n += 1) follow(log);
    for (let n = 1; n <= 300; n += 1) {
      tip(story, n);
      if (n % 40 === 0) log.breakConnections();
      if (n % 90 === 0) await stopAll().then(() => [1, 2, 3].forEach(() => follow(log)));
      if (n % 10 === 0) await soon();
    }
    const rows = await allTold(story);
    expect(rows).toHaveLength(600);
    expect(new Set(rows.map(({ user_id, kind, key }) => `${user_id} ${kind} ${key}`)).size).toBe(600);
  });

  it('are not told again when all of the log is read anew, and what was mailed stays mailed', async () => {
    const story = begin();
    for (const n of [1, 2]) tip(story, n);
    follow(story.log);
    await until(4);
    await stopAll();
    await pool.query(`update edge.message_deliveries set status = 'sent'`);
    await pool.query('update edge.message_marks set position = null, last_event = null');
    follow(story.log);
    const rows = await allTold(story);
    expect(rows.map(({ status }) => status)).toEqual(['sent', 'sent', 'sent', 'sent']);
  });

  it('are not told again by a log that lost its tail and was won back under other event ids', async () => {
    const story = begin();
    for (const n of [1, 2]) tip(story, n);
    follow(story.log);
    await until(4);
    await pool.query(`update edge.message_deliveries set status = 'sent'`);
    recovery = 'The log has lost its tail.';
    await stopAll();
    const restored = begin();
    tip(restored, 1);
    const again = { paymentId: 'pay_2', amount: '1.00' };
    const lost = { paymentId: 'pay_3', amount: '1.00' };
    const occurredAt = new Date(restored.nowMs).toISOString();
    // What the provider knows, pay_3 of it after the last backup of our rows.
    for (const payment of [again, lost]) {
      restored.command(open(payment), submit(payment));
      const { type, data } = restored.command(settle(payment, { occurredAt })).at(-1)!;
      restored.log.all.pop();
      restored.log.reindex();
      restored.write(JOURNAL, { type, data } as never, { recovered: true });
    }
    follow(restored.log);
    recovery = undefined;
    const rows = await allTold(restored);
    expect(rows.map(({ key, status, because }) => `${key} ${status} ${because}`)).toEqual([
      'pay_1 sent null',
      'pay_1 sent null',
      'pay_2 sent null',
      'pay_2 sent null',
      'pay_3 dropped recovered',
      'pay_3 dropped recovered',
    ]);
  });

  it('of before a new epoch are shown and never mailed: the lost history may have mailed them', async () => {
    const story = begin();
    tip(story, 1);
    story.entry({ type: 'EpochBegun', data: { commonRevision: 1 } });
    story.nowMs += 60_000;
    tip(story, 2, new Date(story.nowMs - 120_000).toISOString());
    tip(story, 3, new Date(story.nowMs).toISOString());
    follow(story.log);
    const rows = await until(6);
    expect(new Map(rows.map(({ key, because }) => [key, because])).get('pay_2')).toBe('too-old');
    expect(rows.filter(({ key }) => key === 'pay_3').map(({ status }) => status)).toEqual([
      'waiting',
      'waiting',
    ]);
  });

  it('of a payment whose word came two days late are shown and never mailed', async () => {
    const story = begin();
    follow(story.log);
    tip(story, 1, new Date(Date.now() - 48 * HOUR_MS).toISOString());
    expect((await until(2)).map(({ status, because }) => [status, because])).toEqual([
      ['dropped', 'too-old'],
      ['dropped', 'too-old'],
    ]);
  });

  it('are not told from the beginning again by the word of a node that was cut off from the others', async () => {
    const story = begin();
    const node = new MemoryNode(story.log);
    tip(story, 1);
    follow(node);
    await until(2);
    node.cutOff();
    tip(story, 2);
    // Another ledger, which the leader gives it, tells it.
    follow(story.log);
    await until(4);
    await stopAll();
    const marked = await marks();
    const atCutOff = follow(node);
    while (atCutOff.trouble === undefined) await soon();
    expect(atCutOff.trouble).toBe('It is not certain who leads');
    expect(await marks()).toEqual(marked);
    node.heal();
    tip(story, 3);
    expect(await until(6)).toHaveLength(6);
  });

  it('wait while the log is in recovery', async () => {
    const story = begin();
    recovery = 'The log has lost its tail.';
    follow(story.log);
    tip(story, 1);
    for (let n = 0; n < 5; n += 1) await soon();
    expect(await kept()).toEqual([]);
    recovery = undefined;
    expect(await until(2)).toHaveLength(2);
  });

  it('leave nobody a key who is forgotten, whose key a restored Postgres still has', async () => {
    const story = begin();
    const guestId = `gst_${'w'.repeat(22)}`;
    const sealed = await Promise.all([MILO, guestId, JUNO].map((id) => vault.seal(id, 'a note')));
    story.forget(MILO);
    story.write(guestStream(guestId), { type: 'GuestForgotten', data: { guestId } });
    follow(story.log);
    await allTold(story);
    const after = Vault.open(pool, MASTER_KEY);
    expect(await Promise.all(sealed.map((text) => after.unseal(text)))).toEqual([
      undefined,
      undefined,
      'a note',
    ]);
  });

  it('leave nobody a key who is forgotten, where the vault alone was restored to before that', async () => {
    const story = begin();
    const guestId = `gst_${'x'.repeat(22)}`;
    const sealed = await Promise.all([MILO, guestId].map((id) => vault.seal(id, 'a note')));
    await pool.query('create table vault.kept as select * from vault.data_keys');
    story.forget(MILO);
    story.write(guestStream(guestId), { type: 'GuestForgotten', data: { guestId } });
    follow(story.log);
    await allTold(story);
    await stopAll();
    await pool.query('delete from vault.data_keys; insert into vault.data_keys select * from vault.kept');
    await pool.query('drop table vault.kept');
    const opened = (): Promise<unknown[]> => {
      const after = Vault.open(pool, MASTER_KEY);
      return Promise.all(sealed.map((text) => after.unseal(text)));
    };
    expect(await opened()).toEqual(['a note', 'a note']);
    // What the rows say of people is said of no guest.
    follow(story.log, async () => (await opened())[0] !== undefined);
    for (let n = 0; n < 200 && (await opened()).some((text) => text !== undefined); n += 1) await soon();
    expect(await opened()).toEqual([undefined, undefined]);
  });

  describe('of an account recovery', () => {
    /** The ledger that wrote it did no more than that. */
    function startRecovery(story: Story, refusalToken: string): void {
      const at = new Date(story.nowMs).toISOString();
      const data = {
        ...{ userId: JUNO, recoveryId: 'rec_1', startedBy: 'owner' as const, startedAt: at, signedInAt: at },
        ...{ completableFrom: at, lapsesAt: at, refusalToken },
      };
      story.write(accountRecoveryStream(JUNO), { type: 'AccountRecoveryStarted', data });
    }
    const links = async (): Promise<(string | undefined)[]> => {
      const { rows } = await pool.query<{ sealed_link: string | null }>(
        'select sealed_link from edge.message_deliveries where user_id = $1 order by message_id',
        [JUNO],
      );
      return Promise.all(
        rows.map(({ sealed_link: link }) => vault.unseal(link ?? '').catch(() => undefined)),
      );
    };

    it('reach its owner, and the address of before, whatever became of the ledger that began it', async () => {
      const story = begin();
      earlier = [new Date(story.nowMs).toISOString()];
      startRecovery(story, await vault.seal(JUNO, 'token'));
      follow(story.log);
      expect((await until(2)).map(({ kind, status }) => `${kind} ${status}`).toSorted()).toEqual([
        'recovery_started waiting',
        'recovery_started_earlier waiting',
      ]);
      expect(await links()).toEqual([`/recovery#${JUNO}.token`, `/recovery#${JUNO}.token`]);
    });

    it('go without the link where its token cannot be read, and hold up nobody', async () => {
      const story = begin();
      startRecovery(story, `sealed:${JUNO}:damaged`);
      follow(story.log);
      expect(await allTold(story)).toMatchObject([{ kind: 'recovery_started', status: 'waiting' }]);
      expect((await links())[0]).toBeUndefined();
    });
  });

  it('tell of a wish to be forgotten and of its end, whatever became of the ledger that was asked', async () => {
    const story = begin();
    const at = () => new Date(story.nowMs).toISOString();
    const asked = () => story.write(userStream(JUNO), { type: 'ForgettingRequested', data: wish() });
    const wish = () => ({ userId: JUNO, requestedAt: at(), dueAt: at() });
    asked();
    const first = at();
    story.write(userStream(JUNO), {
      type: 'ForgettingRequestEnded',
      data: { userId: JUNO, why: 'money_left', endedAt: first },
    });
    asked();
    follow(story.log);
    const told = await allTold(story);
    expect(told.map(({ kind, status }) => `${kind} ${status}`).toSorted()).toEqual([
      'forgetting_asked waiting',
      'forgetting_asked waiting',
      'forgetting_cancelled waiting',
    ]);
    const [ended] = told.filter(({ kind }) => kind === 'forgetting_cancelled');
    expect(told.filter(({ key }) => key === ended?.key)).toHaveLength(2);
  });

  it('are deleted when their reader is forgotten', async () => {
    const story = begin();
    follow(story.log);
    tip(story, 1);
    await until(2);
    story.forget(MILO);
    expect(await allTold(story)).toMatchObject([{ user_id: JUNO, kind: 'tip_received', key: 'pay_1' }]);
  });

  it('stop before an event that only a newer build reads, so that the newer one tells it', async () => {
    const story = begin();
    tip(story, 1);
    story.log.put(userStream(JUNO), {
      id: 'evt_new',
      type: 'FromTheFuture',
      data: {},
      metadata: story.log.all[0]!.metadata.value as object,
    });
    story.log.all.push({ ...story.log.all.pop()!, createdAt: new Date() });
    story.log.reindex();
    tip(story, 2);
    const follower = follow(story.log);
    await until(2);
    while (follower.trouble === undefined) await soon();
    expect(follower.trouble).toContain('FromTheFuture');
    expect(await kept()).toHaveLength(2);
    // Ten minutes later nobody has read it: the others are told.
    const at = story.log.all.findIndex(({ id }) => id === 'evt_new');
    story.log.all[at] = { ...story.log.all[at]!, createdAt: new Date(Date.now() - 11 * 60_000) };
    story.log.reindex();
    expect(await until(4)).toHaveLength(4);
  });
});
