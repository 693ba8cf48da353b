/** Brings events of an exported log back into an event store: the same events, ids, revisions and hashes. */
import type { EventLog } from '#log/event-log';
import { copyLog, missingFromCopy, type CopyResult } from '../copy-log.js';
import type { Archive } from './archive.js';
import { ArchiveLog } from './archive-log.js';

/**
 * Appends what the log lacks of the archive, whether that is a lost tail or everything, once both are
 * compared from their beginning; then compares both again, whole. A log that holds anything else than the
 * beginning of the archive is not written to: CannotCopy says where they part. While it is under way the log
 * is marked as a copy that is not complete, and nothing starts on it; interrupted (CopyInterrupted), it goes
 * on when it is called again. Positions are the store's own; a later `archive` notes where the log stands
 * now.
 */
export const appendMissing = (
  archive: Archive,
  log: EventLog,
  tell: (sentence: string) => void,
): Promise<CopyResult> => copyLog(new ArchiveLog(archive), log, tell, { isProven: true });

/** How many events {@link appendMissing} would append. Throws as it does, and writes nothing. */
export const missingFrom = (archive: Archive, log: EventLog): Promise<number> =>
  missingFromCopy(new ArchiveLog(archive), log, { isProven: true });
