/**
 * Sealed texts that do not open: each is marked where it shows and told to whoever runs the process, and
 * nothing stops. Each event is fed twice; a replay yields the same rows.
 */
import { describe, expect, it } from '@jest/globals';
import { bankAccountsStream } from '#contracts/events/bank-account';
import { subscriptionStream } from '#contracts/events/subscription';
import { UNREADABLE_TEXT } from '#contracts/plain/unreadable';
import { JUNO, MILO, open, openAccount, openWallet, settle } from '#test/support/journal-spec';
import { profileOf, sealedFor } from '#test/support/plain-vault';
import { useReadSides, type ReadSide } from '#test/support/read-side';
import { Story } from '#test/support/story';
import { balanceOf } from '../balances/queries.js';
import { bankAccountsOf } from '../bank-accounts/queries.js';
import { readModels } from '../read-models.js';
import { scheduleForPayer } from '../schedules/queries.js';
import { transactionsOf } from '../transactions/queries.js';
import { userByEmail, userById } from '../users/queries.js';
import { readTroubles } from './read-troubles.js';
import { rebuild } from './rebuild.js';
import { unreadableTexts, type UnreadableNote } from './text-reader.js';

const sides = useReadSides();

const AT = '2026-03-10T12:00:00.000Z';
const tip = { paymentId: 'pay_tip', amount: '20.00' };

/** Everything of Milo's that is sealed, under a key that is missing from the first event on. */
async function withoutKey(): Promise<{ side: ReadSide; notes: UnreadableNote[] }> {
  const notes: UnreadableNote[] = [];
  const story = new Story();
  const side = await sides.open(
    story,
    readModels(story.vault, (note) => notes.push(note)),
  );
  story.vault.lost.add(MILO);
  story.register(JUNO, profileOf('juno'));
  story.register(MILO, profileOf('milo'));
  story.command(openAccount(JUNO), openAccount(MILO));
  story.command(Object.assign(open(tip), { note: sealedFor(MILO, 'Great show!') }), settle(tip));
  story.command(openWallet(MILO, 'wal_milo'));
  story.write(subscriptionStream('sub_a'), {
    type: 'SubscriptionCreated',
    data: {
      subscriptionId: 'sub_a',
      payerId: MILO,
      recipientId: JUNO,
      amountMinor: 500,
      currency: 'usd',
      frequency: 'weekly',
      firstDueAt: AT,
      description: sealedFor(MILO, 'For the choir'),
      fingerprint: 'x',
      at: AT,
    },
  });
  const details = { accountHolderName: 'M', bankName: 'B', accountLast4: '6789', routingLast4: '0000' };
  const account = { userId: MILO, bankAccountId: 'ba_1' };
  story.write(bankAccountsStream(MILO), {
    type: 'BankAccountSubmitted',
    data: {
      ...account,
      accountType: 'savings',
      details: sealedFor(MILO, JSON.stringify(details)),
      numberFingerprint: 'n',
      requestFingerprint: 'r',
      submittedAt: AT,
    },
  });
  story.write(bankAccountsStream(MILO), {
    type: 'BankAccountAdded',
    data: { ...account, externalAccountId: 'ext_1' },
  });
  await side.feed();
  return { side, notes };
}

const noteOf = async (side: ReadSide) =>
  (await transactionsOf(side.db, JUNO)).lines.find(({ id }) => id === 'pay_tip')?.note;

describe('a sealed text that does not open', () => {
  it('is marked wherever it shows, and stops nothing', async () => {
    const { side } = await withoutKey();
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(2000);
    expect((await userById(side.db, JUNO))?.username).toBe('juno');
    expect(await userById(side.db, MILO)).toMatchObject({
      firstName: 'This name',
      lastName: 'cannot be read',
      email: null,
      forgotten: false,
    });
    expect(await userByEmail(side.db, 'milo@example.org', JUNO)).toBeUndefined();
    expect(await noteOf(side)).toBe(UNREADABLE_TEXT);
    expect((await scheduleForPayer(side.db, 'sub_a', MILO))?.description).toBe(UNREADABLE_TEXT);
    expect(await bankAccountsOf(side.db, MILO)).toMatchObject([
      { bankName: UNREADABLE_TEXT, accountLast4: null },
    ]);
  });

  it('is told with its event, its user and its key, and counted', async () => {
    const { side, notes } = await withoutKey();
    expect(notes).toContainEqual({
      stream: `user-${MILO}`,
      revision: 0,
      eventId: expect.any(String),
      type: 'UserRegistered',
      userId: MILO,
      key: `the data key of user ${MILO}`,
      because: 'key-missing',
    });
    expect(new Set(notes.map(({ type }) => type))).toEqual(
      new Set([
        'UserRegistered',
        'PaymentOpened',
        'WalletOpened',
        'SubscriptionCreated',
        'BankAccountSubmitted',
      ]),
    );
    expect(await unreadableTexts(side.db)).toEqual([{ because: 'key-missing', texts: 5, people: 1 }]);
    expect(await readTroubles(side.db)).toEqual([
      expect.stringMatching(
        /^Rows with texts that cannot be read: 5, of 1 person, whose data keys are missing\./,
      ),
    ]);
  });

  it('is read again once the key is back and the rows are made anew', async () => {
    const { side } = await withoutKey();
    side.story.vault.lost.delete(MILO);
    await rebuild({
      databaseUrl: side.databaseUrl,
      log: side.story.log,
      models: side.models,
      compare: false,
      swap: true,
    });
    expect(await noteOf(side)).toBe('Great show!');
    expect((await userById(side.db, MILO))?.username).toBe('milo');
    expect(await unreadableTexts(side.db)).toEqual([]);
    expect(await readTroubles(side.db)).toEqual([]);
  });

  it('is blank and no trouble any more when its owner is forgotten', async () => {
    const { side } = await withoutKey();
    side.story.vault.lost.delete(MILO);
    side.story.forget(MILO);
    await side.feed();
    expect(await noteOf(side)).toBeNull();
    expect((await userById(side.db, MILO))?.firstName).toBeNull();
    expect(await unreadableTexts(side.db)).toEqual([]);
  });

  it('is replaced by the next one that opens', async () => {
    const { side } = await withoutKey();
    side.story.vault.lost.delete(MILO);
    side.story.changeProfile(MILO, profileOf('miles'));
    await side.feed();
    expect((await userById(side.db, MILO))?.username).toBe('miles');
    // As the replay reads it: with the key that is back.
    await rebuild({
      databaseUrl: side.databaseUrl,
      log: side.story.log,
      models: side.models,
      compare: false,
      swap: true,
    });
  });
});
