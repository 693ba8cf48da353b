/** The ledger's process: settings, stores, journal and read models, put together behind the two ports. */
import 'reflect-metadata';
import { hkdfSync, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Provider } from '@nestjs/common';
import pg from 'pg';
import type { Logger } from 'pino';
import { STRIPE_OWN_SCRIPT } from '#contracts/api/browser-configuration';
import type { InternalCommand } from '#contracts/api/internal';
import { BadSetting } from '#contracts/configuration';
import { CARDS_PREFIX } from '#contracts/events/cards';
import { OUR_PREFIXES } from '#contracts/events/our-streams';
import { READ_CONTROLLERS } from '#projections/controllers';
import { openReadPool } from '#projections/engine/database';
import { readTroubles } from '#projections/engine/read-troubles';
import { Projected } from '#projections/engine/read-your-writes';
import { unappliedCharges } from '#projections/unapplied/queries';
import { CannotFound, FoundingGate, foundLedger } from '#ledger/founding/founding';
import { LOG, PUBLIC_URL } from '#ledger/parts';
import { passCertificates, passesOff, PASS_CERTIFICATES } from '#ledger/passes/pass-certificates';
import { MailRows, mailsWaiting } from '#ledger/messages/mail-queue';
import { MessageFollower } from '#ledger/messages/message-follower';
import { MessageStore } from '#ledger/messages/message-store';
import { PictureStore, PictureTable } from '#ledger/pictures/picture-store';
import { PasskeyTokens } from '#ledger/passkeys/passkey-tokens';
import { InternalCommands } from '#ledger/bus/internal-commands';
import { EsdbLog } from '#log/esdb';
import { ChangeFeed } from '#ledger/events-out/change-feed';
import { About } from '#ledger/http/about.controller';
import { Freshness } from '#ledger/http/freshness';
import { Readiness } from '#ledger/http/health.controller';
import { internalPort } from '#ledger/http/internal-port';
import { servePublishedTree } from '#ledger/http/published-tree';
import { servePages } from '#ledger/http/pages';
import { PolicyReportCount } from '#ledger/http/policy-reports.controller';
import { ReadYourWrites } from '#ledger/http/read-models';
import { ledgerServer } from '#ledger/http/server';
import { CookieJar } from '#ledger/sessions/cookies';
import { Confirmations } from '#ledger/step-up/confirmations';
import { Places } from '#ledger/sessions/places';
import { SessionEnds } from '#ledger/sessions/session-ends';
import { Sessions } from '#ledger/sessions/sessions';
import { seenFrom } from '#edge/seen-from';
import { SignIns } from '#ledger/identity/sign-ins';
import { Journal } from '#ledger/journal/journal';
import type { JournalObservation } from '#ledger/journal/options';
import { Patience } from '#ledger/patience';
import { ScheduleClock } from '#ledger/schedules/schedule-clock';
import { SecurityTrail } from '#ledger/security-trail/security-trail';
import { StoredTrail } from '#ledger/security-trail/stored-trail';
import { StreamRunner } from '#ledger/streams/runner';
import { TipPageLimits, TipPagePictures, TipPageSettings } from '#ledger/tip-pages/tip-page-reads';
import { asUrgent, CallLimiter } from '#ledger/stripe/call-limiter';
import { Waits } from '#ledger/waits';
import { OwnershipSeal } from '#ledger/stripe/ownership';
import { LimitCounts } from '#ledger/limits/counter';
import { Declines } from '#ledger/limits/declines';
import { DeclineLimit } from '#ledger/payments/declined-payments';
import { RequestLimits } from '#ledger/limits/request-limits';
import { ScheduleLimits } from '#ledger/schedules/schedule-counts';
import { LostEntries } from '#ledger/start-gate/lost-entries';
import { SealedObjects } from '#ledger/stripe/sealed-objects';
import { ActiveMethods } from '#ledger/stripe/active-methods';
import { keyMode } from '#ledger/stripe/key-mode';
import { ProviderAccount } from '#ledger/stripe/provider-account';
import { ProviderRefused } from '#ledger/stripe/provider-payment';
import { ProviderFigures, RefundCap } from '#ledger/stripe/provider-figures';
import { VerifiedWebhooks } from '#ledger/stripe/verified-webhooks';
import type { StoreHealth } from '#log/store-health';
import { StoreLookout } from '#log/store-lookout';
import { Vault } from '#log/vault';
import { assertPrepared } from './database.js';
import { EDGE, VAULT } from './migrations.js';
import { DiskRooms } from './shell/disk-room.js';
import { Figures } from './shell/figures.js';
import { countsFollowerDrops } from './shell/follower-drops.js';
import { logOf, serve, within, type RunningProcess } from './shell/serve.js';
import { clockOf, readSettings, masterKeysOf } from './shell/settings.js';
import { StoreTroubleNote } from './shell/store-trouble.js';
import { webFolder } from './shell/web-folder.js';
import { showLogRecovery } from './shell/log-recovery.js';
import { comparisonOver, keepComparing, showComparison } from './ledger/provider-comparison.js';
import { ledgerGate, seenFolders } from './ledger/start-gate.js';
import { outsideServices } from './ledger/outside-services.js';
import { Callers } from './ledger/leaving.js';
import { findingsOf, LedgerReadiness } from './ledger/readiness.js';
import { monthEndReads } from './ledger/month-end.js';
import { ownDataReads } from './ledger/own-data.js';
import { stepUpReads } from './ledger/confirmation-facts.js';
import { recoveryReads } from './ledger/account-recovery.js';
import { archiveOver, feedReads, readers } from './ledger/reads.js';
import { receiptProofs } from './ledger/receipt-proofs.js';
import { platformMoneyParts } from './ledger/platform-money.js';
import { notesRefusals, providerFigures } from './ledger/provider-figures.js';
import { NAMES, type LedgerSettings } from './ledger/settings.js';
import { SharedCallCounter } from './ledger/shared-calls.js';
import { SharedCounter } from './ledger/shared-limits.js';

