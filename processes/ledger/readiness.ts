/**
 * How a ledger says how it is. It can serve unless it can serve nothing: a proxy acts on that. Whatever else
 * is amiss makes it degraded, which alerts act on. What it depends on is named inside only.
 */
import type pg from 'pg';
import { inTime } from '#contracts/plain/in-time';
import type { Ready } from '#edge/health';
import type { Readiness } from '#ledger/http/health.controller';
import type { Freshness } from '#ledger/http/freshness';
import type { StartGate } from '#ledger/start-gate/start-gate';
import type { Journal } from '#ledger/journal/journal';
import type { StoreHealth } from '#log/store-health';

/**
 * Something that is amiss, as everybody is told of it, and as whoever runs the process is: there with the
 * cause and what mends it.
 */
export interface Finding {
  readonly outside: string;
  readonly inside: string;
}

/** Each problem, in a sentence with its cause and what mends it, as everybody is told of it. */
export const findingsOf = (outside: string, problems: readonly (string | undefined)[]): Finding[] =>
  problems.flatMap((inside) => (inside === undefined ? [] : [{ outside, inside }]));

/** How a ledger is, for whoever runs it and for workers. */
interface InnerReady extends Ready {
  /** Whether payments and changes are taken. */
  readonly writes: 'open' | 'closed';
}

interface LedgerState {
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly journal: Pick<Journal, 'status'>;
  readonly store: StoreHealth;
  readonly freshness: Pick<Freshness, 'isBehind' | 'stoppedBecause'>;
  readonly gate: Pick<StartGate, 'closed' | 'waiting'>;
  readonly isEnding: () => boolean;
  /** What else may make it degraded, each asked at each check. */
  readonly others?: readonly (() => readonly Finding[] | Promise<readonly Finding[]>)[];
  readonly othersWithinMs?: number;
}

/**
 * A proxy takes a ledger out that does not say in a few seconds how it is, and what it looks at here is no
 * reason.
 */
const OTHERS_WITHIN_MS = 2_000;

const ENDING = 'This process is ending.';

export class LedgerReadiness implements Readiness {
  constructor(private readonly state: LedgerState) {}

  async check(): Promise<Ready> {
    const { blocking, degrading } = await this.#findings();
    return readyOf(blocking, degrading, 'outside');
  }

  /** The same with what it depends on by name. */
  async checkInside(): Promise<InnerReady> {
    const { blocking, degrading } = await this.#findings();
    return { ...readyOf(blocking, degrading, 'inside'), writes: this.areWritesOpen ? 'open' : 'closed' };
  }

  get areWritesOpen(): boolean {
    return this.#closed === undefined;
  }

  /** Why nothing is written. */
  get #closed(): string | undefined {
    const { journal, store, gate } = this.state;
    if (gate.closed !== undefined) return gate.closed;
    const forSeconds = Math.round(store.writesClosedForMs / 1000);
    if (store.awaySince !== undefined) return `The event store has not answered for ${forSeconds} seconds.`;
    if (store.writesClosedSince !== undefined)
      return `The event store answers, and has written nothing for ${forSeconds} seconds.`;
    const { ready, reason } = journal.status();
    return ready ? gate.waiting : (reason ?? 'The journal is not ready.');
  }

  async #findings(): Promise<{ blocking: Finding[]; degrading: Finding[] }> {
    const { pool, freshness, isEnding, others = [], othersWithinMs = OTHERS_WITHIN_MS } = this.state;
    const hasRows = await pool.query('select 1').then(
      () => true,
      () => false,
    );
    const blocking: Finding[] = [];
    if (isEnding()) blocking.push({ outside: ENDING, inside: ENDING });
    if (!hasRows)
      blocking.push({
        outside: 'Nothing can be read at the moment.',
        inside:
          'Postgres does not answer. Nothing can be served without it: see whether it runs, and whether DATABASE_URL leads to it.',
      });
    const degrading: Finding[] = [];
    const closed = this.#closed;
    if (closed !== undefined)
      degrading.push({ outside: 'Payments and changes are not taken at the moment.', inside: closed });
    if (freshness.isBehind)
      degrading.push({
        outside: 'What is shown may be out of date.',
        inside: freshness.stoppedBecause
          ? `The projections have stopped: ${freshness.stoppedBecause}`
          : 'The read models are behind the log. See /readyz of the projections; where nothing answers there, start them.',
      });
    // What looks at an event store that is away finds nothing in time, and that is told above.
    const ofLate = closed === undefined ? [lateAfter(othersWithinMs)] : [];
    for (const findings of await Promise.all(
      others.map((look) => inTime<readonly Finding[]>(othersWithinMs, look(), ofLate)),
    ))
      degrading.push(...findings);
    return { blocking, degrading };
  }
}

/** That a look found nothing in time: it is still looking. */
const lateAfter = (ms: number): Finding => ({
  outside: 'Not all could be looked at.',
  inside: `Not all could be looked at within ${ms / 1000} seconds: see whether Postgres, Redis and the event store answer.`,
});

function readyOf(blocking: readonly Finding[], degrading: readonly Finding[], side: keyof Finding): Ready {
  const reasons = [...new Set([...blocking, ...degrading].map((finding) => finding[side]))];
  const ready = blocking.length === 0;
  return { ready, ...(ready && degrading.length > 0 ? { degraded: true } : {}), reasons };
}
