/** What a ledger says of the event store's outages: in its log, and as figures. */
import type { Logger } from 'pino';
import type { Freshness } from '#ledger/http/freshness';
import type { StoreHealth } from '#log/store-health';
import type { Figures } from '../shell/figures.js';
import type { StoreTroubleNote } from '../shell/store-trouble.js';

/** Resolves once the event store is known to be away. */
export function storeAway(store: StoreHealth): Promise<void> {
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
export function noteOutages(log: Logger, store: StoreHealth, trouble: StoreTroubleNote): void {
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

export function showOutages(figures: Figures, store: StoreHealth, freshness: Freshness): void {
  figures.gauge(
    'encore_writes_closed_seconds',
    'For how long the event store has taken no writes; 0 while it does',
    () => store.writesClosedForMs / 1000,
  );
  figures.gauge('encore_answers_stale', '1 while answers to GETs say that they may be out of date', () =>
    Number(freshness.isStale),
  );
}
