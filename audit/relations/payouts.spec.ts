/** Where a payout may go: to a bank account that was its owner's when it was asked for. */
import { describe, expect, it } from '@jest/globals';
import { bankAccountsStream } from '#contracts/events/bank-account';
import { JOURNAL } from '#contracts/events/journal';
import { recorded } from '#log/event-log';
import { AT, JUNO, MILO, open, openAccount, requestPayout, settle } from '#test/support/journal-spec';
import { sealedFor } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { Derivation } from '../derivation/derivation.js';
import { Payouts } from './payouts.js';
import { WriteOffs } from './write-offs.js';
import type { JournalEntry } from './relation.js';

const BANK = { userId: JUNO, bankAccountId: 'ba_1' };

/** What is found where Juno removes a bank account and a payout to it is written so many seconds later. */
function findings(secondsAfterRemoval: number, userId = JUNO): readonly string[] {
  const story = new Story();
  story.command(openAccount(JUNO), openAccount(MILO));
  for (const to of [JUNO, MILO]) {
    const gift = { paymentId: `pay_${to}`, amount: '25.00', from: to === JUNO ? MILO : JUNO, to };
    story.command(open(gift), settle(gift));
  }
  const stream = bankAccountsStream(JUNO);
  const submitted = {
    ...BANK,
    accountType: 'checking',
    details: sealedFor(JUNO, 'Ferry Bank'),
    numberFingerprint: 'n',
    requestFingerprint: 'r',
    submittedAt: AT,
  } as const;
  story.write(stream, { type: 'BankAccountSubmitted', data: submitted }, { actorId: JUNO });
  story.write(stream, { type: 'BankAccountAdded', data: { ...BANK, externalAccountId: 'ba_provider' } });
  story.write(stream, { type: 'BankAccountRemoved', data: BANK });
  story.nowMs += secondsAfterRemoval * 1_000;
  story.command(requestPayout('3.19', userId));
  const payouts = new Payouts(new WriteOffs(new Derivation()));
  for (const raw of story.log.all) {
    const event = recorded(raw);
    if (raw.stream === JOURNAL) payouts.entry(event as JournalEntry);
    else payouts.other(event);
  }
  return payouts.check().findings;
}

describe('a payout to a bank account that was removed', () => {
  it('is in order where both were asked for at one moment', () => expect(findings(5)).toEqual([]));

  it('is in order where the clock of whoever wrote the removal was set back a few minutes before', () =>
    expect(findings(190)).toEqual([]));

  it('is found where it came later', () =>
    expect(findings(420)).toEqual([expect.stringContaining(`bank account ba_1 is none of ${JUNO}`)]));

  it('is found at any time where the account was somebody else’s', () =>
    expect(findings(5, MILO)).toEqual([
      expect.stringContaining(`bank account ba_1 is ${JUNO}’s, not ${MILO}’s`),
    ]));
});
