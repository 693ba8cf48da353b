/** The ledger's process: settings, stores, journal and read models, put together behind the two ports. */
import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { InternalCommand } from '#contracts/api/internal';
import { CARDS_PREFIX } from '#contracts/events/cards';
import { OUR_PREFIXES } from '#contracts/events/our-streams';
import { PASSKEYS_PREFIX } from '#contracts/events/passkeys';
import { inTime } from '#contracts/plain/in-time';
import { READ_CONTROLLERS } from '#projections/controllers';
import { readTroubles } from '#projections/engine/read-troubles';
import { unappliedCharges } from '#projections/unapplied/queries';
import { passCertificates, passesOff, type PassCertificates } from '#ledger/passes/pass-certificates';
import { MessageFollower } from '#ledger/messages/message-follower';
import { MessageStore } from '#ledger/messages/message-store';
import { InternalCommands } from '#ledger/bus/internal-commands';
import { ChangeFeed } from '#ledger/events-out/change-feed';
import { internalPort } from '#ledger/http/internal-port';
import { servePublishedTree } from '#ledger/http/published-tree';
import { servePages } from '#ledger/http/pages';
import { ledgerServer } from '#ledger/server';
import { seenFrom } from '#edge/seen-from';
import { asUrgent } from '#ledger/stripe/call-limiter';
import { RequestLimits } from '#ledger/limits/request-limits';
import { DiskRooms } from './shell/disk-room.js';
import { Figures } from './shell/figures.js';
import { countsFollowerDrops } from './shell/follower-drops.js';
import { logOf, serve, type RunningProcess } from './shell/serve.js';
import { readSettings } from './shell/settings.js';
import { webFolder } from './shell/web-folder.js';
import { showLogRecovery } from './shell/log-recovery.js';
import { earlierAddresses } from './ledger/account-recovery.js';
import { openEdge } from './ledger/edge.js';
import { areKeysOfForgottenBack } from './ledger/forgotten-keys.js';
import { beginJournal } from './ledger/guarded-journal.js';
import { showJournal } from './ledger/journal-figures.js';
import { Callers } from './ledger/leaving.js';
import { sharedLimits } from './ledger/limits.js';
import { lateMails, showMails } from './ledger/mails.js';
import { showOutages } from './ledger/outages.js';
import { ledgerParts, stripeScriptOf, type RunningParts } from './ledger/parts.js';
import { keepComparing, showComparison } from './ledger/start-comparison.js';
import { findingsOf, LedgerReadiness } from './ledger/readiness.js';
import { feedReads } from './ledger/reads.js';
import { NAMES, type LedgerSettings } from './ledger/settings.js';
import { openStores } from './ledger/stores.js';

const UNAPPLIED_COUNTED = 500;
/** What workers ask for that pays out, gives back, or charges somebody in their absence. */
const MOVES_MONEY: ReadonlySet<InternalCommand['type']> = new Set([
  'AdvancePayout',
  'RefundUnapplied',
  'CollectDue',
]);
const LOG_CLOSES_WITHIN_MS = 300;
/** So long before its end a certificate is worth a word. */
const CERTIFICATE_WARNING_MS = 30 * 24 * 3_600_000;

interface BoundServer {
  address(): AddressInfo | string | null;
}

/** What is open before anything is followed or served. */
type OpenParts = Pick<
  RunningParts,
  'publicUrl' | 'log' | 'figures' | 'stores' | 'edge' | 'limits' | 'guarded' | 'passes'
>;

