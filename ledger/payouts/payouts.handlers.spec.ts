/**
 * A payout step begun by one call and continued by a later one: only the first asks the provider without
 * looking.
 */
import { expect, it } from '@jest/globals';
import type { PayoutProvider } from '#ledger/stripe/payout-provider';
import { PAYOUT } from '#test/support/journal-spec';
import { payoutProcess } from '#test/support/payout-process';
import { Unavailable } from '../rejection.js';
import type { PayoutTurns } from './payout-turns.js';

const BY = { correlationId: 'spec' };
const AT = '2026-03-01T21:00:00.000Z';

it('the payout process asks at once for a step that it just began, and looks first for one begun before', async () => {
  const asked: string[] = [];
  /** The first answer to each step is lost. */
  const answered = <T>(step: string, isFresh: boolean | undefined, answer: T): Promise<T> => {
    asked.push(`${step} ${isFresh ? 'fresh' : 'begun before'}`);
    const isLost = asked.filter((each) => each.startsWith(step)).length === 1;
    return isLost ? Promise.reject(new Unavailable('The answer is lost.')) : Promise.resolve(answer);
  };
  const provider: Partial<PayoutProvider> = {
    transfer: ({ isFresh }) =>
      answered('transfer', isFresh, { kind: 'done', providerTransferId: 'tr_1', occurredAt: AT }),
    send: ({ isFresh }) =>
      answered('send', isFresh, { kind: 'done', providerPayoutId: 'po_1', occurredAt: AT }),
    payout: () =>
      Promise.resolve({
        providerPayoutId: 'po_1',
        payoutId: PAYOUT,
        isSealed: true,
        status: 'underway',
        failure: undefined,
        arrivesOn: undefined,
        createdAt: AT,
      }),
  };
  const turns = { isReached: () => Promise.resolve(true) } as unknown as PayoutTurns;
  const { journal, payouts } = await payoutProcess(provider, { turns });
  await expect(payouts.advance(PAYOUT, BY)).rejects.toBeInstanceOf(Unavailable);
  await expect(payouts.advance(PAYOUT, BY)).rejects.toBeInstanceOf(Unavailable);
  await payouts.advance(PAYOUT, BY);
  expect(asked).toEqual(['transfer fresh', 'transfer begun before', 'send fresh', 'send begun before']);
  await journal.close();
});
