/** Whether a payer can pay, on the newest books there are. */
import type { CommandBus } from '@nestjs/cqrs';
import { expect, it } from '@jest/globals';
import { Journal } from '#ledger/journal/journal';
import { archiveOf } from '#test/support/log-archive';
import { contextOf, JUNO, MILO, minor, open, openAccount, settle } from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { Funding } from './funding.js';

const tip = { paymentId: 'pay_1', amount: '20.00' };

it('knows of an account and of money that another ledger has written a moment ago', async () => {
  const log = new MemoryLog();
  const here = await Journal.open(log, { archive: archiveOf(log) });
  const there = await Journal.open(log, { archive: archiveOf(log) });
  const bus = { execute: () => Promise.resolve(undefined) } as unknown as CommandBus;
  const possible = (amount: string) => new Funding(here, bus).assertPossible(JUNO, MILO, minor(amount));
  const run = async (...commands: Parameters<typeof contextOf>[0][]): Promise<void> => {
    for (const command of commands) await there.execute(command, contextOf(command));
  };
  await run(openAccount(JUNO));
  await expect(possible('5.00')).rejects.toMatchObject({ reason: 'RecipientNotFound' });
  await run(openAccount(MILO));
  await expect(possible('5.00')).rejects.toMatchObject({ reason: 'CardRequired' });
  await run(open(tip), settle(tip));
  await possible('20.00');
});
