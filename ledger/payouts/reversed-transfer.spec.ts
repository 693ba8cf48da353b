/** A payout whose transfer somebody took back at the provider by hand, before its money was sent to the bank. */
import { expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
import { JOURNAL } from '#contracts/events/journal';
import { ConnectHints } from '#ledger/bus/connect-hints';
import { ExecuteJournalCommand } from '#ledger/bus/execute-journal-command';
import type { ExecuteStreamCommand } from '#ledger/bus/execute-stream-command';
import { InternalCommands } from '#ledger/bus/internal-commands';
import { Journal } from '#ledger/journal/journal';
import { StreamRunner } from '#ledger/streams/runner';
import type { PayoutProvider } from '#ledger/stripe/payout-provider';
import {
  contextOf,
  JUNO,
  JUNO_AVAILABLE,
  MILO,
  open,
  openAccount,
  PAYOUT,
  payoutTransferred,
  requestPayout,
  settle,
  submit,
} from '#test/support/journal-spec';
import { archiveOf } from '#test/support/log-archive';
import { MemoryLog } from '#test/support/memory-log';
import { payoutSteps } from './payouts.decider.js';
import { PayoutProcess } from './payouts.handlers.js';

const UNUSED = {} as never;
const BY = { correlationId: 'spec' };
const SHORT = { kind: 'not-now', code: 'balance_insufficient', reason: 'Not there yet.' } as const;

async function world(provider: Partial<PayoutProvider>) {
  const log = new MemoryLog();
  const journal = await Journal.open(log, { archive: archiveOf(log) });
  const streams = new StreamRunner(log);
  const tip = { paymentId: 'pay_1', amount: '20.00' };
  const before = [openAccount(JUNO), openAccount(MILO), open(tip), submit(tip), settle(tip)];
  for (const command of [...before, requestPayout('20.00'), payoutTransferred()])
    await journal.execute(command, contextOf(command));
  const bus = {
    execute: (asked: ExecuteJournalCommand | ExecuteStreamCommand<never, never, never>) =>
      asked instanceof ExecuteJournalCommand
        ? journal.execute(asked.command, asked.context)
        : streams.execute(asked.decider, asked.id, asked.command, asked.provenance),
  } as unknown as CommandBus;
  const ready = { kind: 'ready', connectAccountId: 'acct_1', externalAccountId: 'ba_1' } as const;
  const payouts = new PayoutProcess(
    bus,
    journal,
    streams,
    provider as PayoutProvider,
    UNUSED,
    { of: () => Promise.resolve(ready) },
    UNUSED,
    UNUSED,
    new InternalCommands(),
    new ConnectHints(),
    pino({ level: 'silent' }),
    UNUSED,
  );
  const last = () => log.all.findLast(({ stream }) => stream === JOURNAL);
  return { journal, streams, payouts, last };
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
