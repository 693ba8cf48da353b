/** The read models of this build, with the vault that opens what they show. */
import pg from 'pg';
import type { Configuration } from '#contracts/configuration';
import { migrate } from '#log/migrations';
import { VaultReader } from '#log/vault-reader';
import type { ReadModel } from '#projections/engine/read-model';
import type { UnreadableNote } from '#projections/engine/text-reader';
import { readModels } from '#projections/read-models';
import { VAULT } from '../migrations.js';

interface OpenedReadModels {
  readonly models: readonly ReadModel[];
  close(): Promise<void>;
}

/**
 * Opens the vault on connections of its own; `onBroken` is told of an idle one that broke, `onUnreadable` of each
 * text that does not open. Throws BadSetting for a master key that opens none of the data keys.
 */
export async function openReadModels(
  settings: Configuration<'DATABASE_URL' | 'ENCORE_MASTER_KEY'>,
  onBroken: (error: Error) => void = () => undefined,
  onUnreadable?: (note: UnreadableNote) => void,
): Promise<OpenedReadModels> {
  const keys = new pg.Pool({
    connectionString: settings.DATABASE_URL,
    max: 5,
    application_name: 'encore-vault',
  });
  keys.on('error', onBroken);
  await migrate(settings.DATABASE_URL, [VAULT]);
  const vault = VaultReader.open(keys, settings.ENCORE_MASTER_KEY);
  await vault.assertMasterKey();
  return { models: readModels(vault, onUnreadable), close: () => keys.end() };
}
