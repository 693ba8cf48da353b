/** What an operator may give up of what somebody owes. */
import { describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { InternalCommands } from '#ledger/bus/internal-commands';
import type { ExecuteJournalCommand } from '#ledger/bus/execute-journal-command';
import type { Vault } from '#log/vault';
import { OperatorDecisions } from './operators.handlers.js';

/** Writes a debt off of somebody of whom open disputes hold so much; answers what the journal was asked. */
async function writtenOff(takenMinor: number): Promise<readonly string[]> {
  const asked: string[] = [];
  const bus = {
    execute: ({ command }: ExecuteJournalCommand) => Promise.resolve(asked.push(command.type)),
  } as unknown as CommandBus;
  const vault = { seal: () => Promise.resolve('sealed:x') } as unknown as Vault;
  const commands = new InternalCommands();
  new OperatorDecisions(bus, vault, { takenOf: () => Promise.resolve(takenMinor) }, commands);
  await commands.carryOut({ type: 'WriteOffDebt', userId: 'usr_juno', because: 'insolvent' }, 'spec');
  return asked;
}

describe('a debt', () => {
  it('is written off where nothing can come back any more', async () =>
    expect(await writtenOff(0)).toEqual(['WriteOffDebt']));

  it('is not written off while a bank may give its owner back what made it', async () =>
    await expect(writtenOff(2_000)).rejects.toMatchObject({
      reason: 'DebtDisputed',
      message: expect.stringContaining('$20.00'),
    }));
});