const HOUR_MS = 3_600_000;
const UNAPPLIED_COUNTED = 500;
/** What workers ask for that pays out, gives back, or charges somebody in their absence. */
const MOVES_MONEY: ReadonlySet<InternalCommand['type']> = new Set([
  'AdvancePayout',
  'RefundUnapplied',
  'CollectDue',
]);
const LOG_CLOSES_WITHIN_MS = 300;

/** The script is read at each page: a build may replace it while this process runs. */
function tipPageSettings(publicUrl: string, isStaging: boolean): TipPageSettings {
  const file = join(webFolder(), 'tip-page.js');
  const assets = join(webFolder(), 'assets');
  const isFont = (name: string): boolean => /^archivo-latin-(?!ext)[^/]*\.woff2$/.test(name);
  return {
    publicUrl,
    isStaging,
    script: () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
    font() {
      const name = existsSync(assets) ? readdirSync(assets).find(isFont) : undefined;
      return name && `/assets/${name}`;
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function noteJournal(log: Logger, figures: Figures): (observed: JournalObservation) => void {
  const inapplicable = figures.counter(
    'encore_journal_inapplicable_total',
    'Commands that the journal refused alone because what they brought cannot be booked: each is looked into',
    ['command'],
  );
  return (observed) => {
    if (observed.kind === 'appended') log.debug(observed, 'journal');
    else if (observed.kind === 'conflict') log.info(observed, 'another ledger wrote first');
    else if (observed.kind === 'unknown-outcome')
      log.warn({ err: observed.error }, 'an append is sent again');
    else if (observed.kind === 'inapplicable') {
      const { command, correlationId, error: err } = observed;
      inapplicable.inc({ command });
      log.error({ command, correlationId, err }, 'the journal cannot book this');
    } else log.fatal({ err: observed.error }, 'the journal has stopped');
  };
}

/** So long before its end a certificate is worth a word. */
const CERTIFICATE_WARNING_MS = 30 * 24 * 3_600_000;
const DATABASE_ANSWERS_WITHIN_MS = 10_000;

const waitsOf = (settings: LedgerSettings): Waits => ({
  now: clockOf(settings),
  recoveryMs: settings.ACCOUNT_RECOVERY_HOURS * HOUR_MS,
  forgettingMs: settings.FORGETTING_HOURS * HOUR_MS,
});

async function start(): Promise<RunningProcess> {
  const settings = readSettings(NAMES);
  const publicUrl = new URL(settings.PUBLIC_URL).origin;
  const passes = passCertificates(settings);
  const log = logOf('ledger', settings);
  const passesProblem = (): string | undefined => passes && passesOff(passes, new Date());
  if (passesProblem() !== undefined) log.warn(passesProblem());
  else if (passes && passes.expiresAt.getTime() - Date.now() < CERTIFICATE_WARNING_MS)
    log.warn({ expiresAt: passes.expiresAt }, 'the certificate that signs Apple Wallet passes expires soon');
  const places = await placesOf(settings);
  const pool = new pg.Pool({
    connectionString: settings.DATABASE_URL,
    max: 10,
    application_name: 'encore-ledger',
    // A database that stands still must not hold callers, or our end, for ever.
    connectionTimeoutMillis: DATABASE_ANSWERS_WITHIN_MS,
    query_timeout: DATABASE_ANSWERS_WITHIN_MS,
  });
  // The pool does not listen to a connection that it is closing, should Postgres end it first.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', (error) => log.warn({ why: error.message }, 'an idle connection to Postgres broke'));
  const reads = openReadPool(settings.DATABASE_URL);
  await assertPrepared(settings.DATABASE_URL, [VAULT, EDGE]);
  const vault = Vault.open(pool, masterKeysOf(settings), ({ userId, because, key }) =>
    log.error({ userId, because, key }, 'a text cannot be read'),
  );
  await vault.assertMasterKey();

  const figures = new Figures();
  const trail = trailOver(pool, settings, figures, log);
  const events = EsdbLog.connect(settings.EVENTSTORE_URL);
  const projected = Projected.listen(settings.DATABASE_URL);
  const freshness = new Freshness(events.health, projected);
  const lookout = new StoreLookout(events, (end) => freshness.endSeen(end));
  const storeTrouble = new StoreTroubleNote(events, log);
  noteOutages(log, events.health, storeTrouble);
  lookout.start();
  const { gate, gated, watch, lost } = ledgerGate({
    log: events,
    pool,
    reads,
    folders: seenFolders(settings),
    note: log,
    epoch: () => journal.epoch,
    async beforeFirst() {
      await opened;
      await comparison.begin(journal.end?.recordedAtMs);
    },
    changed(closed) {
      freshness.isClosed = closed !== undefined;
      if (gate.recovery !== undefined) comparison.reset();
    },
    ownEnd: () => journal.end,
  });
  const { journal, opened }: ReturnType<typeof Journal.begin> = Journal.begin(gated, {
    archive: archiveOver(reads),
    assertNotClosed: () => gate.assertNotClosed(),
    window: { ms: settings.RESIDENT_WINDOW_MINUTES * 60_000, entries: settings.RESIDENT_WINDOW_ENTRIES },
    limits: settings.LIMITS,
    observe: noteJournal(log, figures),
  });
  const streams = new StreamRunner(gated);
  const seal = new OwnershipSeal(await vault.sealKey(), () => journal.ledgerId);
  const calls = new SharedCallCounter(settings.REDIS_URL, randomUUID(), log);
  const counter = new SharedCounter(settings.REDIS_URL, log);
  const refusals = figures.counter(
    'encore_limit_refusals_total',
    'What was refused because of a limit, by the limit’s name in docs/reference/limits.md',
    ['limit'],
  );
  const limitCounts = new LimitCounts({
    counter,
    limits: settings.LIMITS,
    secret: await limitSecret(vault),
    refused: (limit) => refusals.inc({ limit }),
  });
  const stripe = {
    secretKey: settings.STRIPE_SECRET_KEY,
    apiUrl: settings.STRIPE_API_URL,
    limiter: new CallLimiter(calls, limitsOf(settings)),
  };
  const objects = new SealedObjects({ ...stripe, seal });
  const comparison = comparisonOver({ log: events, journal, objects, lost, pool });
  await watch.start();
  gate.start();
  // While the event store is away there are pages and rows all the same; writes open after the replay.
  const [trouble] = await Promise.all([
    events.trouble(),
    Promise.race([opened, storeAway(events.health), gate.closedOnce()]).catch(() => undefined),
  ]);
  // What no waiting mends, such as a wrong password, ends it instead.
  if (trouble !== undefined && !trouble.isOutage) throw new Error(trouble.sentence);
  await Promise.race([opened, storeAway(events.health), gate.closedOnce()]);
  // What ends the replay later is told as the journal's stop.
  opened.catch(() => undefined);
  const account = new ProviderAccount(stripe);
  const founding = new FoundingGate(() =>
    foundLedger({ journal, log: gated, account, timeZone: settings.BOOKS_TIME_ZONE }),
  );
  await Promise.race([
    proveFounding(
      founding,
      opened.then(() => gate.opened()),
      log,
    ),
    storeAway(events.health),
    gate.closedOnce(),
  ]);

  const onDrop = countsFollowerDrops(figures, log);
  const feed = new ChangeFeed({
    log: events,
    prefixes: OUR_PREFIXES,
    unprojected: [CARDS_PREFIX],
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
    note: log,
    recovery: () => gate.recovery,
    onDrop,
  });
  showMails(figures, pool);
  const sessions = new Sessions(pool, {
    idleDays: settings.SESSION_IDLE_DAYS,
    longestDays: settings.SESSION_LONGEST_DAYS,
  });
  const sessionEnds = SessionEnds.listen(settings.DATABASE_URL);
  const cookies = new CookieJar(publicUrl.startsWith('https:'));
  const scriptUrl = settings.STRIPE_SCRIPT_URL ?? STRIPE_OWN_SCRIPT;
  figures.gauge(
    'encore_unapplied_charges',
    'Charges that no payment explains and that are still to be given back',
    async () => (await unappliedCharges(reads, UNAPPLIED_COUNTED)).length,
  );
  figures.gauge('encore_event_streams', 'Browsers that this process tells of changes', () => feed.size);
  const durations = figures.histogram(
    'encore_http_request_duration_seconds',
    'How long the answers to HTTP requests took',
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    ['method', 'route', 'status'],
  );
  let isEnding = false;
  const callers = new Callers();
  const rooms = new DiskRooms(events, pool);
  const readiness = new LedgerReadiness({
    pool,
    journal,
    store: events.health,
    freshness,
    gate,
    isEnding: () => isEnding,
    others: [
      () =>
        findingsOf('Requests are limited more strictly at the moment.', [
          counter.isAway
            ? 'Redis does not answer: each ledger counts requests and declined payments by itself, and lets half as many through. See whether it runs, and whether REDIS_URL leads to it.'
            : undefined,
        ]),
      () => findingsOf('Apple Wallet passes are not made at the moment.', [passesProblem()]),
      async () => findingsOf('There is little room left.', await rooms.problems()),
      async () => findingsOf('Mail is late.', await lateMails(pool)),
      async () =>
        findingsOf('Some of what is shown cannot be read.', await readTroubles(reads).catch(() => [])),
    ],
  });
  showJournal(figures, journal, readiness);
  showOutages(figures, events.health, freshness);
  showLogRecovery(figures, () => gate.recovery);
  showComparison(figures, comparison);
  void keepComparing({ comparison, gate, founding, note: log, isEnding: () => isEnding });
  figures.gauge(
    'encore_log_hidden_streams',
    'Streams of ours that do not show all their events, by their metadata',
    () => gate.hiddenStreams,
  );

  const waits = waitsOf(settings);
  const parts: Provider[] = [
    { provide: LOG, useValue: log },
    { provide: PUBLIC_URL, useValue: publicUrl },
    { provide: Journal, useValue: journal },
    { provide: Vault, useValue: vault },
    { provide: StreamRunner, useValue: streams },
    { provide: Patience, useValue: new Patience(events.health) },
    { provide: Freshness, useValue: freshness },
    ...outsideServices(settings, publicUrl, {
      seal,
      verified: new VerifiedWebhooks(pool),
      figures,
      access: {
        ...stripe,
        assertProven: () => founding.assertProven(),
        assertMayMove: () => comparison.assertDone(),
        onRefusal: notesRefusals(figures, log),
      },
    }),
    { provide: LostEntries, useValue: lost },
    { provide: LimitCounts, useValue: limitCounts },
    { provide: TipPagePictures, useValue: new PictureStore(pool, vault) satisfies TipPagePictures },
    { provide: TipPageSettings, useValue: tipPageSettings(publicUrl, settings.ENCORE_STAGING === 'on') },
    { provide: TipPageLimits, useValue: { limits: settings.LIMITS } satisfies TipPageLimits },
    { provide: ScheduleLimits, useValue: { limits: settings.LIMITS } satisfies ScheduleLimits },
    { provide: Declines, useValue: new Declines(limitCounts, counter.startedFrom) },
    {
      provide: DeclineLimit,
      useValue: { perPayment: settings.LIMITS['payment-declines'] } satisfies DeclineLimit,
    },
    { provide: ProviderFigures, useValue: providerFigures(figures) },
    { provide: RefundCap, useValue: { perHour: settings.REFUNDS_PER_HOUR } satisfies RefundCap },
    ...platformMoneyParts(settings, pool, figures),
    { provide: Waits, useValue: waits },
    { provide: ScheduleClock, useValue: { now: clockOf(settings) } satisfies ScheduleClock },
    { provide: SecurityTrail, useValue: trail },
    { provide: Sessions, useValue: sessions },
    { provide: SessionEnds, useValue: sessionEnds },
    { provide: Places, useValue: places },
    { provide: SignIns, useValue: new SignIns(pool) },
    { provide: CookieJar, useValue: cookies },
    {
      provide: ReadYourWrites,
      useValue: new ReadYourWrites(projected, settings.READ_YOUR_WRITES_MS, () => freshness.isBehind),
    },
    { provide: Readiness, useValue: readiness satisfies Readiness },
    { provide: ActiveMethods, useValue: new ActiveMethods(() => account.methods()) },
    {
      provide: About,
      useValue: new About({
        stripePublishableKey: settings.STRIPE_PUBLISHABLE_KEY,
        stripeScriptUrl: scriptUrl,
      }),
    },
    {
      provide: PolicyReportCount,
      useValue: figures.counter(
        'encore_policy_reports_total',
        'Reports of browsers that a page of ours tried what its policy does not allow',
        ['directive'],
      ) satisfies PolicyReportCount,
    },
    { provide: ChangeFeed, useValue: feed },
    { provide: PictureTable, useValue: pool },
    { provide: PasskeyTokens, useValue: new PasskeyTokens(pool) },
    { provide: MessageStore, useValue: messageStore },
    { provide: Confirmations, useValue: new Confirmations(pool) },
    { provide: MailRows, useValue: { pool } },
    { provide: PASS_CERTIFICATES, useValue: passes },
    ...readers(reads, projected, streams),
    receiptProofs(settings.ENCORE_TRANSPARENCY, publicUrl),
    ...recoveryReads(streams, waits),
    ...monthEndReads(events, settings.ENCORE_TRANSPARENCY),
    ...stepUpReads(reads, streams, vault),
    ownDataReads(reads, streams, vault),
  ];

  const app = await ledgerServer({
    parts,
    reads: READ_CONTROLLERS,
    log,
    trustedProxies: settings.TRUSTED_PROXIES,
    addPages: async (server) => {
      servePublishedTree(server, settings.ENCORE_TRANSPARENCY);
      await servePages(server, webFolder(), settings.ENCORE_STAGING === 'on');
    },
    origins: {
      publicUrl,
      stripeScriptUrl: scriptUrl,
      stripeApiUrl: settings.STRIPE_API_URL,
      stripeOrigins: settings.STRIPE_ORIGINS,
    },
    gate: {
      publicOrigin: publicUrl,
      limits: new RequestLimits(limitCounts),
      log,
      trail,
      observe: ({ seconds, ...labels }) => {
        callers.answered(labels.route);
        durations.observe(labels, seconds);
      },
      isEnding: () => isEnding,
      isStale: () => freshness.isStale,
      closed: () => gate.closed,
      async sessionOf(request, reply) {
        const session = await sessions.of(cookies.sessionOf(request), () => ({
          ...seenFrom(request),
          place: places.of(request.ip),
        }));
        if (session !== undefined) cookies.renameSession(request, reply);
        return session;
      },
    },
  });
  const commands = app.get(InternalCommands);
  const internal = internalPort({
    token: settings.ENCORE_INTERNAL_TOKEN,
    log,
    figures: figures.registry,
    figuresToken: settings.METRICS_TOKEN,
    ready: () => readiness.checkInside(),
    trail,
    carryOut(command, correlationId) {
      gate.assertNotClosed();
      if (MOVES_MONEY.has(command.type)) comparison.assertDone();
      return asUrgent('job', () => commands.carryOut(command, correlationId));
    },
  });
  await counter.ready();
  await internal.listen({ port: settings.LEDGER_INTERNAL_PORT, host: settings.LEDGER_INTERNAL_HOST });
  await app.listen(settings.LEDGER_PORT, settings.LEDGER_HOST);
  messages.start();

  const portOf = (address: AddressInfo | string | null): number =>
    typeof address === 'object' && address ? address.port : 0;
  const server = app.getHttpServer() as { address(): AddressInfo | string | null };
  const ports = { port: portOf(server.address()), internalPort: portOf(internal.server.address()) };
  return {
    log,
    ports,
    // The ports first, then what is behind them: a request that was let in is answered.
    async end() {
      isEnding = true;
      // Streams of changes have no end of their own; browsers come back, to another process.
      feed.close();
      const told = messages.stop();
      await callers.gone();
      await Promise.all([app.close(), internal.close()]);
      await told;
      lookout.stop();
      watch.stop();
      gate.stop();
      storeTrouble.back();
      calls.close();
      counter.close();
      await journal.close();
      await Promise.all([projected.close(), sessionEnds.close()]);
      await trail.close();
      await Promise.all([reads.end(), pool.end()]);
      // Nothing is under way to the log any more; its client may take seconds to see that its streams have
      // ended.
      await within(LOG_CLOSES_WITHIN_MS, events.close());
    },
  };
}

async function placesOf({ PLACES_FILE: file }: LedgerSettings): Promise<Places> {
  return Places.open(file).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new BadSetting(`PLACES_FILE is ${file}, which cannot be read as a file of places: ${why}`);
  });
}

function trailOver(pool: pg.Pool, settings: LedgerSettings, figures: Figures, log: Logger): StoredTrail {
  const lost = figures.counter(
    'encore_security_trail_lost_total',
    'Lines of the security trail that could not be written: each is in the log instead',
  );
  const trail = new StoredTrail({
    pool,
    days: settings.SECURITY_TRAIL_DAYS,
    log,
    onLost: (count) => lost.inc(count),
  });
  void trail.deleteOld();
  return trail;
}

/** Of this ledger alone, the same in all its processes: what tells apart in Redis whose a count is. */
const limitSecret = async (vault: Vault): Promise<Buffer> =>
  Buffer.from(hkdfSync('sha256', await vault.sealKey(), '', 'encore/limits/1', 32));
/** A mail that has waited for so long says that sending is in trouble. */
const MAIL_LATE_SECONDS = 600;

async function lateMails(pool: pg.Pool): Promise<(string | undefined)[]> {
  const { count, seconds } = await mailsWaiting(pool).catch(() => ({ count: 0, seconds: 0 }));
  if (seconds < MAIL_LATE_SECONDS) return [];
  return [
    `${count} mails wait, the oldest for ${Math.round(seconds / 60)} minutes. See encore_mails_total of the workers and SMTP_URL: docs/how-to/mail.md.`,
  ];
}

function showMails(figures: Figures, pool: pg.Pool): void {
  figures.gauge(
    'encore_mails_waiting',
    'Mails that are still to be sent',
    async () => (await mailsWaiting(pool)).count,
  );
  figures.gauge(
    'encore_mails_waiting_seconds',
    'For how long the oldest of them has waited; 0 when none does',
    async () => (await mailsWaiting(pool)).seconds,
  );
}

/** What the provider publishes: https://docs.stripe.com/rate-limits. */
const LIVE_PER_SECOND = 100;
const TEST_PER_SECOND = 25;
const limitsOf = (settings: LedgerSettings) => ({
  total:
    settings.STRIPE_REQUESTS_PER_SECOND ??
    (keyMode(settings.STRIPE_SECRET_KEY) === 'live' ? LIVE_PER_SECOND : TEST_PER_SECOND),
  endpoint: settings.STRIPE_REQUESTS_PER_ENDPOINT,
});

const FOUNDED_WITHIN_MS = 5_000;
const FOUNDING_RETRY_MS = 2_000;

/**
 * Proves that the log and the card provider's account belong together: before anything is served where both
 * answer, and else as soon as they do. Throws BadSetting for keys of another account.
 */
async function proveFounding(gate: FoundingGate, opened: Promise<void>, log: Logger): Promise<void> {
  let isServing = false;
  const attempt = async (): Promise<void> => {
    await opened;
    for (;;) {
      try {
        return log.info(await gate.attempt());
      } catch (error) {
        if (error instanceof CannotFound) {
          if (!isServing) throw new BadSetting(error.message);
          return log.fatal(`${error.message} Nothing is asked of the card provider.`);
        }
        if (error instanceof ProviderRefused && !isServing) throw new BadSetting(error.message);
        log.warn({ err: error }, 'the card provider’s account could not be read; it is tried again');
      }
      await pause(FOUNDING_RETRY_MS);
    }
  };
  const proven = attempt();
  proven.catch(() => undefined);
  await Promise.race([proven, pause(FOUNDED_WITHIN_MS)]);
  isServing = true;
}

/** Resolves once the event store is known to be away. */
function storeAway(store: StoreHealth): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (store.awaySince === undefined) return;
      leave();
      resolve();
    };
    const leave = store.onChange(look);
    look();
  });
}

