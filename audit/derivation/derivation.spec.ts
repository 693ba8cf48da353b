/** The audit's own table of postings against what the ledger writes, and what the table says of itself. */
import { describe, expect, it } from '@jest/globals';
import { journalEvents, postingsOf, type JournalEvent } from '#contracts/events/journal';
import { recorded } from '#log/event-log';
import { completeStory } from '#test/support/complete-story';
import { snapshot } from '#test/support/journal-spec';
import { natureOf } from './accounts.js';
import { Derivation, Underivable } from './derivation.js';
import { entries, type Entry } from './entries.js';
import { POSTINGS } from './table.js';

/** Only journals of before closed accounts were kept empty have these. */
const OF_OLDER_LOGS = ['ClosedAccountCleared'];

const derived = async (): Promise<Entry[]> => {
  const all: Entry[] = [];
  for await (const entry of entries(completeStory().log)) all.push(entry);
  return all;
};

describe('the table of postings', () => {
  it('has a line for every type of entry, and no other', () =>
    expect(Object.keys(POSTINGS).sort()).toEqual(Object.keys(journalEvents).sort()));

  it('names only fields that the entry has, and accounts that there are', () => {
    const wrong = Object.entries(POSTINGS).flatMap(([type, legs]) =>
      legs.flatMap(({ debit, credit, amount, currency }) => {
        const { shape } = journalEvents[type as JournalEvent['type']];
        const fields = [debit, credit].flatMap((pattern) =>
          [...pattern.matchAll(/\{(\w+)\}/g)].map(([, field]) => field!),
        );
        return [
          ...[...fields, amount, ...(currency ? [currency] : [])].filter((field) => !(field in shape)),
          ...[debit, credit].filter((pattern) => natureOf(pattern.replace(/\{\w+\}/, 'x')) === undefined),
        ].map((what) => `${type}: ${what}`);
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('gives the postings that the ledger wrote, for every type of entry that it writes', async () => {
    const { log } = completeStory();
    const all = await derived();
    const written = log.all.filter(({ stream }) => stream === 'journal');
    expect(all.map(({ revision, type, postings }) => ({ revision, type, postings }))).toEqual(
      written.map((raw) => {
        const event = recorded(raw) as unknown as JournalEvent & { revision: number };
        const postings = postingsOf(event).map((posting) => ({
          ...posting,
          currency: natureOf(posting.debit)?.currency,
        }));
        return { revision: event.revision, type: event.type, postings };
      }),
    );
    const told = new Set<string>(all.map(({ type }) => type));
    expect(Object.keys(journalEvents).filter((type) => !told.has(type))).toEqual(OF_OLDER_LOGS);
  });

  it('comes to the balances that the ledger decided by', async () => {
    const story = completeStory();
    const derivation = new Derivation();
    for await (const entry of entries(story.log, derivation)) expect(entry.hash).toHaveLength(43);
    const opened = Object.entries(snapshot(story.books)).filter(([account]) =>
      derivation.balances.has(account),
    );
    expect(derivation.balances.sorted()).toEqual(opened);
    expect([...derivation.balances.sums().values()].every((sum) => sum === 0n)).toBe(true);
  });

  it('does not look at the postings that an entry carries', async () => {
    const [settled] = (await derived()).filter(({ type }) => type === 'PaymentSettled');
    const derivation = new Derivation();
    const event = { ...settled!, data: { ...settled!.data, postings: [] } } as unknown as JournalEvent;
    expect(derivation.next(event)).toEqual(settled!.postings);
  });
});

describe('money of a closed account', () => {
  const closed = (): Derivation => {
    const derivation = new Derivation();
    derivation.next({ type: 'AccountOpened', data: { account: 'user/ada/available', userId: 'ada' } });
    derivation.next({
      type: 'AccountClosed',
      data: { account: 'user/ada/available', userId: 'ada', writtenOffMinor: 300, postings: [] },
    });
    return derivation;
  };
  const refundFailed = (amountMinor: number): JournalEvent => ({
    type: 'RefundFailed',
    data: {
      paymentId: 'p',
      payerId: 'milo',
      recipientId: 'ada',
      refundId: 'r',
      amountMinor,
      refundedMinor: 0,
      originalMinor: amountMinor,
      reason: 'x',
      occurredAt: '2026-03-01T20:00:00.000Z',
      postings: [],
    },
  });

  it('makes up what the platform lost first, and is unclaimed beyond that', () => {
    const derivation = closed();
    expect(derivation.next(refundFailed(500))).toEqual([
      { debit: 'platform/card-clearing', credit: 'platform/losses', amountMinor: 300, currency: 'usd' },
      { debit: 'platform/card-clearing', credit: 'platform/unclaimed', amountMinor: 200, currency: 'usd' },
    ]);
    expect(derivation.next(refundFailed(500))).toEqual([
      { debit: 'platform/card-clearing', credit: 'platform/unclaimed', amountMinor: 500, currency: 'usd' },
    ]);
  });

  it('left there by an older log is cleared by an entry of its own', () =>
    expect(
      closed().next({
        type: 'ClosedAccountCleared',
        data: { itemId: 'c', userId: 'ada', amountMinor: 40, currency: 'usd', postings: [] },
      }),
    ).toEqual([
      { debit: 'user/ada/available', credit: 'platform/unclaimed', amountMinor: 40, currency: 'usd' },
    ]));
});

describe('an account’s name', () => {
  it.each([
    ['user/ada/available', 'user available', 'credit'],
    ['user/ada/payouts', 'user payouts', 'credit'],
    ['wallet/w', 'wallet', 'credit'],
    ['platform/card-clearing', 'card-clearing', 'debit'],
    ['platform/unapplied/eur', 'unapplied', 'credit'],
  ])('%s is an account of kind %s, which grows by a %s', (account, kind, normalSide) =>
    expect(natureOf(account)).toMatchObject({ kind, normalSide }),
  );
  it.each([
    'user/ada',
    'user//available',
    'user/ada/savings',
    'wallet/w/x',
    'platform/bonus',
    'platform/unapplied/usd',
    'platform/wallet',
    'platform/user available',
    'bank/x',
    '',
  ])('%p is no account', (account) => expect(natureOf(account)).toBeUndefined());
});

it('an entry that moves a user’s money and names no user is named, and moves nothing', () => {
  const derivation = new Derivation();
  const event = {
    type: 'DisputeFundsWithdrawn',
    data: { chargeId: 'ch', amountMinor: 5, currency: 'usd', recipientMinor: 5, feeMinor: 0 },
  } as unknown as JournalEvent;
  expect(() => derivation.next(event)).toThrow(Underivable);
  expect(derivation.balances.all().size).toBe(0);
});
