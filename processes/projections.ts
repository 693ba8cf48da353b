/** The projections' process: settings, tables, the projector, and a port that tells how it is. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { pino } from 'pino';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { BadSetting, configurationFrom } from '#contracts/configuration';
import { positionText } from '#contracts/log';
import { EsdbLog } from '#log/esdb';
import { Vault } from '#log/vault';
import { plainMessage } from '#projections/engine/database';
import { prepareReadModels } from '#projections/engine/prepare';
import { eventsBehind, Projector, type ProjectorState } from '#projections/engine/projector';
import { readModels } from '#projections/read-models';

const NAMES = [
  'EVENTSTORE_URL',
  'DATABASE_URL',
  'ENCORE_MASTER_KEY',
  'PROJECTIONS_PORT',
  'PROJECTIONS_HOST',
  'LOG_LEVEL',
] as const;

/** How long closing connections may take at the end. */
const CLOSE_WITHIN_MS = 2000;

/** What /readyz says in each state; only `live` is ready. */
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
    case 'stopped':
      return `The projector has stopped and passes over nothing. Mend the cause and start it again. ${state.why}`;
  }
}

async function main(): Promise<void> {
  const settings = configurationFrom(NAMES, process.env, (path) => readFileSync(path, 'utf8'));
  const logger = pino({ name: 'projections', level: settings.LOG_LEVEL });
  const log = EsdbLog.connect(settings.EVENTSTORE_URL);
  const keys = new pg.Pool({
    connectionString: settings.DATABASE_URL,
    max: 5,
    application_name: 'encore-vault',
  });
  keys.on('error', (error) => logger.warn({ error: error.message }, 'an idle connection to the vault broke'));
  const vault = await Vault.open(keys, settings.ENCORE_MASTER_KEY);
  const models = readModels(vault);

  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const projected = new Counter({
    name: 'encore_events_projected_total',
    help: 'Events projected by this process',
    registers,
  });
  const batchSize = new Histogram({
    name: 'encore_projection_batch_events',
    help: 'Events in one transaction',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
    registers,
  });

  const projector: Projector = new Projector({
    log,
    databaseUrl: settings.DATABASE_URL,
    models,
    prepare: async () => {
      const prepared = await prepareReadModels({
        databaseUrl: settings.DATABASE_URL,
        log,
        models,
        onRebuild: (why) => logger.warn({ why }, 'rebuilding the read models beside the live ones'),
      });
      if (prepared.kind === 'created') {
        projected.inc(prepared.events);
        logger.info({ events: prepared.events }, 'filled the tables of the read models');
      }
      if (prepared.kind === 'rebuilt')
        logger.info({ events: prepared.events, tables: prepared.tables }, 'the rebuilt read models are live');
    },
    onBatch: (events, end) => {
      projected.inc(end.projected);
      batchSize.observe(events.length);
      if (logger.isLevelEnabled('debug'))
        for (const { type, stream, revision, metadata } of events)
          logger.debug({ correlationId: metadata.correlationId, type, stream, revision }, 'projected');
    },
    onState: (state) => {
      if (state.status === 'stopped') logger.fatal({ why: state.why }, sentenceOf(state));
      else if (state.status === 'reconnecting') logger.warn({ why: state.why }, sentenceOf(state));
      else logger.info({ status: state.status }, sentenceOf(state));
    },
  });

  const gauge = (
    name: string,
    help: string,
    read: (set: (value: number) => void) => Promise<void> | void,
  ): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        await read((value) => this.set(value));
      },
    });
  };
  gauge(
    'encore_projection_journal_revision',
    'The last journal revision that the read models have passed',
    (set) => set(projector.journalRevision),
  );
  gauge('encore_projection_position', 'The last commit position that the read models have passed', (set) =>
    set(Number(projector.position.commit)),
  );
  gauge(
    'encore_projection_seconds_behind',
    'The age of the newest projected event while a backlog remains',
    (set) => set(projector.secondsBehind(Date.now())),
  );
  gauge(
    'encore_projection_events_behind',
    'Journal entries not projected yet; -1 when the log cannot be asked',
    async (set) => set((await eventsBehind(log, projector)) ?? -1),
  );
  gauge('encore_projection_stopped', '1 when the projector has stopped for good', (set) =>
    set(projector.state.status === 'stopped' ? 1 : 0),
  );

  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = 'application/json'): void => {
      response.writeHead(status, { 'content-type': type }).end(body);
    };
    const path = request.url?.split('?')[0];
    if (request.method !== 'GET' && request.method !== 'HEAD')
      answer(405, '{"message":"Only reading is possible here."}');
    else if (path === '/healthz') answer(200, '{"status":"ok"}');
    else if (path === '/readyz')
      answer(
        projector.state.status === 'live' ? 200 : 503,
        JSON.stringify({
          status: projector.state.status,
          message: sentenceOf(projector.state),
          position: positionText(projector.position),
        }),
      );
    else if (path === '/metrics')
      void registry.metrics().then(
        (text) => answer(200, text, registry.contentType),
        () => answer(500, '{"message":"The metrics could not be read."}'),
      );
    else answer(404, '{"message":"There is /healthz, /readyz and /metrics."}');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.PROJECTIONS_PORT, settings.PROJECTIONS_HOST, resolve);
  });
  projector.start();
  process.stdout.write(`${JSON.stringify({ ready: true, port: (server.address() as AddressInfo).port })}\n`);

  let ending: Promise<void> | undefined;
  const end = (why: string): void => {
    ending ??= (async () => {
      logger.info({ why }, 'ending');
      await projector.stop();
      server.close();
      server.closeAllConnections();
      // Nothing of ours is unwritten; a store that does not answer must not keep us.
      const closed = Promise.all([log.close(), keys.end()]);
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS))]);
      process.exit(0);
    })();
  };
  process.once('SIGTERM', () => end('SIGTERM'));
  process.once('SIGINT', () => end('SIGINT'));
  // The local stack holds our stdin open: when it is gone, however it went, so are we.
  if (process.env.ENCORE_PARENT) process.stdin.resume().once('end', () => end('the parent is gone'));
}

main().catch((error: unknown) => {
  process.stderr.write(
    error instanceof BadSetting
      ? `${error.message}\n`
      : `The projections could not start: ${plainMessage(error)}\n`,
  );
  process.exit(1);
});
