/** What the ledger's modules are given: for each port of theirs, what fills it in this process. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Provider } from '@nestjs/common';
import type { Logger } from 'pino';
import { STRIPE_OWN_SCRIPT } from '#contracts/api/browser-configuration';
import { ChangeFeed } from '#ledger/events-out/change-feed';
import { About } from '#ledger/http/about.controller';
import { Freshness } from '#ledger/http/freshness';
import { Readiness } from '#ledger/http/health.controller';
import { PolicyReportCount } from '#ledger/http/policy-reports.controller';
import { ReadYourWrites } from '#ledger/http/read-models';
import { Journal } from '#ledger/journal/journal';
import { LimitCounts } from '#ledger/limits/counter';
import { Declines } from '#ledger/limits/declines';
import { MailRows } from '#ledger/messages/mail-queue';
import { MessageStore } from '#ledger/messages/message-store';
import { LOG, PUBLIC_URL } from '#ledger/parts';
import { PASS_CERTIFICATES, type PassCertificates } from '#ledger/passes/pass-certificates';
import { Patience } from '#ledger/patience';
import { DeclineLimit } from '#ledger/payments/declined-payments';
import { PictureStore, PictureTable } from '#ledger/pictures/picture-store';
import { ScheduleClock } from '#ledger/schedules/schedule-clock';
import { ScheduleLimits } from '#ledger/schedules/schedule-counts';
import { LostEntries } from '#ledger/start-gate/lost-entries';
import { StreamRunner } from '#ledger/streams/runner';
import { ActiveMethods } from '#ledger/stripe/active-methods';
import { ProviderFigures, RefundCap } from '#ledger/stripe/provider-figures';
import { VerifiedWebhooks } from '#ledger/stripe/verified-webhooks';
import { TipPageLimits, TipPagePictures, TipPageSettings } from '#ledger/tip-pages/tip-page-reads';
import { Waits } from '#ledger/waits';
import { Vault } from '#log/vault';
import type { Figures } from '../shell/figures.js';
import { clockOf } from '../shell/settings.js';
import { webFolder } from '../shell/web-folder.js';
import { recoveryReads } from './account-recovery.js';
import { stepUpReads } from './confirmation-facts.js';
import type { LedgerEdge } from './edge.js';
import type { GuardedJournal } from './guarded-journal.js';
import type { SharedLimits } from './limits.js';
import { monthEndReads } from './month-end.js';
import { outsideServices } from './outside-services.js';
import { ownDataReads } from './own-data.js';
import { platformMoneyParts } from './platform-money.js';
import { notesRefusals, providerFigures } from './provider-figures.js';
import { readers } from './reads.js';
import { receiptProofs } from './receipt-proofs.js';
import type { LedgerSettings } from './settings.js';
import type { LedgerStores } from './stores.js';

const HOUR_MS = 3_600_000;

/** What is open and running when the modules are put together. */
export interface RunningParts {
  readonly publicUrl: string;
  readonly log: Logger;
  readonly figures: Figures;
  readonly stores: LedgerStores;
  readonly guarded: GuardedJournal;
  readonly edge: LedgerEdge;
  readonly limits: SharedLimits;
  readonly readiness: Readiness;
  readonly feed: ChangeFeed;
  readonly messageStore: MessageStore;
  readonly passes: PassCertificates | undefined;
}

export const stripeScriptOf = ({ STRIPE_SCRIPT_URL }: LedgerSettings): string =>
  STRIPE_SCRIPT_URL ?? STRIPE_OWN_SCRIPT;

export function ledgerParts(settings: LedgerSettings, running: RunningParts): Provider[] {
  const { publicUrl, log, figures, stores, guarded, limits, readiness } = running;
  const { pool, reads, events, projected, vault } = stores;
  const { journal, streams, freshness, founding, comparison, account } = guarded;
  const isStaging = settings.ENCORE_STAGING === 'on';
  const waits = waitsOf(settings);
  return [
    { provide: LOG, useValue: log },
    { provide: PUBLIC_URL, useValue: publicUrl },
    { provide: Journal, useValue: journal },
    { provide: Vault, useValue: vault },
    { provide: StreamRunner, useValue: streams },
    { provide: Patience, useValue: new Patience(events.health) },
    { provide: Freshness, useValue: freshness },
    ...outsideServices(settings, publicUrl, {
      seal: guarded.seal,
      verified: new VerifiedWebhooks(pool),
      figures,
      access: {
        ...guarded.stripe,
        assertProven: () => founding.assertProven(),
        assertMayMove: () => comparison.assertDone(),
        onRefusal: notesRefusals(figures, log),
      },
    }),
    { provide: LostEntries, useValue: guarded.lost },
    { provide: LimitCounts, useValue: limits.counts },
    { provide: TipPagePictures, useValue: new PictureStore(pool, vault) satisfies TipPagePictures },
    { provide: TipPageSettings, useValue: tipPageSettings(publicUrl, isStaging) },
    { provide: TipPageLimits, useValue: { limits: settings.LIMITS } satisfies TipPageLimits },
    { provide: ScheduleLimits, useValue: { limits: settings.LIMITS } satisfies ScheduleLimits },
    { provide: Declines, useValue: new Declines(limits.counts, limits.counter.startedFrom) },
    {
      provide: DeclineLimit,
      useValue: { perPayment: settings.LIMITS['payment-declines'] } satisfies DeclineLimit,
    },
    { provide: ProviderFigures, useValue: providerFigures(figures) },
    { provide: RefundCap, useValue: { perHour: settings.REFUNDS_PER_HOUR } satisfies RefundCap },
    ...platformMoneyParts(settings, pool, figures),
    { provide: Waits, useValue: waits },
    { provide: ScheduleClock, useValue: { now: clockOf(settings) } satisfies ScheduleClock },
    ...running.edge.parts,
    {
      provide: ReadYourWrites,
      useValue: new ReadYourWrites(projected, settings.READ_YOUR_WRITES_MS, () => freshness.isBehind),
    },
    { provide: Readiness, useValue: readiness },
    { provide: ActiveMethods, useValue: new ActiveMethods(() => account.methods()) },
    {
      provide: About,
      useValue: new About({
        stripePublishableKey: settings.STRIPE_PUBLISHABLE_KEY,
        stripeScriptUrl: stripeScriptOf(settings),
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
    { provide: ChangeFeed, useValue: running.feed },
    { provide: PictureTable, useValue: pool },
    { provide: MessageStore, useValue: running.messageStore },
    { provide: MailRows, useValue: { pool } },
    { provide: PASS_CERTIFICATES, useValue: running.passes },
    ...readers(reads, projected, streams),
    receiptProofs(settings.ENCORE_TRANSPARENCY, publicUrl),
    ...recoveryReads(streams, waits),
    ...monthEndReads(events, settings.ENCORE_TRANSPARENCY),
    ...stepUpReads(reads, streams, vault),
    ownDataReads(reads, streams, vault),
  ];
}

const waitsOf = (settings: LedgerSettings): Waits => ({
  now: clockOf(settings),
  recoveryMs: settings.ACCOUNT_RECOVERY_HOURS * HOUR_MS,
  forgettingMs: settings.FORGETTING_HOURS * HOUR_MS,
});

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
