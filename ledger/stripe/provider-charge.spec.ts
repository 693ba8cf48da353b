/** How a dispute ended, by its state and by what it took. */
import { describe, expect, it } from '@jest/globals';
import type Stripe from 'stripe';
import { disputeOf } from './provider-charge.js';

const movement = (amount: number, created: number) => ({
  id: `txn_${created}`,
  amount,
  currency: 'usd',
  created,
  fee: 0,
  type: 'adjustment',
});
const TAKEN = movement(-3_000, 1);
const GIVEN_BACK = movement(3_000, 2);

const dispute = (status: string, ...balance_transactions: readonly ReturnType<typeof movement>[]) =>
  disputeOf({
    id: 'du_1',
    object: 'dispute',
    amount: 3_000,
    charge: 'ch_1',
    created: 1,
    currency: 'usd',
    reason: 'fraudulent',
    status,
    balance_transactions,
  } as unknown as Stripe.Dispute);

describe('a dispute', () => {
  it.each([
    ['won', [TAKEN, GIVEN_BACK], 'won'],
    // Its money may come in a moment.
    ['won', [TAKEN], 'won'],
    ['lost', [TAKEN], 'lost'],
    ['warning_closed', [], 'won'],
    // Settled with the payer's bank out of our balance, without a chargeback.
    ['prevented', [TAKEN], 'lost'],
    ['prevented', [TAKEN, GIVEN_BACK], 'won'],
    ['prevented', [], 'won'],
    ['needs_response', [TAKEN], undefined],
  ] as const)('that is %s and moved %j is %s', (status, movements, outcome) =>
    expect(dispute(status, ...movements).outcome).toBe(outcome),
  );
});
