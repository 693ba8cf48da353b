/**
 * Tip pages as visitors find them, and what guests paid there. Each event is fed twice; a replay yields the
 * same rows.
 */
import { describe, expect, it } from '@jest/globals';
import { guestStream } from '#contracts/events/guest';
import { tipPageStream, type TipPageEvent } from '#contracts/events/tip-page';
import { userStream, type UserEvent } from '#contracts/events/user';
import { guestIdOf } from '#contracts/plain/guest';
import { JUNO, MILO, open, openAccount, refund, settle, submit } from '#test/support/journal-spec';
import { profileOf, sealedFor } from '#test/support/plain-vault';
import { useReadSides, type ReadSide } from '#test/support/read-side';
import {
  paymentOfGuest,
  paymentOfPayer,
  transactionCountOf,
  transactionsOf,
} from '../transactions/queries.js';
import { isLeaving } from '../users/queries.js';
import { tipPageAnswer } from './controller.js';
import { closedOwnerOf, imitatesPerformer, tipPageByKey, visitedTipPageOf } from './queries.js';

const sides = useReadSides();

const handleChosen = (handle: string): TipPageEvent => ({
  type: 'TipPageHandleChosen',
  data: { userId: JUNO, handleKey: `look-${handle}`, exactKey: handle, handle: sealedFor(JUNO, handle) },
});
const described = (stageName: string, isListed = false): TipPageEvent => ({
  type: 'TipPageDescribed',
  data: {
    userId: JUNO,
    words: sealedFor(JUNO, JSON.stringify({ stageName, line: 'plays the piano' })),
    isListed,
    fingerprint: stageName,
  },
});
/** Letters of Lisu that look like Latin capitals. */
const LISU = Object.fromEntries(Array.from('AEIJLNOPRSTUV', (letter, n) => [letter, 'ꓮꓰꓲꓙꓡꓠꓳꓑꓣꓢꓔꓴꓦ'[n]]));
const published: TipPageEvent = { type: 'TipPagePublished', data: { userId: JUNO } };

const askedToBeForgotten: UserEvent = {
  type: 'ForgettingRequested',
  data: { userId: JUNO, requestedAt: '2026-03-01T20:00:00.000Z', dueAt: '2026-03-04T20:00:00.000Z' },
};

async function withPage(...more: readonly TipPageEvent[]): Promise<ReadSide> {
  const side = await sides.open();
  side.story.register(JUNO, profileOf('juno'));
  side.story.command(openAccount(JUNO), openAccount(MILO));
  for (const event of [handleChosen('junoplays'), ...more]) side.story.write(tipPageStream(JUNO), event);
  await side.feed();
  return side;
}

describe('a tip page', () => {
  it('takes no tips while its owner waits to be forgotten, and does again when they call that off', async () => {
    const side = await withPage(published);
    const isPublished = async () => [
      (await tipPageByKey(side.db, 'junoplays'))?.isPublished,
      (await visitedTipPageOf(side.db, JUNO))?.isPublished,
      !(await isLeaving(side.db, JUNO)),
    ];
    expect(await isPublished()).toEqual([true, true, true]);
    side.story.write(userStream(JUNO), askedToBeForgotten);
    await side.feed();
    expect(await isPublished()).toEqual([false, false, false]);
    const data = { userId: JUNO, why: 'canceled', endedAt: '2026-03-02T20:00:00.000Z' } as const;
    side.story.write(userStream(JUNO), { type: 'ForgettingRequestEnded', data });
    await side.feed();
    expect(await isPublished()).toEqual([true, true, true]);
  });

  it('is found by its handle, with the stage name, once it is published', async () => {
    const side = await withPage(described('The Juno Show', true));
    const shown = {
      userId: JUNO,
      handle: 'junoplays',
      name: 'The Juno Show',
      shortName: 'The Juno Show',
      line: 'plays the piano',
      isListed: true,
      isPublished: false,
      isPrivate: false,
    };
    expect(await tipPageByKey(side.db, 'junoplays')).toEqual(shown);
    expect(await tipPageByKey(side.db, 'somebody')).toBeUndefined();
    expect(await visitedTipPageOf(side.db, JUNO)).toEqual(shown);
    expect(await visitedTipPageOf(side.db, MILO)).toBeUndefined();
    side.story.write(tipPageStream(JUNO), published);
    await side.feed();
    expect(await tipPageByKey(side.db, 'junoplays')).toEqual({ ...shown, isPublished: true });
  });

  it('stays behind an older handle of its owner', async () => {
    const side = await withPage(handleChosen('valastro'), published);
    expect(await tipPageByKey(side.db, 'junoplays')).toMatchObject({ handle: 'valastro', userId: JUNO });
    expect(await tipPageAnswer(side.db, JUNO)).toMatchObject({ handle: 'valastro', path: '/@valastro' });
  });

  it('shows the handle only in privacy mode, and nothing of somebody who is forgotten', async () => {
    const side = await withPage(described('The Juno Show', true), published);
    side.story.switch(JUNO, 'privacyModeEnabled', true);
    await side.feed();
    expect(await tipPageByKey(side.db, 'junoplays')).toMatchObject({
      name: '@junoplays',
      shortName: '@junoplays',
      line: '',
      isListed: false,
      isPrivate: true,
    });
    expect(await closedOwnerOf(side.db, 'junoplays')).toBeUndefined();
    side.story.forget(JUNO);
    await side.feed();
    expect(await tipPageByKey(side.db, 'junoplays')).toBeUndefined();
    expect(await visitedTipPageOf(side.db, JUNO)).toBeUndefined();
    // For the receipts of what they were paid.
    expect(await closedOwnerOf(side.db, 'junoplays')).toBe(JUNO);
    expect(await closedOwnerOf(side.db, 'somebody')).toBeUndefined();
  });

  it('has no other page go by its name in letters that only look the same', async () => {
    const alex = '\u0410\u04cf\u0435\u0445';
    const side = await withPage(described('AIex'), published);
    expect(await imitatesPerformer(side.db, MILO, alex)).toBe(true);
    // A namesake, somebody of another name, and its owner.
    expect(await imitatesPerformer(side.db, MILO, 'Alex')).toBe(false);
    expect(await imitatesPerformer(side.db, MILO, `${alex} ${alex}`)).toBe(false);
    expect(await imitatesPerformer(side.db, JUNO, alex)).toBe(false);
    side.story.write(tipPageStream(JUNO), described(''));
    await side.feed();
    expect(await imitatesPerformer(side.db, MILO, alex)).toBe(false);
    const { firstName, lastName } = profileOf('juno');
    const lisu = Array.from(`${firstName} ${lastName}`.toUpperCase(), (letter) => LISU[letter] ?? letter);
    expect(await imitatesPerformer(side.db, MILO, lisu.join(''))).toBe(true);
    side.story.switch(JUNO, 'privacyModeEnabled', true);
    await side.feed();
    expect(await imitatesPerformer(side.db, MILO, lisu.join(''))).toBe(false);
  });

  it('has a handle suggested by the username before there is one', async () => {
    const side = await sides.open();
    side.story.register(JUNO, profileOf('juno.plays'));
    await side.feed();
    expect(await tipPageAnswer(side.db, JUNO)).toMatchObject({
      handle: null,
      suggestedHandle: 'juno_plays',
      isPublished: false,
    });
  });
});

