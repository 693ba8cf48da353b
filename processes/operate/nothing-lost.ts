/**
 * What a ledger compares before it writes, an operator's command compares that writes into the log by itself.
 */
import { JOURNAL } from '#contracts/events/journal';
import { lossAgainst } from '#ledger/start-gate/known-events';
import type { EventLog } from '#log/event-log';
import { assertVisible } from '#log/hidden-events';
import { readLogRecovery } from '#log/log-recovery';
import { HOWEVER_LONG, openReadPool } from '#projections/engine/database';
import { outsideSources, seenFolders } from '../ledger/start-gate.js';
import { CannotRun } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';

/**
 * Throws {@link CannotRun} over a log that has lost something, HiddenEvents over a journal that is hidden.
 */
export async function assertNothingLost(log: EventLog): Promise<void> {
  const settings = readSettings(['DATABASE_URL', 'ENCORE_ARCHIVE', 'ENCORE_TRANSPARENCY']);
  await assertVisible(log, JOURNAL);
  const reads = openReadPool(settings.DATABASE_URL, 1, HOWEVER_LONG);
  try {
    let reason = (await readLogRecovery(reads))?.reason;
    for (const source of outsideSources(reads, seenFolders(settings)))
      reason ??= (await lossAgainst(log, source))?.reason;
    if (reason !== undefined)
      throw new CannotRun(`The log has lost something. ${reason} Run first: encore operate recover`);
  } finally {
    await reads.end();
  }
}
