/**
 * The payout process over a journal in memory, in which Juno has asked for $20.00, with a provider of the
 * spec's own.
 */
import type { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
import { ConnectHints } from '#ledger/bus/connect-hints';
import { ExecuteJournalCommand } from '#ledger/bus/execute-journal-command';
import type { ExecuteStreamCommand } from '#ledger/bus/execute-stream-command';
import { InternalCommands } from '#ledger/bus/internal-commands';
import { Journal } from '#ledger/journal/journal';
import type { PayoutTurns } from '#ledger/payouts/payout-turns';
import { PayoutProcess } from '#ledger/payouts/payouts.handlers';
import { StreamRunner } from '#ledger/streams/runner';
import type { PayoutProvider } from '#ledger/stripe/payout-provider';
import { contextOf, JUNO, MILO, open, openAccount, requestPayout, settle, submit } from './journal-spec.js';
import { archiveOf } from './log-archive.js';
import { MemoryLog } from './memory-log.js';

const UNUSED = {} as never;

/** `then`: what has happened since the payout was asked for; without `turns` none may be asked for. */
export async function payoutProcess(
  provider: Partial<PayoutProvider>,
  { then = [], turns = UNUSED }: { then?: Parameters<Journal['execute']>[0][]; turns?: PayoutTurns } = {},
) {
  const log = new MemoryLog();
  const journal = await Journal.open(log, { archive: archiveOf(log) });
  const streams = new StreamRunner(log);
  const tip = { paymentId: 'pay_1', amount: '20.00' };
  const before = [openAccount(JUNO), openAccount(MILO), open(tip), submit(tip), settle(tip)];
  for (const command of [...before, requestPayout('20.00'), ...then])
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
    turns,
    UNUSED,
    new InternalCommands(),
    new ConnectHints(),
    pino({ level: 'silent' }),
    UNUSED,
  );
  return { log, journal, streams, payouts };
}
