/**
 * A payout whose transfer somebody took back at the provider by hand, before its money was sent to the bank.
 */
import { expect, it } from '@jest/globals';
import { JOURNAL } from '#contracts/events/journal';
import type { PayoutProvider } from '#ledger/stripe/payout-provider';
import { JUNO_AVAILABLE, PAYOUT, payoutTransferred } from '#test/support/journal-spec';
import { payoutProcess } from '#test/support/payout-process';
import { payoutSteps } from './payouts.decider.js';

const BY = { correlationId: 'spec' };
const SHORT = { kind: 'not-now', code: 'balance_insufficient', reason: 'Not there yet.' } as const;

async function world(provider: Partial<PayoutProvider>) {
  const { log, ...made } = await payoutProcess(provider, { then: [payoutTransferred()] });
  const last = () => log.all.findLast(({ stream }) => stream === JOURNAL);
  return { ...made, last };
}

it('goes back to its owner, who would wait for it for ever', async () => {
  const { journal, payouts, last } = await world({
    send: () => Promise.resolve(SHORT),
    isTakenBack: (transferId) => Promise.resolve(transferId === `tr_${PAYOUT}`),
    reverse: () =>
      Promise.resolve({ kind: 'done', reversalId: 'trr_by_hand', occurredAt: '2026-03-01T21:00:00.000Z' }),
  });
  await payouts.advance(PAYOUT, BY);
  expect(last()).toMatchObject({
    type: 'PayoutFailed',
    data: { value: { payoutId: PAYOUT, reversalId: 'trr_by_hand', code: 'transfer_reversed' } },
  });
  expect(journal.balanceOf(JUNO_AVAILABLE)).toBe(2_000);
});

it('waits where nobody took anything back', async () => {
  const { streams, payouts, last } = await world({
    send: () => Promise.resolve(SHORT),
    isTakenBack: () => Promise.resolve(false),
  });
  await payouts.advance(PAYOUT, BY);
  expect(last()?.type).toBe('PayoutTransferred');
  expect((await streams.read(payoutSteps, PAYOUT)).delays.send).toBe(1);
});