async function start(): Promise<RunningProcess> {
  const settings = readSettings(NAMES);
  const log = logOf('ledger', settings);
  const passes = passCertificates(settings);
  const passesProblem = notePasses(passes, log);
  const open = await openParts(settings, log, passes);
  const { guarded, limits } = open;
  let isEnding = false;
  const ending = (): boolean => isEnding;
  const callers = new Callers();
  const { feed, messages, messageStore } = followersOf(open);
  const readiness = readinessOf(open, passesProblem, ending);
  void keepComparing({ ...guarded, note: log, isEnding: ending });
  showFigures(open, readiness, feed);
  const app = await openLedgerServer(settings, { ...open, readiness, feed, messageStore }, callers, ending);
  const internal = openInternalPort(settings, open, readiness, app.get(InternalCommands));

  await limits.counter.ready();
  await internal.listen({ port: settings.LEDGER_INTERNAL_PORT, host: settings.LEDGER_INTERNAL_HOST });
  await app.listen(settings.LEDGER_PORT, settings.LEDGER_HOST);
  messages.start();
  return {
    log,
    ports: { port: portOf(app.getHttpServer() as BoundServer), internalPort: portOf(internal.server) },
    // The ports first, then what is behind them: a request that was let in is answered.
    async end() {
      isEnding = true;
      // Streams of changes have no end of their own; browsers come back, to another process.
      feed.close();
      const told = messages.stop();
      await callers.gone();
      await Promise.all([app.close(), internal.close()]);
      await told;
      await closeParts(open);
    },
  };
}

async function openParts(
  settings: LedgerSettings,
  log: Logger,
  passes: PassCertificates | undefined,
): Promise<OpenParts> {
  const publicUrl = new URL(settings.PUBLIC_URL).origin;
  const figures = new Figures();
  const stores = await openStores(settings, log);
  const edge = await openEdge(settings, stores, figures, log);
  const limits = await sharedLimits(settings, stores.vault, figures, log);
  const guarded = await beginJournal(settings, stores, figures, log);
  return { publicUrl, log, figures, stores, edge, limits, guarded, passes };
}

/** Once nobody asks anything any more. */
async function closeParts({ guarded, limits, edge, stores }: OpenParts): Promise<void> {
  guarded.leave();
  limits.counter.close();
  await guarded.journal.close();
  await Promise.all([stores.projected.close(), edge.sessionEnds.close()]);
  await edge.trail.close();
  await Promise.all([stores.reads.end(), stores.pool.end()]);
  // Nothing is under way to the log any more; its client may take seconds to see that its streams have
  // ended.
  await inTime<unknown>(LOG_CLOSES_WITHIN_MS, stores.events.close(), undefined);
}

/** What follows the log beside the journal: the changes that browsers are told of, and messages. */
function followersOf({ stores, guarded, figures, log }: OpenParts): {
  feed: ChangeFeed;
  messages: MessageFollower;
  messageStore: MessageStore;
} {
  const { events, pool, reads, projected, vault } = stores;
  const onDrop = countsFollowerDrops(figures, log);
  const feed = new ChangeFeed({
    log: events,
    prefixes: OUR_PREFIXES,
    unprojected: [CARDS_PREFIX, PASSKEYS_PREFIX],
    readModels: projected,
    reads: feedReads(reads),
    note: log,
    onDrop,
  });
  const messageStore = new MessageStore(pool);
  const messages = new MessageFollower({
    log: events,
    pool,
    store: messageStore,
    vault,
    earlierAddresses: earlierAddresses(guarded.streams),
    note: log,
    recovery: () => guarded.gate.recovery,
    areKeysOfForgottenBack: () => areKeysOfForgottenBack(reads),
    onDrop,
  });
  return { feed, messages, messageStore };
}

function readinessOf(
  { stores, guarded, limits }: OpenParts,
  passesProblem: () => string | undefined,
  isEnding: () => boolean,
): LedgerReadiness {
  const { events, pool, reads, vault } = stores;
  const rooms = new DiskRooms(events, pool);
  return new LedgerReadiness({
    pool,
    journal: guarded.journal,
    store: events.health,
    freshness: guarded.freshness,
    gate: guarded.gate,
    isEnding,
    others: [
      () =>
        findingsOf('Requests are limited more strictly at the moment.', [
          limits.counter.isAway
            ? 'Redis does not answer: each ledger counts requests and declined payments by itself, and lets half as many through. See whether it runs, and whether REDIS_URL leads to it.'
            : undefined,
        ]),
      () => findingsOf('Apple Wallet passes are not made at the moment.', [passesProblem()]),
      async () =>
        findingsOf('Payments and changes are not taken at the moment.', [await vault.lostProblem()]),
      async () => findingsOf('A store has little room left, or takes no writes.', await rooms.problems()),
      async () => findingsOf('Mail is late.', await lateMails(pool)),
      async () =>
        findingsOf('Some of what is shown cannot be read.', await readTroubles(reads).catch(() => [])),
    ],
  });
}