/** One line when an outage begins, and one when writes are open again. */
function noteOutages(log: Logger, store: StoreHealth, trouble: StoreTroubleNote): void {
  let began: number | undefined;
  store.onChange(() => {
    const { writesClosedSince } = store;
    if (began === undefined && writesClosedSince !== undefined)
      log.warn('the event store is away: pages and rows are served, writes wait');
    else if (began !== undefined && writesClosedSince === undefined)
      log.info({ ms: Math.round(performance.now() - began) }, 'the event store is back, and writes are open');
    began = writesClosedSince;
    if (began === undefined) trouble.back();
    else trouble.away();
  });
}

function showOutages(figures: Figures, store: StoreHealth, freshness: Freshness): void {
  figures.gauge(
    'encore_writes_closed_seconds',
    'For how long the event store has taken no writes; 0 while it does',
    () => store.writesClosedForMs / 1000,
  );
  figures.gauge('encore_answers_stale', '1 while answers to GETs say that they may be out of date', () =>
    Number(freshness.isStale),
  );
}

function showJournal(figures: Figures, journal: Journal, readiness: LedgerReadiness): void {
  figures.gauge('encore_journal_ready', '1 when the journal takes commands', () =>
    Number(readiness.areWritesOpen),
  );
  figures.gauge(
    'encore_journal_queue',
    'Commands that wait for the journal’s writer',
    () => journal.status().queued,
  );
  figures.gauge(
    'encore_journal_revision',
    'The last entry of the journal that this process has',
    () => journal.status().revision,
  );
}

await serve('the ledger', start);
