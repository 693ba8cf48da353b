/** The stores of a ledger, opened: the log, the tables of the edge and of the vault, and the read models. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { isOutage } from '#contracts/outage';
import { EsdbLog } from '#log/esdb';
import { assertVaultNotLost } from '#log/lost-vault';
import { Vault } from '#log/vault';
import {
  answersWithin,
  openReadPool,
  outliveBreaks,
  SESSION_OPTIONS,
  TRANSACTION_WAITS_MS,
} from '#projections/engine/database';
import { Projected } from '#projections/engine/read-your-writes';
import { assertPrepared } from '../database.js';
import { EDGE, VAULT } from '../migrations.js';
import { masterKeysOf } from '../shell/settings.js';
import type { LedgerSettings } from './settings.js';

const LOOK_AGAIN_MS = 500;

export interface LedgerStores {
  readonly events: EsdbLog;
  /** The tables of the edge and of the vault. */
  readonly pool: pg.Pool;
  /** The read models. */
  readonly reads: pg.Pool;
  /** How far the read models are. */
  readonly projected: Projected;
  readonly vault: Vault;
}

/** Opens them. Throws where the tables are missing, the master key is another one, or the vault was lost. */
export async function openStores(settings: LedgerSettings, log: Logger): Promise<LedgerStores> {
  const pool = new pg.Pool({
    connectionString: settings.DATABASE_URL,
    max: 10,
    application_name: 'encore-ledger',
    options: SESSION_OPTIONS,
    // A ledger that is gone in the middle of something must not hold up the others.
    idle_in_transaction_session_timeout: TRANSACTION_WAITS_MS,
    // A database that stands still must not hold callers, or our end, for ever.
    ...answersWithin(),
  });
  outliveBreaks(pool, (error) => log.warn({ why: error.message }, 'an idle connection to Postgres broke'));
  const reads = openReadPool(settings.DATABASE_URL);
  await assertPrepared(settings.DATABASE_URL, [VAULT, EDGE]);
  const vault = Vault.open(pool, masterKeysOf(settings), ({ userId, because, key }) =>
    log.error({ userId, because, key }, 'a text cannot be read'),
  );
  await vault.assertMasterKey();
  const events = EsdbLog.connect(settings.EVENTSTORE_URL);
  await assertVaultThere(events, vault, log);
  return {
    events,
    pool,
    reads,
    projected: Projected.listen(settings.DATABASE_URL),
    vault,
  };
}

/**
 * Before the first key is drawn. Only beside an empty vault is the event store asked, and waited for: whether
 * this is a new ledger or a lost vault, it alone can say. Throws for what no waiting mends.
 */
async function assertVaultThere(events: EsdbLog, vault: Vault, log: Logger): Promise<void> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await assertVaultNotLost(events, vault);
    } catch (error) {
      if (!isOutage(error)) throw error;
      const trouble = await events.trouble();
      if (trouble !== undefined && !trouble.isOutage) throw error;
      if (!isTold)
        log.warn('the vault is empty: the event store is waited for, which knows whether it was lost');
      await pause(LOOK_AGAIN_MS);
    }
  }
}
