/** Idempotency keys of journal entries. Each event is fed twice; a replay yields the same rows. */
import { describe, expect, it } from '@jest/globals';
import { storedEvent } from '#log/stored-event';
import { JUNO, MILO, open, openAccount, settle, submit, transfer } from '#test/support/journal-spec';
import { useReadSides } from '#test/support/read-side';
import { connectProjector, projectBatch } from '../engine/project-batch.js';
import { entriesOf, find } from './queries.js';

const sides = useReadSides();

const tip = { paymentId: 'pay_tip', amount: '20.00' };

describe('idempotency keys', () => {
  it('tell, with the entry, up to which journal revision "never used" means anything', async () => {
    const side = await sides.open();
    expect(await find(side.db, 'spec:pay_tip')).toEqual({ journalRevision: -1, found: undefined });
    side.story.command(openAccount(JUNO), openAccount(MILO));
    await side.feed();
    expect(await find(side.db, 'spec:pay_tip')).toEqual({ journalRevision: 1, found: undefined });
    const [opened] = side.story.command(open(tip));
    await side.feed();
    expect(await find(side.db, 'spec:pay_tip')).toEqual({
      journalRevision: 2,
      found: {
        key: 'spec:pay_tip',
        revision: 2,
        position: opened!.position,
        fingerprint: undefined,
        subject: 'pay_tip',
      },
    });
  });

  it('keep the fingerprint of the request, so that another body under the same key is seen', async () => {
    const side = await sides.open();
    side.story.command(openAccount(JUNO), openAccount(MILO));
    side.story.entry(
      {
        type: 'PaymentOpened',
        data: {
          paymentId: 'pay_1',
          payerId: MILO,
          recipientId: JUNO,
          amountMinor: 100,
          currency: 'usd',
          method: 'card',
        },
      },
      { key: 'k', fingerprint: 'fp' },
    );
    await side.feed();
    expect((await find(side.db, 'k')).found).toMatchObject({ fingerprint: 'fp' });
  });

  it('name every entry of one payment or transfer in order, and nothing else', async () => {
    const side = await sides.open();
    side.story.command(
      openAccount(JUNO),
      openAccount(MILO),
      open(tip),
      submit(tip),
      settle(tip),
      transfer('1.00', JUNO, MILO),
    );
    // A second charge for the same payment is unapplied money, no entry of the payment.
    side.story.command(settle(tip, { chargeId: 'ch_again' }));
    await side.feed();
    const { journalRevision, found } = await entriesOf(side.db, 'pay_tip');
    expect(journalRevision).toBe(6);
    expect(found.map(({ key, revision }) => `${revision} ${key}`)).toEqual([
      '2 spec:pay_tip',
      '3 intent:pi_pay_tip',
      '4 settle:ch_pay_tip',
    ]);
    expect((await entriesOf(side.db, 'trf_1')).found.map(({ key }) => key)).toEqual(['spec:trf_1']);
    expect(await entriesOf(side.db, 'pay_unknown')).toEqual({ journalRevision: 6, found: [] });
  });

  it('refuse to stand in two entries: an effect would be booked twice', async () => {
    const side = await sides.open();
    side.story.command(openAccount(JUNO));
    await side.feed();
    side.story.entry(
      { type: 'AccountOpened', data: { account: 'user/x/available', userId: 'x' } },
      { key: `account:${JUNO}` },
    );
    const client = await connectProjector(side.databaseUrl, 'read');
    try {
      await expect(
        projectBatch(client, [storedEvent(side.story.log.all.at(-1)!)], {
          schema: 'read',
          models: side.models,
          announce: false,
        }),
      ).rejects.toThrow(/duplicate key value/);
    } finally {
      await client.end();
    }
    expect((await find(side.db, `account:${JUNO}`)).journalRevision).toBe(0);
  });
});
