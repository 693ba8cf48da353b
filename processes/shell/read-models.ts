/** The read models of this build, with the vault that opens what they show. */
import pg from 'pg';
import type { Configuration } from '#contracts/configuration';
import { VaultReader } from '#log/vault-reader';
import { answersWithin, HOWEVER_LONG, outliveBreaks } from '#projections/engine/database';
import type { ReadModel } from '#projections/engine/read-model';
import type { UnreadableNote } from '#projections/engine/text-reader';
import { readModels } from '#projections/read-models';
import { assertPrepared } from '../database.js';
import { VAULT } from '../migrations.js';
import { MASTER_KEY_SETTINGS, masterKeysOf } from './settings.js';

/**
 * One batch asks for thousands of keys on a few connections: what waits for its turn waits longer than for
 * its answer.
 */
const TURNS = 6;

interface OpenedReadModels {
  readonly models: readonly ReadModel[];
  close(): Promise<void>;
}

/**
 * Opens the vault on connections of its own; `onBroken` is told of an idle one that broke, `onUnreadable` of
 * each text that does not open. A key is waited for however long it takes, unless `answersWithinMs` says
 * otherwise. Throws BadSetting for a master key that opens none of the data keys.
 */
export async function openReadModels(
  settings: Configuration<'DATABASE_URL' | (typeof MASTER_KEY_SETTINGS)[number]>,
  onBroken: (error: Error) => void = () => undefined,
  onUnreadable?: (note: UnreadableNote) => void,
  answersWithinMs = HOWEVER_LONG,
): Promise<OpenedReadModels> {
  const keys = new pg.Pool({
    connectionString: settings.DATABASE_URL,
    max: 5,
    application_name: 'encore-vault',
    ...answersWithin(answersWithinMs),
    connectionTimeoutMillis: answersWithinMs * TURNS,
  });
  outliveBreaks(keys, onBroken);
  await assertPrepared(settings.DATABASE_URL, [VAULT]);
  const vault = VaultReader.open(keys, masterKeysOf(settings));
  await vault.assertMasterKey();
  return { models: readModels(vault, onUnreadable), close: () => keys.end() };
}
