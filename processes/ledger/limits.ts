/** What a ledger counts of requests and of declined payments, shared by all its processes in Redis. */
import { hkdfSync } from 'node:crypto';
import type { Logger } from 'pino';
import { LimitCounts } from '#ledger/limits/counter';
import type { Vault } from '#log/vault';
import type { Figures } from '../shell/figures.js';
import type { LedgerSettings } from './settings.js';
import { SharedCounter } from './shared-limits.js';

export interface SharedLimits {
  readonly counter: SharedCounter;
  readonly counts: LimitCounts;
}

export async function sharedLimits(
  settings: LedgerSettings,
  vault: Vault,
  figures: Figures,
  log: Logger,
): Promise<SharedLimits> {
  const counter = new SharedCounter(settings.REDIS_URL, log);
  const refusals = figures.counter(
    'encore_limit_refusals_total',
    'What was refused because of a limit, by the limit’s name in docs/reference/limits.md',
    ['limit'],
  );
  const counts = new LimitCounts({
    counter,
    limits: settings.LIMITS,
    secret: await limitSecret(vault),
    refused: (limit) => refusals.inc({ limit }),
  });
  return { counter, counts };
}

/** Of this ledger alone, the same in all its processes: what tells apart in Redis whose a count is. */
const limitSecret = async (vault: Vault): Promise<Buffer> =>
  Buffer.from(hkdfSync('sha256', await vault.sealKey(), '', 'encore/limits/1', 32));
