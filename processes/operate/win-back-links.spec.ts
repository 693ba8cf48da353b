/**
 * Customers and accounts at the provider whose entries were lost: which the log knows again, and which it
 * leaves alone.
 */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { recorded } from '#log/event-log';
import { bankAccounts } from '#ledger/bank-accounts/bank-accounts.decider';
import { cards } from '#ledger/payment-methods/cards.decider';
import { StreamRunner } from '#ledger/streams/runner';
import type { ListedLink } from '#ledger/stripe/provider-history';
import { MemoryLog } from '#test/support/memory-log';
import { winBackLinks } from './win-back-links.js';

const SINCE = new Date('2026-02-28T00:00:00.000Z');
const BY = { correlationId: 'recovery', recovered: true } as const;
const of = (userId: string, providerId: string): ListedLink => ({
  userId,
  providerId,
  at: '2026-03-01T10:00:00.000Z',
});

let log: MemoryLog;
let streams: StreamRunner;
beforeEach(() => {
  log = new MemoryLog();
  streams = new StreamRunner(log);
});

interface Listed {
  readonly customers?: readonly ListedLink[];
  readonly accounts?: readonly ListedLink[];
  readonly paidOutTo?: ReadonlyMap<string, string>;
  readonly paidWith?: ReadonlyMap<string, string>;
}
/** Wins back twice over: the second run must write nothing. */
async function wonBack({
  customers = [],
  accounts = [],
  paidOutTo = new Map(),
  paidWith = new Map(),
}: Listed) {
  const asked: Date[] = [];
  const listed = (links: readonly ListedLink[]) => (since: Date) => {
    asked.push(since);
    return Promise.resolve(links);
  };
  const history = { customers: listed(customers), accounts: listed(accounts) };
  const parts = { history, since: SINCE, paidOutTo, paidWith, provenance: BY };
  const before = log.all.length;
  const links = await winBackLinks({ ...parts, streams });
  const events = log.all.slice(before).map(recorded);
  const again = await winBackLinks({ ...parts, streams: new StreamRunner(log) });
  expect(log.all).toHaveLength(before + events.length);
  expect(again).toMatchObject({ customers: 0, accounts: 0, unlinked: links.unlinked });
  // A list each, however many users there are.
  expect(asked).toEqual(Array(4).fill(SINCE));
  return { ...links, events };
}

describe('a customer of ours whose entry was lost', () => {
  it('is the user’s again, so that their cards are', async () => {
    const { customers, unlinked, events } = await wonBack({
      customers: [of('usr_juno', 'cus_1'), of('usr_milo', 'cus_2')],
    });
    expect([customers, unlinked]).toEqual([2, []]);
    expect(events).toMatchObject([
      { type: 'CardCustomerOpened', data: { userId: 'usr_juno', customerId: 'cus_1' }, metadata: BY },
      { type: 'CardCustomerOpened', data: { userId: 'usr_milo', customerId: 'cus_2' }, metadata: BY },
    ]);
  });

  it('is left alone, and named, where its user has another or an older one is listed', async () => {
    await streams.execute(
      cards,
      'usr_juno',
      { type: 'OpenCustomer', userId: 'usr_juno', customerId: 'cus_0' },
      BY,
    );
    const { customers, unlinked } = await wonBack({
      customers: [
        of('usr_juno', 'cus_0'),
        of('usr_juno', 'cus_1'),
        of('usr_milo', 'cus_2'),
        of('usr_milo', 'cus_copy'),
      ],
    });
    expect(customers).toBe(1);
    expect(unlinked).toEqual([
      { object: 'cus_1', names: 'usr_juno', why: 'second-object' },
      { object: 'cus_copy', names: 'usr_milo', why: 'second-object' },
    ]);
  });

  it('is the one with whose card its user paid, where an older one was made and never used', async () => {
    const { events, unlinked } = await wonBack({
      customers: [of('usr_juno', 'cus_unused'), of('usr_juno', 'cus_1')],
      paidWith: new Map([['usr_juno', 'cus_1']]),
    });
    expect(events).toMatchObject([{ data: { customerId: 'cus_1' } }]);
    expect(unlinked).toEqual([{ object: 'cus_unused', names: 'usr_juno', why: 'second-object' }]);
  });

  it('is left alone, and named, where its user was forgotten', async () => {
    await streams.execute(
      cards,
      'usr_juno',
      { type: 'OpenCustomer', userId: 'usr_juno', customerId: 'cus_0' },
      BY,
    );
    await streams.execute(cards, 'usr_juno', { type: 'CloseCustomer', userId: 'usr_juno' }, BY);
    const { customers, unlinked } = await wonBack({ customers: [of('usr_juno', 'cus_0')] });
    expect(customers).toBe(0);
    expect(unlinked).toEqual([{ object: 'cus_0', names: 'usr_juno', why: 'declined', reason: 'Forgotten' }]);
  });
});

describe('an account for payouts whose entry was lost', () => {
  it('is the user’s again', async () => {
    const { accounts, events } = await wonBack({ accounts: [of('usr_juno', 'acct_1')] });
    expect(accounts).toBe(1);
    expect(events).toMatchObject([
      { type: 'PayoutAccountOpened', data: { userId: 'usr_juno', connectAccountId: 'acct_1' }, metadata: BY },
    ]);
    expect((await streams.read(bankAccounts, 'usr_juno')).connectAccountId).toBe('acct_1');
  });

  it('is the one that a payout went to, where two say that they are the same user’s', async () => {
    const { events, unlinked } = await wonBack({
      accounts: [of('usr_juno', 'acct_copy'), of('usr_juno', 'acct_1')],
      paidOutTo: new Map([['usr_juno', 'acct_1']]),
    });
    expect(events).toMatchObject([{ data: { connectAccountId: 'acct_1' } }]);
    expect(unlinked).toEqual([{ object: 'acct_copy', names: 'usr_juno', why: 'second-object' }]);
  });

  it('stays closed where the log knows that it is gone', async () => {
    const account = { userId: 'usr_juno', connectAccountId: 'acct_1' };
    await streams.execute(bankAccounts, 'usr_juno', { type: 'OpenPayoutAccount', ...account }, BY);
    await streams.execute(bankAccounts, 'usr_juno', { type: 'ClosePayoutAccount', ...account }, BY);
    const { accounts, events } = await wonBack({ accounts: [of('usr_juno', 'acct_1')] });
    expect([accounts, events]).toEqual([0, []]);
  });
});

it('one user whose stream is parked holds up nobody', async () => {
  log.put(cards.streamOf('usr_juno'), { id: 'strange', type: 'Dimmed', data: {}, metadata: {} });
  const customers = [of('usr_juno', 'cus_juno'), of('usr_milo', 'cus_milo')];
  expect(await wonBack({ customers })).toMatchObject({
    customers: 1,
    unlinked: [
      { object: 'cus_juno', names: 'usr_juno', why: 'declined', reason: expect.stringMatching(/./) },
    ],
  });
});
