/** Bank accounts and the steps of payouts. Each event is fed twice; a replay yields the same rows. */
import { describe, expect, it } from '@jest/globals';
import { bankAccountsStream, type BankAccountEvent } from '#contracts/events/bank-account';
import { JUNO, MILO } from '#test/support/journal-spec';
import { profileOf, sealedFor } from '#test/support/plain-vault';
import { useReadSides, type ReadSide } from '#test/support/read-side';
import { bankAccountsOf, providerAccounts, payoutStandingOf, stuckBankAccounts } from './queries.js';

const sides = useReadSides();

const AT = '2026-03-10T12:00:00.000Z';
function say(side: ReadSide, ...events: BankAccountEvent[]): void {
  for (const event of events) side.story.write(bankAccountsStream(event.data.userId), event);
}
const submitted = (userId: string, bankAccountId: string): BankAccountEvent => ({
  type: 'BankAccountSubmitted',
  data: {
    userId,
    bankAccountId,
    accountType: 'savings',
    details: sealedFor(
      userId,
      JSON.stringify({
        accountHolderName: 'Juno V',
        bankName: 'Harbor',
        accountLast4: '6789',
        routingLast4: '0000',
      }),
    ),
    numberFingerprint: `number of ${bankAccountId}`,
    requestFingerprint: 'request',
    submittedAt: AT,
  },
});
const about = <T extends 'PrimaryBankAccountChosen' | 'BankAccountMended' | 'BankAccountRemoved'>(
  type: T,
  userId: string,
  bankAccountId: string,
) => ({ type, data: { userId, bankAccountId } });
const added = (userId: string, bankAccountId: string): BankAccountEvent => ({
  type: 'BankAccountAdded',
  data: { userId, bankAccountId, externalAccountId: `ba_${bankAccountId}` },
});
const primary = (userId: string, id: string): BankAccountEvent =>
  about('PrimaryBankAccountChosen', userId, id);
const ids = async (side: ReadSide, userId: string) =>
  (await bankAccountsOf(side.db, userId)).map(({ id, isPrimary, error }) =>
    `${id}${isPrimary ? ' primary' : ''} ${error ?? ''}`.trim(),
  );

describe('bank accounts', () => {
  it('are shown once the provider has them, with the last digits only, the primary one first', async () => {
    const side = await sides.open();
    say(side, submitted(JUNO, 'a'));
    await side.feed();
    expect(await ids(side, JUNO)).toEqual([]);
    expect(await stuckBankAccounts(side.db, new Date(Date.parse(AT) + 1), 10)).toEqual([JUNO]);
    expect(await stuckBankAccounts(side.db, new Date(AT), 10)).toEqual([]);
    expect(await stuckBankAccounts(side.db, new Date(Date.parse(AT) + 1), 10, JUNO)).toEqual([]);
    say(side, added(JUNO, 'a'), primary(JUNO, 'a'), submitted(JUNO, 'b'), added(JUNO, 'b'));
    await side.feed();
    expect(await bankAccountsOf(side.db, JUNO)).toMatchObject([
      {
        id: 'a',
        accountType: 'savings',
        accountHolderName: 'Juno V',
        bankName: 'Harbor',
        accountLast4: '6789',
        routingLast4: '0000',
        isPrimary: true,
        error: null,
      },
      { id: 'b', isPrimary: false },
    ]);
    say(side, primary(JUNO, 'b'));
    await side.feed();
    expect(await ids(side, JUNO)).toEqual(['b primary', 'a']);
    expect(await ids(side, MILO)).toEqual([]);
  });

  it('leave the list when they are removed or refused, and the next one is primary', async () => {
    const side = await sides.open();
    say(
      side,
      submitted(JUNO, 'a'),
      added(JUNO, 'a'),
      primary(JUNO, 'a'),
      submitted(JUNO, 'b'),
      added(JUNO, 'b'),
    );
    say(side, submitted(JUNO, 'c'), {
      type: 'BankAccountRefused',
      data: { userId: JUNO, bankAccountId: 'c', reason: 'no' },
    });
    say(side, about('BankAccountRemoved', JUNO, 'a'), primary(JUNO, 'b'));
    await side.feed();
    expect(await ids(side, JUNO)).toEqual(['b primary']);
  });

  it('say what is wrong with them until it is mended', async () => {
    const side = await sides.open();
    say(side, submitted(JUNO, 'a'), added(JUNO, 'a'), primary(JUNO, 'a'));
    say(side, { type: 'BankAccountErrored', data: { userId: JUNO, bankAccountId: 'a', code: 'errored' } });
    await side.feed();
    expect(await ids(side, JUNO)).toEqual(['a primary errored']);
    say(side, about('BankAccountMended', JUNO, 'a'));
    await side.feed();
    expect(await ids(side, JUNO)).toEqual(['a primary']);
  });

  it('lose every text when their owner is forgotten', async () => {
    const side = await sides.open();
    side.story.register(JUNO, profileOf('juno'));
    say(side, submitted(JUNO, 'a'), added(JUNO, 'a'));
    await side.feed();
    side.story.forget(JUNO);
    await side.feed();
    const nothing = { accountHolderName: null, bankName: null, accountLast4: null, routingLast4: null };
    expect(await bankAccountsOf(side.db, JUNO)).toMatchObject([{ id: 'a', ...nothing }]);
  });
});

describe('a user’s standing', () => {
  it('is unverified and disabled without an account at the provider, and then as the provider says', async () => {
    const side = await sides.open();
    expect(await payoutStandingOf(side.db, JUNO)).toEqual({
      connectAccountId: null,
      payoutsEnabled: false,
      disabledCode: null,
      isVerified: false,
    });
    say(
      side,
      submitted(JUNO, 'a'),
      { type: 'PayoutAccountOpened', data: { userId: JUNO, connectAccountId: 'acct_juno' } },
      { type: 'PayoutsDisabled', data: { userId: JUNO, code: 'requirements.past_due' } },
    );
    await side.feed();
    expect(await payoutStandingOf(side.db, JUNO)).toMatchObject({
      payoutsEnabled: false,
      disabledCode: 'requirements.past_due',
    });
    say(
      side,
      { type: 'PayoutsEnabled', data: { userId: JUNO } },
      { type: 'UserVerified', data: { userId: JUNO } },
    );
    await side.feed();
    const verified = {
      connectAccountId: 'acct_juno',
      payoutsEnabled: true,
      disabledCode: null,
      isVerified: true,
    };
    expect(await payoutStandingOf(side.db, JUNO)).toEqual(verified);
    expect(await providerAccounts(side.db, 10)).toEqual([
      { userId: JUNO, connectAccountId: 'acct_juno', payoutsEnabled: true },
    ]);
    expect(await providerAccounts(side.db, 10, JUNO)).toEqual([]);
    say(side, { type: 'UserUnverified', data: { userId: JUNO } });
    await side.feed();
    expect(await payoutStandingOf(side.db, JUNO)).toEqual({ ...verified, isVerified: false });
  });
});
