/** Whether the vault was lost: the log holds texts that were sealed, and no data key of anybody is there. */
import { BadSetting } from '#contracts/configuration';
import { OUR_PREFIXES } from '#contracts/events/our-streams';
import { START } from '#contracts/log';
import type { EventLog } from './event-log.js';
import type { VaultReader } from './vault-reader.js';

/** How a sealed text begins where it stands in an event. */
const SEALED = '"sealed:';

/**
 * Throws BadSetting where the vault was lost: whoever went on would draw new keys in the places of those that
 * a backup has. A log without any sealed text needs no keys. The log is read only where the vault is empty,
 * as far as its first sealed text. Throws LogUnavailable.
 */
export async function assertVaultNotLost(
  log: Pick<EventLog, 'readAll'>,
  vault: Pick<VaultReader, 'hasUsersKeys'>,
): Promise<void> {
  if ((await vault.hasUsersKeys()) || !(await hasSealedText(log))) return;
  // The log was read later: another ledger may have sealed its first text meanwhile.
  if (await vault.hasUsersKeys()) return;
  throw new BadSetting(
    'The vault is empty, and the log holds texts that were sealed with its data keys: it was lost, or DATABASE_URL leads to another ' +
      'database. Restore it before anything is started; docs/how-to/back-up.md also says how to go on where it is in no backup.',
  );
}

async function hasSealedText(log: Pick<EventLog, 'readAll'>): Promise<boolean> {
  for await (const { data } of log.readAll(START, OUR_PREFIXES)) if (data.bytes.includes(SEALED)) return true;
  return false;
}
