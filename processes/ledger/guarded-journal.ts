/**
 * The journal behind its gate: it takes commands once the log is known to be whole, the replay is done, and
 * the log and the card provider's account are known to belong together. While the event store is away it is
 * there all the same, and takes nothing.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { FoundingGate, foundLedger } from '#ledger/founding/founding';
import { Freshness } from '#ledger/http/freshness';
import { Journal } from '#ledger/journal/journal';
import type { ProviderComparison } from '#ledger/start-gate/provider-comparison';
import { StreamRunner } from '#ledger/streams/runner';
import { CallLimiter } from '#ledger/stripe/call-limiter';
import { OwnershipSeal } from '#ledger/stripe/ownership';
import { ProviderAccount } from '#ledger/stripe/provider-account';
import { SealedObjects } from '#ledger/stripe/sealed-objects';
import type { StripeAccess } from '#ledger/stripe/stripe-client';
import { StoreLookout } from '#log/store-lookout';
import { callLimitsOf } from '../shell/call-limits.js';
import type { Figures } from '../shell/figures.js';
import { StoreTroubleNote } from '../shell/store-trouble.js';
import { proveFounding } from './founding.js';
import { noteJournal } from './journal-figures.js';
import { noteOutages, storeAway } from './outages.js';
import { comparisonOver } from './start-comparison.js';
import { archiveOver } from './reads.js';
import type { LedgerSettings } from './settings.js';
import { SharedCallCounter } from './shared-calls.js';
import { ledgerGate, seenFolders, type LedgerGate } from './start-gate.js';
import type { LedgerStores } from './stores.js';

export interface GuardedJournal extends Pick<LedgerGate, 'gate' | 'lost'> {
  readonly journal: Journal;
  /** The other streams, behind the same gate. */
  readonly streams: StreamRunner;
  readonly freshness: Freshness;
  readonly account: ProviderAccount;
  readonly founding: FoundingGate;
  readonly comparison: ProviderComparison;
  readonly seal: OwnershipSeal;
  readonly stripe: Pick<StripeAccess, 'secretKey' | 'apiUrl' | 'limiter'>;
  /** Stops looking at the stores, so that nothing new is begun. */
  leave(): void;
}

/**
 * Begins the replay and waits until writes are open, or until it is known that they cannot be yet. Throws for
 * what no waiting mends: a wrong password, keys of another account.
 */
export async function beginJournal(
  settings: LedgerSettings,
  { events, pool, reads, projected, vault }: LedgerStores,
  figures: Figures,
  log: Logger,
): Promise<GuardedJournal> {
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
  const seal = new OwnershipSeal(await vault.sealKey(), () => journal.ledgerId);
  const calls = new SharedCallCounter(settings.REDIS_URL, randomUUID(), log);
  const stripe = {
    secretKey: settings.STRIPE_SECRET_KEY,
    apiUrl: settings.STRIPE_API_URL,
    limiter: new CallLimiter(calls, callLimitsOf(settings)),
  };
  const objects = new SealedObjects({ ...stripe, seal });
  const comparison = comparisonOver({ log: events, journal, objects, lost, pool });
  const account = new ProviderAccount(stripe);
  const founding = new FoundingGate(() =>
    foundLedger({ journal, log: gated, account, timeZone: settings.BOOKS_TIME_ZONE }),
  );

  await watch.start();
  gate.start();
  const openedOrClosed = (): Promise<unknown> =>
    Promise.race([opened, storeAway(events.health), gate.closedOnce()]);
  // While the event store is away there are pages and rows all the same; writes open after the replay.
  const [trouble] = await Promise.all([events.trouble(), openedOrClosed().catch(() => undefined)]);
  // What no waiting mends, such as a wrong password, ends it instead.
  if (trouble !== undefined && !trouble.isOutage) throw new Error(trouble.sentence);
  await openedOrClosed();
  // What ends the replay later is told as the journal's stop.
  opened.catch(() => undefined);
  const gateOpened = opened.then(() => gate.opened());
  await Promise.race([proveFounding(founding, gateOpened, log), storeAway(events.health), gate.closedOnce()]);
  return {
    journal,
    streams: new StreamRunner(gated),
    gate,
    lost,
    freshness,
    account,
    founding,
    comparison,
    seal,
    stripe,
    leave() {
      lookout.stop();
      watch.stop();
      gate.stop();
      storeTrouble.back();
      calls.close();
    },
  };
}
