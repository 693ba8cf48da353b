/**
 * Somebody deletes a stream of ours for good at the event store. What other streams tell people is told all
 * the same, and at once. Over a log in memory, and a mark that is kept there too.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { subscriptionStream } from '#contracts/events/subscription';
import { userStream } from '#contracts/events/user';
import { positionText } from '#contracts/log';
import { AT, JUNO, MILO, open, openAccount, settle, submit } from '#test/support/journal-spec';
import { profileOf } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { MessageFollower } from './message-follower.js';
import type { MessageStore } from './message-store.js';

interface MarkRow {
  position: string | null;
  last_event: unknown;
}

/** The one row that says how far the log was told. */
function poolOver(mark: MarkRow): Pool {
  const query = (sql: string, values: readonly unknown[] = []): Promise<{ rows: MarkRow[] }> => {
    if (sql.includes('position = null')) Object.assign(mark, { position: null, last_event: null });
    if (sql.includes('position = $1, last_event'))
      Object.assign(mark, { position: values[0], last_event: JSON.parse(String(values[1])) });
    return Promise.resolve({ rows: sql.startsWith('select position') ? [{ ...mark }] : [] });
  };
  const client = { query, release: () => undefined };
  return { query, connect: () => Promise.resolve(client) } as unknown as Pool;
}

const running: MessageFollower[] = [];
afterEach(() => Promise.all(running.splice(0).map((follower) => follower.stop())));

/** Follows, and answers the kinds of what it tells; resolves once both of a payment were told. */
async function told({ log }: Story, mark: MarkRow = { position: null, last_event: null }): Promise<string[]> {
  const kinds: string[] = [];
  const paid = new Promise<void>((resolve) => {
    const put: MessageStore['put'] = (messages) => {
      kinds.push(...messages.map(({ kind }) => kind));
      if (kinds.includes('tip_received')) resolve();
      return Promise.resolve();
    };
    const follower = new MessageFollower({
      log,
      pool: poolOver(mark),
      store: { put } as MessageStore,
      vault: {
        forgetIn: () => Promise.resolve(),
        drop: () => undefined,
        unsealOr: () => Promise.resolve(undefined),
        seal: () => Promise.reject(new Error('Nothing is sealed here.')),
      },
      earlierAddresses: () => Promise.resolve([]),
      note: pino({ level: 'silent' }),
      recovery: () => undefined,
      areKeysOfForgottenBack: () => Promise.resolve(false),
      onDrop: () => undefined,
      retryMs: 1,
    });
    running.push(follower);
    follower.start();
  });
  await paid;
  return kinds;
}

function story(): Story {
  const begun = new Story();
  begun.nowMs = Date.now();
  begun.command(openAccount(JUNO), openAccount(MILO));
  begun.register(JUNO, profileOf('juno'));
  return begun;
}

function pay(of: Story): void {
  const payment = { paymentId: 'pay_1', amount: '1.00' };
  of.command(open(payment), submit(payment), settle(payment));
}

describe('messages, while a stream was deleted for good,', () => {
  it('are told of what comes behind its end, and nobody waits for a newer build', async () => {
    const it = story();
    it.log.deleteForGood(userStream(JUNO));
    pay(it);
    expect(await told(it)).toEqual(expect.arrayContaining(['tip_received', 'receipt']));
  });

  it.each([
    ['its end', -1],
    ['an event of it', -2],
  ])('are told from the beginning where they stood at %s', async (_, at) => {
    const it = story();
    it.log.deleteForGood(userStream(JUNO));
    const { position, stream, revision, id } = it.log.all.at(at)!;
    pay(it);
    const mark = { position: positionText(position), last_event: { stream, revision, id } };
    expect(await told(it, mark)).toEqual(expect.arrayContaining(['tip_received', 'receipt']));
  });

  it('leave out what only the deleted stream could say', async () => {
    const it = story();
    const stream = subscriptionStream('sub_1');
    const due = { scheduleKind: 'subscription', scheduleId: 'sub_1', payerId: MILO } as const;
    it.write(stream, {
      type: 'OccurrenceFailed',
      data: {
        ...due,
        occurrenceId: 'occ_1',
        dueAt: AT,
        attempt: 1,
        at: AT,
        code: 'no_funding',
        reason: 'None.',
      },
    });
    it.log.deleteForGood(stream);
    pay(it);
    expect(await told(it)).not.toContain('payment_failed');
  });
});
