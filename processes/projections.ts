/** The projections' process: settings, tables, the projector, and a port that tells how it is. */
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Configuration } from '#contracts/configuration';
import { inTime } from '#contracts/plain/in-time';
import { readyUnless } from '#edge/health';
import { EsdbLog } from '#log/esdb';
import { openReadPool, plainMessage } from '#projections/engine/database';
import { dropLeftoversAt } from '#projections/engine/leftovers';
import { countParked } from '#projections/engine/parking';
import { readTroubles } from '#projections/engine/read-troubles';
import { unreadableTexts } from '#projections/engine/text-reader';
import { prepareReadModels, type Preparation } from '#projections/engine/prepare';
import {
  eventsBehind,
  isStandstill,
  Projector,
  type ProjectorOptions,
  type ProjectorState,
} from '#projections/engine/projector';
import { StopNote } from '#projections/engine/stop-note';
import { Figures } from './shell/figures.js';
import { countsFollowerDrops } from './shell/follower-drops.js';
import { openHealthPort } from './shell/health-port.js';
import { watchRecovery } from './shell/log-recovery.js';
import { openReadModels } from './shell/read-models.js';
import { logOf, serve, type RunningProcess } from './shell/serve.js';
import { readSettings } from './shell/settings.js';
import { StoreTroubleNote } from './shell/store-trouble.js';
import { NAMES } from './projections/settings.js';
import { runShadow } from './projections/shadow.js';

/** How long a batch waits for a data key: it holds a lock meanwhile. */
const KEY_WITHIN_MS = 10_000;
/** How long closing connections may take at the end. */
const CLOSE_WITHIN_MS = 2000;
/** Every balance there is, read at once for the comparison beside the projector. */
const ALL_BALANCES_WITHIN_MS = 300_000;

/** What is said of each state; only `live` is ready. */
function sentenceOf(state: ProjectorState): string {
  switch (state.status) {
    case 'starting':
      return 'The projector is starting.';
    case 'catching-up':
      return 'The read models are catching up with the log.';
    case 'live':
      return 'The read models are up to date.';
    case 'reconnecting':
      return `A store cannot be reached and is tried again: ${state.why}`;
    case 'recovering':
      return `${state.why} The rows stay as they are until it has ended.`;
    case 'stopped':
      return `The projector has stopped and passes over nothing. Mend the cause and start it again. ${state.why}`;
  }
}

async function start(): Promise<RunningProcess> {
  const settings = readSettings(NAMES);
  const logger = logOf('projections', settings);
  const log = EsdbLog.connect(settings.EVENTSTORE_URL);
  const { models, close: closeVault } = await openReadModels(
    settings,
    (error) => logger.warn({ error: error.message }, 'an idle connection to the vault broke'),
    (note) => logger.error(note, 'a text cannot be read'),
    KEY_WITHIN_MS,
  );

  const figures = new Figures();
  const recovery = watchRecovery(settings, figures, logger);
  const storeTrouble = new StoreTroubleNote(log, logger);
  const stopNote = new StopNote(settings.DATABASE_URL, (error) =>
    logger.warn({ why: plainMessage(error) }, 'the ledgers could not be told that the projector has stopped'),
  );
  const projector: Projector = projectorOver({
    settings,
    log,
    models,
    figures,
    logger,
    recovery: recovery.reason,
    onState: (state) => {
      noteForOthers(state, storeTrouble, stopNote);
      noteState(state, logger);
    },
  });
  showProgress(figures, log, projector);
  const rows = openReadPool(settings.DATABASE_URL, 2);
  showUnreadable(figures, rows);
  const balances = openReadPool(settings.DATABASE_URL, 1, ALL_BALANCES_WITHIN_MS);
  const shadow = runShadow({
    log,
    db: balances,
    figures,
    logger,
    isLive: () => projector.state.status === 'live',
  });

  const health = await openHealthPort({
    port: settings.PROJECTIONS_PORT,
    host: settings.PROJECTIONS_HOST,
    ready: async () => {
      const degrading = [...(await readTroubles(rows).catch(() => [])), ...shadow.reasons()];
      if (projector.state.status === 'live')
        return degrading.length === 0 ? readyUnless([]) : { ready: true, degraded: true, reasons: degrading };
      return readyUnless([storeTrouble.sentence ?? sentenceOf(projector.state), ...degrading]);
    },
    registry: figures.registry,
    figuresToken: settings.METRICS_TOKEN,
  });
  projector.start();
  return {
    log: logger,
    ports: { port: health.port },
    async end() {
      await Promise.all([projector.stop(), shadow.stop()]);
      storeTrouble.back();
      health.close();
      await recovery.close();
      // Nothing of ours is unwritten.
      await inTime<unknown>(
        CLOSE_WITHIN_MS,
        Promise.all([log.close(), closeVault(), rows.end(), balances.end()]),
        undefined,
      );
    },
  };
}

interface ProjectorWorld extends Pick<ProjectorOptions, 'models' | 'recovery' | 'onState'> {
  readonly settings: Configuration<'DATABASE_URL'>;
  readonly log: EsdbLog;
  readonly figures: Figures;
  readonly logger: Logger;
}

