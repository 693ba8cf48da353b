/** A payout step begun by one call and continued by a later one: only the first asks the provider without looking. */
import { expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
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
  MILO,
  open,
  openAccount,
  PAYOUT,
  requestPayout,
  settle,
  submit,
} from '#test/support/journal-spec';
import { archiveOf } from '#test/support/log-archive';
import { MemoryLog } from '#test/support/memory-log';
import { Unavailable } from '../rejection.js';
import type { PayoutTurns } from './payout-turns.js';
import { PayoutProcess } from './payouts.handlers.js';

const UNUSED = {} as never;
const BY = { correlationId: 'spec' };
const AT = '2026-03-01T21:00:00.000Z';

it('the payout process asks at once for a step that it just began, and looks first for one begun before', async () => {
  const log = new MemoryLog();
  const journal = await Journal.open(log, { archive: archiveOf(log) });
  const streams = new StreamRunner(log);
  const tip = { paymentId: 'pay_1', amount: '20.00' };
  const before = [openAccount(JUNO), openAccount(MILO), open(tip), submit(tip), settle(tip)];
  for (const command of [...before, requestPayout('20.00')])
    await journal.execute(command, contextOf(command));
  const bus = {
    execute: (asked: ExecuteJournalCommand | ExecuteStreamCommand<never, never, never>) =>
      asked instanceof ExecuteJournalCommand
        ? journal.execute(asked.command, asked.context)
        : streams.execute(asked.decider, asked.id, asked.command, asked.provenance),
  } as unknown as CommandBus;
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
  const payouts = new PayoutProcess(
    bus,
    journal,
    streams,
    provider as PayoutProvider,
    UNUSED,
    {
      of: () => Promise.resolve({ kind: 'ready', connectAccountId: 'acct_1', externalAccountId: 'ba_1' }),
    },
    { isReached: () => Promise.resolve(true) } as unknown as PayoutTurns,
    UNUSED,
    new InternalCommands(),
    new ConnectHints(),
    pino({ level: 'silent' }),
    UNUSED,
  );
  await expect(payouts.advance(PAYOUT, BY)).rejects.toBeInstanceOf(Unavailable);
  await expect(payouts.advance(PAYOUT, BY)).rejects.toBeInstanceOf(Unavailable);
  await payouts.advance(PAYOUT, BY);
  expect(asked).toEqual(['transfer fresh', 'transfer begun before', 'send fresh', 'send begun before']);
  await journal.close();
});
