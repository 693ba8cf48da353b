/** What an operator is told who opens the accounts of a user again after a recovery. */
import { expect, it } from '@jest/globals';
import { Journal } from '#ledger/journal/journal';
import { contextOf, JUNO, openAccount } from '#test/support/journal-spec';
import { archiveOf } from '#test/support/log-archive';
import { MemoryLog } from '#test/support/memory-log';
import { CannotRun } from '../shell/command.js';
import { reopenIn } from './reopen.js';

it('is refused of one who is not closed, or unknown, and changes nothing', async () => {
  const log = new MemoryLog();
  const journal = await Journal.open(log, { archive: archiveOf(log) });
  const account = openAccount(JUNO);
  await journal.execute(account, contextOf(account));
  await journal.execute({ type: 'SuspendDebits', userId: JUNO }, { correlationId: 'spec' });
  expect(await reopenIn(journal, JUNO)).toEqual({
    status: 0,
    lines: [`${JUNO} may use their money again.`],
  });
  const before = log.all.length;
  for (const userId of [JUNO, 'usr_unknown'])
    await expect(reopenIn(journal, userId)).rejects.toThrow(
      new CannotRun(`${userId} is not closed to debits: nothing was changed.`),
    );
  expect(log.all).toHaveLength(before);
  await journal.close();
});
