/**
 * A backup is a folder: the exported log (`log/`), then the data keys and what stands with sessions
 * (`tables.log`), and a note of both (`backup.json`), which is written last. In this order every key that the
 * log needs is in it: a data key is made before the first event that it seals. The log is taken from the
 * store itself and verified on its way, so that a backup does not depend on the archive's being whole.
 */
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { openArchive, type Archive } from '../exported-log/archive.js';
import { archiveOnce } from '../exported-log/archiver.js';
import { verifyArchive, type FollowedLog } from '../exported-log/verified-archive.js';
import { checkTables, writeTables, type RowCounts } from './tables.js';

const FORMAT = 'encore-backup/1';
const NOTE = 'backup.json';
const LOG = 'log';
const TABLES = 'tables.log';

const Note = z.object({
  format: z.string(),
  madeAt: z.iso.datetime(),
  log: z.object({
    events: z.number().int(),
    hash: z.string(),
    journal: z.object({ revision: z.number().int(), hash: z.string() }).optional(),
  }),
  tables: z.object({ rows: z.record(z.string(), z.number().int()), hash: z.string() }),
});
type BackupNote = z.infer<typeof Note>;

/** No backup can be made there, or what is there is no whole backup; the message says why. */
export class BadBackup extends Error {
  override readonly name = 'BadBackup';
}

interface BackupParts {
  readonly log: FollowedLog;
  readonly databaseUrl: string;
  readonly schemas: readonly string[];
  readonly now: Date;
}

/** The name under which a backup is made: one that was interrupted never looks like a whole one. */
export const unfinishedName = (folder: string): string => `${folder}.unfinished`;

/**
 * Makes a backup in a folder that does not exist or is empty. Throws {@link BadBackup}, and what the log, the
 * database and the disk say; then nothing is there but the folder of {@link unfinishedName}, which the next
 * backup to the same place replaces.
 */
export async function makeBackup(folder: string, parts: BackupParts): Promise<BackupNote> {
  if (existsSync(folder) && (await readdir(folder)).length > 0)
    throw new BadBackup(
      `${folder} is not empty: name a folder that does not exist yet. Nothing was changed.`,
    );
  const unfinished = unfinishedName(folder);
  await removeUnfinished(unfinished);
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const { head } = await archiveOnce(parts.log, join(unfinished, LOG));
  const tables = await tablesOf(parts, join(unfinished, TABLES));
  const { events, hash, journal } = head;
  const note: BackupNote = {
    format: FORMAT,
    madeAt: parts.now.toISOString(),
    log: { events, hash, journal },
    tables,
  };
  const file = await open(join(unfinished, NOTE), 'wx', 0o600);
  await file.writeFile(`${JSON.stringify(note, null, 2)}\n`);
  await file.sync();
  await file.close();
  await syncFolder(unfinished);
  await rename(unfinished, folder);
  await syncFolder(dirname(folder));
  return note;
}

async function tablesOf({ databaseUrl, schemas }: BackupParts, path: string): Promise<BackupNote['tables']> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'encore-backup' });
  await client.connect();
  try {
    return await writeTables(client, schemas, path);
  } finally {
    await client.end();
  }
}

/**
 * Removes what an interrupted backup left. Throws {@link BadBackup} for a folder that holds anything else.
 */
async function removeUnfinished(unfinished: string): Promise<void> {
  if (!existsSync(unfinished)) return;
  const strange = (await readdir(unfinished)).find((name) => ![NOTE, LOG, TABLES].includes(name));
  if (strange !== undefined)
    throw new BadBackup(
      `${unfinished} is in the way and holds ${strange}, which no backup does. Nothing was changed.`,
    );
  await rm(unfinished, { recursive: true });
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A backup that was read whole and holds. */
export interface WholeBackup {
  readonly note: BackupNote;
  readonly archive: Archive;
  readonly tables: string;
  readonly rows: RowCounts;
}

/**
 * Opens a backup and reads all of it: every line, every hash chain, every row. Throws {@link BadBackup},
 * ArchiveDamaged, LogDiffers and TablesDamaged.
 */
export async function openBackup(folder: string): Promise<WholeBackup> {
  const text = await readFile(join(folder, NOTE), 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new BadBackup(`${folder} is no backup, or one that was interrupted: it has no ${NOTE}.`);
  const parsed = Note.safeParse(jsonFrom(text));
  if (!parsed.success || parsed.data.format !== FORMAT)
    throw new BadBackup(`${join(folder, NOTE)} is not what a backup of this version has there.`);
  const note = parsed.data;
  const archive = await openArchive(join(folder, LOG));
  if (archive.head.hash !== note.log.hash || archive.head.events !== note.log.events)
    throw new BadBackup(
      `The log of ${folder} has ${archive.head.events} events where the backup had ${note.log.events}, or other ones.`,
    );
  await verifyArchive(archive);
  const tables = join(folder, TABLES);
  const { hash, rows } = await checkTables(tables);
  if (hash !== note.tables.hash)
    throw new BadBackup(`${tables} is not the file that the backup was made with.`);
  return { note, archive, tables, rows };
}

function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