/** The projector, not yet started, with what it notes as it goes. */
function projectorOver({
  settings: { DATABASE_URL: databaseUrl },
  log,
  models,
  figures,
  logger,
  recovery,
  onState,
}: ProjectorWorld): Projector {
  const progress = notesProgress(figures, logger);
  const onLeftovers = (schemas: readonly string[]): void =>
    logger.warn({ schemas }, 'dropped what an interrupted rebuild had left');
  return new Projector({
    log,
    databaseUrl,
    models,
    prepare: async () =>
      progress.prepared(
        await prepareReadModels({
          databaseUrl,
          log,
          models,
          onRebuild: (why) => logger.warn({ why }, 'rebuilding the read models beside the live ones'),
          onLeftovers,
        }),
      ),
    recovery,
    onBatch: (events, end) => {
      progress.batch(events, end);
      if (events.some(({ event }) => event?.type === 'UserForgotten' || event?.type === 'GuestForgotten'))
        dropLeftRows(databaseUrl, onLeftovers, logger);
    },
    onState,
    onDrop: countsFollowerDrops(figures, logger),
    onReleaseFailure: (why) =>
      logger.error({ why }, 'an event was quarantined, and the rows could not be rebuilt without it yet'),
  });
}

/**
 * The live rows of somebody who is forgotten are blanked. Rows that an interrupted rebuild left would keep
 * their name.
 */
function dropLeftRows(
  databaseUrl: string,
  onLeftovers: (schemas: readonly string[]) => void,
  logger: Logger,
): void {
  dropLeftoversAt(databaseUrl)
    .then((schemas) => schemas.length > 0 && onLeftovers(schemas))
    .catch((error: unknown) =>
      logger.warn({ why: plainMessage(error) }, 'what an interrupted rebuild left could not be dropped'),
    );
}

/** Notes what the projector makes and projects: in the log, and as figures. */
function notesProgress(
  figures: Figures,
  logger: Logger,
): {
  prepared: (preparation: Preparation) => void;
  batch: NonNullable<ProjectorOptions['onBatch']>;
} {
  const projected = figures.counter('encore_events_projected_total', 'Events projected by this process');
  const batchSize = figures.histogram(
    'encore_projection_batch_events',
    'Events in one transaction',
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
  );
  return {
    prepared(preparation) {
      if (preparation.kind === 'created') {
        projected.inc(preparation.events);
        logger.info({ events: preparation.events }, 'filled the tables of the read models');
      }
      if (preparation.kind === 'rebuilt')
        logger.info(
          { events: preparation.events, tables: preparation.tables },
          'the rebuilt read models are live',
        );
    },
    batch(events, end) {
      projected.inc(end.projected);
      for (const parked of end.parked)
        logger.error(parked, 'a stream is parked; see `encore operate quarantine`');
      batchSize.observe(events.length);
      if (logger.isLevelEnabled('debug'))
        for (const { raw, event } of events)
          logger.debug(
            {
              correlationId: event?.metadata.correlationId,
              type: raw.type,
              stream: raw.stream,
              revision: raw.revision,
            },
            'projected',
          );
    },
  };
}

/**
 * For whoever asks how this process is, and for the ledgers, whose answers wait for no rows that stand still.
 */
function noteForOthers(state: ProjectorState, storeTrouble: StoreTroubleNote, stopNote: StopNote): void {
  if (state.status === 'reconnecting') storeTrouble.away();
  if (state.status === 'recovering' || state.status === 'live') storeTrouble.back();
  if (state.status === 'live') void stopNote.clear();
  if (isStandstill(state)) void stopNote.write(state.why);
}

function noteState(state: ProjectorState, logger: Logger): void {
  const sentence = sentenceOf(state);
  if (state.status === 'stopped') logger.fatal({ why: state.why }, sentence);
  else if (state.status === 'reconnecting' || state.status === 'recovering')
    logger.warn({ why: state.why }, sentence);
  else logger.info({ status: state.status }, sentence);
}

/** What of the rows stands still or does not open, as figures. */
function showUnreadable(figures: Figures, rows: pg.Pool): void {
  figures.gauge(
    'encore_streams_parked',
    'Streams that stand still at an event that cannot be read; each names it',
    () => countParked(rows),
  );
  figures.gauges(
    'encore_texts_unreadable',
    'Rows with a sealed text that does not open, by why',
    ['because'],
    async () => (await unreadableTexts(rows)).map(({ because, texts }) => [{ because }, texts]),
  );
}

/** How far the read models have come, as figures. */
function showProgress(figures: Figures, log: EsdbLog, projector: Projector): void {
  figures.gauge(
    'encore_projection_journal_revision',
    'The last journal revision that the read models have passed',
    () => projector.journalRevision,
  );
  figures.gauge(
    'encore_projection_position',
    'The last commit position that the read models have passed',
    () => Number(projector.position.commit),
  );
  figures.gauge(
    'encore_projection_seconds_behind',
    'The age of the oldest event that is not projected yet; 0 where there is none',
    () => projector.secondsBehind(Date.now()),
  );
  figures.gauge(
    'encore_projection_events_behind',
    'Events not projected yet, 10,000 at most; -1 when the log cannot be asked',
    async () => (await eventsBehind(log, projector)) ?? -1,
  );
  figures.gauge('encore_projection_stopped', '1 when the projector has stopped for good', () =>
    Number(projector.state.status === 'stopped'),
  );
}

await serve('the projections', start);