function showFigures(
  { figures, stores, guarded }: OpenParts,
  readiness: LedgerReadiness,
  feed: ChangeFeed,
): void {
  const { gate } = guarded;
  showJournal(figures, guarded.journal, readiness);
  showOutages(figures, stores.events.health, guarded.freshness);
  showLogRecovery(figures, () => gate.recovery);
  showComparison(figures, guarded.comparison);
  showMails(figures, stores.pool);
  figures.gauge(
    'encore_unapplied_charges',
    'Charges that no payment explains and that are still to be given back',
    async () => (await unappliedCharges(stores.reads, UNAPPLIED_COUNTED)).length,
  );
  figures.gauge('encore_event_streams', 'Browsers that this process tells of changes', () => feed.size);
  figures.gauge(
    'encore_log_hidden_streams',
    'Streams of ours that do not show all their events, by their metadata',
    () => gate.hiddenStreams,
  );
}

/** The port of browsers and of the card provider's webhooks, not yet listening. */
function openLedgerServer(
  settings: LedgerSettings,
  running: RunningParts,
  callers: Callers,
  isEnding: () => boolean,
): ReturnType<typeof ledgerServer> {
  const { publicUrl, log, figures, edge, limits, guarded } = running;
  const { freshness, gate } = guarded;
  const durations = figures.histogram(
    'encore_http_request_duration_seconds',
    'How long the answers to HTTP requests took',
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    ['method', 'route', 'status'],
  );
  return ledgerServer({
    parts: ledgerParts(settings, running),
    reads: READ_CONTROLLERS,
    log,
    trustedProxies: settings.TRUSTED_PROXIES,
    addPages: async (server) => {
      servePublishedTree(server, settings.ENCORE_TRANSPARENCY);
      await servePages(server, webFolder(), settings.ENCORE_STAGING === 'on');
    },
    origins: {
      publicUrl,
      stripeScriptUrl: stripeScriptOf(settings),
      stripeApiUrl: settings.STRIPE_API_URL,
      stripeOrigins: settings.STRIPE_ORIGINS,
    },
    gate: {
      publicOrigin: publicUrl,
      limits: new RequestLimits(limits.counts),
      log,
      trail: edge.trail,
      observe: ({ seconds, ...labels }) => {
        callers.answered(labels.route);
        durations.observe(labels, seconds);
      },
      isEnding,
      isStale: () => freshness.isStale,
      closed: () => gate.closed,
      sessionOf: (request) =>
        edge.sessions.of(edge.cookies.sessionOf(request), () => ({
          ...seenFrom(request),
          place: edge.places.of(request.ip),
        })),
    },
  });
}

/** The port of workers, operators and figures, not yet listening. */
function openInternalPort(
  settings: LedgerSettings,
  { log, figures, edge, guarded }: OpenParts,
  readiness: LedgerReadiness,
  commands: InternalCommands,
): ReturnType<typeof internalPort> {
  const { gate, comparison } = guarded;
  return internalPort({
    token: settings.ENCORE_INTERNAL_TOKEN,
    log,
    figures: figures.registry,
    figuresToken: settings.METRICS_TOKEN,
    ready: () => readiness.checkInside(),
    trail: edge.trail,
    carryOut(command, correlationId) {
      gate.assertNotClosed();
      if (MOVES_MONEY.has(command.type)) comparison.assertDone();
      return asUrgent('job', () => commands.carryOut(command, correlationId));
    },
  });
}

function portOf(server: BoundServer): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Warns of a certificate that ended or will soon; answers with why no passes are made, if none are. */
function notePasses(passes: PassCertificates | undefined, log: Logger): () => string | undefined {
  const problem = (): string | undefined => passes && passesOff(passes, new Date());
  if (problem() !== undefined) log.warn(problem());
  else if (passes && passes.expiresAt.getTime() - Date.now() < CERTIFICATE_WARNING_MS)
    log.warn({ expiresAt: passes.expiresAt }, 'the certificate that signs Apple Wallet passes expires soon');
  return problem;
}

await serve('the ledger', start);