describe('what a guest paid', () => {
  const GUEST = guestIdOf('wren');
  const tip = { paymentId: 'pay_guest', amount: '10.00', from: GUEST };
  const paid = async (name?: string): Promise<ReadSide> => {
    const side = await withPage(published);
    const opening = open(tip);
    if (opening.type !== 'OpenPayment') throw new Error('Another command opens payments now.');
    const named = name === undefined ? {} : { guestName: sealedFor(GUEST, name) };
    side.story.command({ ...opening, ...named, note: sealedFor(GUEST, 'For the encore') });
    side.story.command(submit(tip), settle(tip));
    await side.feed();
    return side;
  };

  it('stands in the recipient’s list under the name that they gave, or as a guest’s', async () => {
    const named = await paid('Wren');
    const [line] = (await transactionsOf(named.db, JUNO)).lines;
    expect(line).toMatchObject({
      counterpartyId: GUEST,
      counterpartyUsername: null,
      counterpartyName: 'Wren',
      note: 'For the encore',
      amountMinor: 1000,
    });
    expect((await transactionsOf(named.db, JUNO, { text: 'wren' })).lines).toHaveLength(1);
    const unnamed = await paid();
    expect((await transactionsOf(unnamed.db, JUNO)).lines[0]?.counterpartyName).toBe('A guest');
  });

  it('is in the list of whoever claims it, and its recipient sees no account', async () => {
    const side = await paid('Wren');
    side.story.write(guestStream(GUEST), {
      type: 'GuestTipsClaimed',
      data: { guestId: GUEST, userId: MILO },
    });
    side.story.command(refund(tip, '4.00'));
    await side.feed();
    expect((await transactionsOf(side.db, MILO)).lines).toMatchObject([
      { id: 'pay_guest', type: 'payment_sent', counterpartyId: JUNO, refundedMinor: 400 },
    ]);
    expect(await transactionCountOf(side.db, MILO)).toBe(1);
    expect(await transactionCountOf(side.db, GUEST)).toBe(0);
    expect((await transactionsOf(side.db, JUNO)).lines[0]).toMatchObject({
      counterpartyId: GUEST,
      counterpartyName: 'Wren',
    });
    expect(await paymentOfGuest(side.db, GUEST)).toMatchObject({ isClaimed: true, refundedMinor: 400 });
    expect(await paymentOfPayer(side.db, 'pay_guest', MILO)).toMatchObject({ refundedMinor: 400 });
    expect(await paymentOfPayer(side.db, 'pay_guest', JUNO)).toBeUndefined();
  });

  it('has neither name nor note once the guest is forgotten', async () => {
    const side = await paid('Wren');
    side.story.vault.forgotten.add(GUEST);
    side.story.write(guestStream(GUEST), { type: 'GuestForgotten', data: { guestId: GUEST } });
    await side.feed();
    expect(await paymentOfGuest(side.db, GUEST)).toMatchObject({ note: null, guestName: null });
    expect((await transactionsOf(side.db, JUNO)).lines[0]?.counterpartyName).toBe('A guest');
  });
});
