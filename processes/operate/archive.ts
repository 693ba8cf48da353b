/** `operate archive`: the log as it is stored, in a folder that needs no server to be read. */
import { archiveOnce, Archiver, type ArchiverState } from '#audit/exported-log/archiver';
import { FolderInUse } from '#audit/exported-log/folder-lock';
import { ArchiveDamaged } from '#audit/exported-log/segments';
import { LogDiffers } from '#audit/exported-log/verified-archive';
import { BadSetting } from '#contracts/configuration';
import { inTime } from '#contracts/plain/in-time';
import { readyUnless } from '#edge/health';
import { EsdbLog } from '#log/esdb';
import { Figures } from '../shell/figures.js';
import { countsFollowerDrops } from '../shell/follower-drops.js';
import { openHealthPort } from '../shell/health-port.js';
import { CannotRun, type Verdict } from '../shell/command.js';
import { logOf, type RunningProcess } from '../shell/serve.js';
import { readSettings } from '../shell/settings.js';
import { notesStates, StoreTroubleNote } from '../shell/store-trouble.js';
import { NAMES } from './settings.js';

/** How long closing connections may take at the end. */
const CLOSE_WITHIN_MS = 2_000;

/** The folder that ENCORE_ARCHIVE names. Throws {@link BadSetting} where it names none. */
function archiveFolder(folder: string | undefined): string {
  if (folder === undefined)
    throw new BadSetting('ENCORE_ARCHIVE is not set: it names the folder of the exported log.');
  return folder;
}

/** Archives what the log has, once. */
export async function archive(): Promise<Verdict> {
  const settings = readSettings(['EVENTSTORE_URL', 'ENCORE_ARCHIVE']);
  const folder = archiveFolder(settings.ENCORE_ARCHIVE);
  try {
    const { head, written } = await archiveOnce(EsdbLog.connect(settings.EVENTSTORE_URL), folder);
    const upTo = head.journal ? `, up to revision ${head.journal.revision} of the journal` : '';
    return {
      status: 0,
      lines: [`${written} events were archived. ${folder} holds ${head.events} events${upTo}.`],
    };
  } catch (error) {
    const isFinding =
      error instanceof LogDiffers || error instanceof ArchiveDamaged || error instanceof FolderInUse;
    throw isFinding ? new CannotRun(error.message) : error;
  }
}

/** What is said of each state; only `live` is ready. */
function sentenceOf(state: ArchiverState): string {
  switch (state.status) {
    case 'starting':
      return 'The archive is read and verified.';
    case 'catching-up':
      return 'The archive is catching up with the log.';
    case 'live':
      return 'The archive has what the log has.';
    case 'waiting':
      return `The archive waits: ${state.why}`;
    case 'stopped':
      return `The archive has stopped and looks again from time to time. ${state.why}`;
  }
}

/** Follows the log into the archive until it is told to end. */
export async function startArchive(): Promise<RunningProcess> {
  const settings = readSettings(NAMES);
  const folder = archiveFolder(settings.ENCORE_ARCHIVE);
  const logger = logOf('archive', settings);
  const log = EsdbLog.connect(settings.EVENTSTORE_URL);
  const figures = new Figures();
  const storeTrouble = new StoreTroubleNote(log, logger);
  const archiver: Archiver = new Archiver({
    log,
    folder,
    onState: notesStates(logger, storeTrouble, sentenceOf),
    onDrop: countsFollowerDrops(figures, logger),
  });
  showProgress(figures, archiver);
  const health = await openHealthPort({
    port: settings.ARCHIVE_PORT,
    host: settings.ARCHIVE_HOST,
    ready: async () =>
      readyUnless(
        archiver.state.status === 'live' ? [] : [storeTrouble.sentence ?? sentenceOf(archiver.state)],
      ),
    registry: figures.registry,
    figuresToken: settings.METRICS_TOKEN,
  });
  archiver.start();
  return {
    log: logger,
    ports: { port: health.port },
    async end() {
      await archiver.stop();
      storeTrouble.back();
      health.close();
      await inTime<unknown>(CLOSE_WITHIN_MS, log.close(), undefined);
    },
  };
}

/** How far the archive has come, as figures. */
function showProgress(figures: Figures, archiver: Archiver): void {
  figures.gauge(
    'encore_archive_seconds_behind',
    'The age of the oldest event that may not be archived yet; 0 where there is none',
    () => archiver.secondsBehind(Date.now()),
  );
  figures.gauge('encore_archive_events', 'Events in the archive', () => archiver.head?.events ?? 0);
  figures.gauge(
    'encore_archive_journal_revision',
    'The last journal revision in the archive; -1 before the first',
    () => archiver.head?.journal?.revision ?? -1,
  );
  figures.gauge(
    'encore_archive_unchained_events',
    'Archived events outside the journal that carry no hash of their chain, or another one: no ledger wrote them',
    () => archiver.unchained,
  );
  figures.gauge(
    'encore_archive_stopped',
    '1 while the log does not extend what was archived, the archive is damaged, or another process writes to it',
    () => Number(archiver.state.status === 'stopped'),
  );
}
