/** How an operator's decision reaches a ledger: by its internal port, as the workers' commands do. */
import { v7 as uuidv7 } from 'uuid';
import type { InternalAnswer, InternalCommand } from '#contracts/api/internal';
import { LedgerAway, LedgerClient, LedgerDeclined } from '#workers/ledger-client';
import { CannotRun } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';
import { operatorName } from './operator-trail.js';

/** Throws CannotRun with what the ledger said, or that none answers. */
export async function askLedger(command: InternalCommand): Promise<InternalAnswer> {
  const settings = readSettings(['LEDGER_INTERNAL_URL', 'ENCORE_INTERNAL_TOKEN']);
  const ledger = new LedgerClient(
    settings.LEDGER_INTERNAL_URL,
    settings.ENCORE_INTERNAL_TOKEN,
    operatorName(),
  );
  try {
    return await ledger.ask(command, uuidv7());
  } catch (error) {
    if (error instanceof LedgerDeclined || error instanceof LedgerAway)
      throw new CannotRun(error.sentence ?? error.message);
    throw error;
  }
}
