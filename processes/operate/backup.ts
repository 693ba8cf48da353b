/** `operate backup FOLDER`: what has to be kept of a running ledger, in one folder. */
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import pg from 'pg';
import { BadBackup, makeBackup, unfinishedName } from '#audit/backup/backup';
import { ArchiveDamaged } from '#audit/exported-log/segments';
import { FolderInUse } from '#audit/exported-log/folder-lock';
import { LogDiffers } from '#audit/exported-log/verified-archive';
import { BadSetting } from '#contracts/configuration';
import { assertWhole, IncompleteCopy } from '#log/copy-mark';
import { EsdbLog } from '#log/esdb';
import { assertVaultNotLost } from '#log/lost-vault';
import { hasUsersKeys } from '#log/vault-reader';
import { EDGE, VAULT } from '../migrations.js';
import { CannotRun, type Verdict } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';

/** What is no fault of the machine: a sentence for people. */
export const isFinding = (error: unknown): error is Error =>
  [BadBackup, ArchiveDamaged, FolderInUse, LogDiffers, IncompleteCopy].some((kind) => error instanceof kind);

/** Makes a backup while everything runs. */
export async function backup(folder: string): Promise<Verdict> {
  if (folder === '') throw new CannotRun('backup needs the name of a folder.');
  const to = resolve(folder);
  const settings = readSettings(['EVENTSTORE_URL', 'DATABASE_URL', 'BACKUP_DATABASE_URL']);
  const log = EsdbLog.connect(settings.EVENTSTORE_URL);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      rmSync(unfinishedName(to), { recursive: true, force: true });
      process.stderr.write(
        `The backup was interrupted: nothing is in ${to}. Run the same command again.\n`,
        () => process.exit(2),
      );
    });
  // A role that may read and nothing else, where there is one.
  const databaseUrl = settings.BACKUP_DATABASE_URL ?? settings.DATABASE_URL;
  try {
    await assertWhole(log);
    await assertVaultThere(log, databaseUrl);
    const { log: head, tables } = await makeBackup(to, {
      log,
      databaseUrl,
      schemas: [VAULT.schema, EDGE.schema],
      now: new Date(),
    });
    const upTo = head.journal ? `, up to revision ${head.journal.revision} of the journal` : '';
    const rows = Object.entries(tables.rows).map(([table, count]) => `${count} of ${table}`);
    return {
      status: 0,
      lines: [
        `The log is in ${to}: ${head.events} events${upTo}, every chain verified.`,
        `Beside it are the rows of vault and edge: ${rows.join(', ') || 'none'}.`,
        'The master key is not in it. Without it names, addresses and notes cannot be read any more: keep a copy of it apart from this folder.',
      ],
    };
  } catch (error) {
    throw isFinding(error) ? new CannotRun(error.message) : error;
  }
}

/**
 * One that has nobody's keys would be kept, and those that have them thrown away for it. Throws CannotRun.
 */
async function assertVaultThere(log: EsdbLog, databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'encore-backup' });
  await client.connect();
  try {
    await assertVaultNotLost(log, { hasUsersKeys: () => hasUsersKeys(client) });
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error;
    throw new CannotRun(`${error.message} Nothing was backed up.`);
  } finally {
    await client.end();
  }
}
