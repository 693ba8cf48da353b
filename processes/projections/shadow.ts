/** Runs the audit's derivation beside the projector, and tells of it. */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { BalanceRows } from '#audit/shadow/seen-balances';
import { Shadow, shadowReasons } from '#audit/shadow/shadow';
import type { EventLog } from '#log/event-log';
import { plainMessage } from '#projections/engine/database';
import type { Figures } from '../shell/figures.js';

const EVERY_MS = 10_000;
/** So often it is asked whether the rows have caught up. */
const LIVE_EVERY_MS = 1_000;

interface ShadowParts {
  readonly log: Pick<EventLog, 'readStream' | 'witness'>;
  readonly db: pg.Pool;
  readonly figures: Figures;
  readonly logger: Logger;
  /** While the rows catch up, or a store is away, nothing is compared. */
  readonly isLive: () => boolean;
}

/** A shadow at work. */
interface RunningShadow {
  /** What is amiss, in sentences. */
  reasons(): string[];
  stop(): Promise<void>;
}

export function runShadow({ log, db, figures, logger, isLive }: ShadowParts): RunningShadow {
  const ending = new AbortController();
  const { signal } = ending;
  const wait = (ms: number): Promise<void> =>
    // Not unrefed: the process is ended by its signal, and this with it.
    pause(ms, undefined, { signal }).catch(() => undefined);
  const shadow = new Shadow({
    log,
    rows: new BalanceRows(db),
    pause: async (ms) => {
      await wait(ms);
      signal.throwIfAborted();
    },
  });
  showShadow(figures, shadow);

  let told = '';
  const tell = (): void => {
    const reasons = shadowReasons(shadow.state);
    const now = reasons.join(' ');
    if (now !== told && now === '') logger.info('the balances are again what the audit derives');
    if (now !== told && now !== '')
      logger.error({ reasons, differences: shadow.state.differences.slice(0, 20) }, 'the shadow differs');
    told = now;
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const isLiveNow = isLive();
      if (isLiveNow)
        try {
          await shadow.pass();
          tell();
        } catch (error) {
          if (!signal.aborted)
            logger.debug({ why: plainMessage(error) }, 'the balances are compared with the journal later');
        }
      await wait(isLiveNow ? EVERY_MS : LIVE_EVERY_MS);
    }
  };
  const running = run();
  return {
    reasons: () => shadowReasons(shadow.state),
    async stop() {
      ending.abort();
      await running;
    },
  };
}

function showShadow(figures: Figures, shadow: Shadow): void {
  figures.gauge(
    'encore_shadow_differences',
    'Accounts whose balance is not what the audit derives from the journal at the same entry',
    () => shadow.state.differences.length,
  );
  figures.gauge(
    'encore_shadow_stopped',
    '1 while the audit cannot follow the journal: an entry cannot be read or derived, or the log ends before the rows',
    () => Number(shadow.state.trouble !== undefined),
  );
  figures.gauge(
    'encore_shadow_last_good_timestamp_seconds',
    'When the balances were last what the audit derives from the journal',
    () => {
      const { lastGoodAt } = shadow.state;
      if (lastGoodAt === undefined) throw new Error('They were never compared');
      return lastGoodAt.getTime() / 1000;
    },
  );
  figures.gauge('encore_shadow_journal_revision', 'The entry at which they were last compared', () => {
    const { revision } = shadow.state;
    if (revision === undefined) throw new Error('They were never compared');
    return revision;
  });
  figures.gauge(
    'encore_shadow_spent_seconds',
    'How long this process has worked at deriving since its start',
    () => shadow.spentSeconds,
  );
}
