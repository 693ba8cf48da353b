/**
 * What can be shown of a stack from outside the app: its log, its read models' rows, and the finance tool's
 * verdict.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import type pg from 'pg';
import { JOURNAL } from '#contracts/events/journal';
import { START, type RecordedEvent } from '#contracts/log';
import { EsdbLog } from '#log/esdb';
import { recorded } from '#log/event-log';
import { repositoryRoot } from '#local/launch/program';
import { openReadPool } from '#projections/engine/database';
import { Projected } from '#projections/engine/read-your-writes';
import { readModels } from '#projections/read-models';
import { PlainVault } from './plain-vault.js';
import { trialBalanceSums } from './trial-balance.js';
import type { TestStack } from './start-stack.js';

const PATIENCE_MS = 60_000;

export interface CommandEnd {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

export class Evidence {
  #opened: { readonly db: pg.Pool; readonly log: EsdbLog; readonly projected: Projected } | undefined;

  /** The stack may start later: its stores are opened when they are first asked. */
  constructor(private readonly stack: () => Pick<TestStack, 'env'>) {}

  get #stores() {
    const { DATABASE_URL = '', EVENTSTORE_URL = '' } = this.stack().env;
    return (this.#opened ??= {
      db: openReadPool(DATABASE_URL, 2),
      log: EsdbLog.connect(EVENTSTORE_URL),
      projected: Projected.listen(DATABASE_URL),
    });
  }

  get db(): pg.Pool {
    return this.#stores.db;
  }

  /** Every entry of the journal. */
  async journal(): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const raw of this.#stores.log.readStream(JOURNAL, 0)) events.push(recorded(raw));
    return events;
  }

  /** Everything in the log that is ours, in its order. */
  async events(): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const raw of this.#stores.log.readAll(START, ['']))
      if (!raw.stream.startsWith('$')) events.push(recorded(raw));
    return events;
  }

  /** Everything in the log that is ours, as it is stored. */
  async text(): Promise<string> {
    const lines: string[] = [];
    for await (const { stream, type, data, metadata } of this.#stores.log.readAll(START, ['']))
      if (!stream.startsWith('$')) lines.push(JSON.stringify({ stream, type, data, metadata }));
    return lines.join('\n');
  }

  /** Waits until the read models show all that the journal holds now. */
  async shown(): Promise<void> {
    const last = await this.#stores.log.lastOf(JOURNAL);
    if (last && !(await this.#stores.projected.waitFor(last.position, PATIENCE_MS)))
      throw new Error(
        `The read models have not passed revision ${last.revision} of the journal after ${PATIENCE_MS} ms.`,
      );
  }

  /** Every row of every read model, as text and in order. */
  async rows(): Promise<Record<string, string[]>> {
    const tables = readModels(new PlainVault()).flatMap((model) => model.tables);
    const found: Record<string, string[]> = {};
    for (const table of tables) {
      const { rows } = await this.db.query<{ row: string }>(
        `select to_jsonb(t)::text as row from ${table} t order by 1`,
      );
      found[table] = rows.map(({ row }) => row);
    }
    return found;
  }

  /** All that a refused call must leave as it is. */
  async everything(): Promise<{ revision: number; rows: Record<string, string[]> }> {
    await this.shown();
    return { revision: (await this.#stores.log.lastOf(JOURNAL))?.revision ?? -1, rows: await this.rows() };
  }

  /** Runs a command of dist/ to its end, with the settings of the app. */
  run(script: string, ...args: string[]): Promise<CommandEnd> {
    return new Promise((resolve) => {
      const command = [join(repositoryRoot(), 'dist', script), ...args];
      // The audit signs in to Postgres as its own role, and operators as the owner.
      const role = script.endsWith('audit.js') ? this.stack().env['AUDIT_DATABASE_URL'] : undefined;
      const env = { ...process.env, ...this.stack().env, ...(role !== undefined && { DATABASE_URL: role }) };
      execFile(process.execPath, command, { env }, (error, out, err) => {
        resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
      });
    });
  }

  /**
   * The books are in order: chain, balances and live rows by the finance tool, and the sum of all balances.
   */
  async holds(): Promise<void> {
    await this.shown();
    const ahead = this.stack().env['TEST_CLOCK_FILE'] === undefined ? [] : ['--due-ahead'];
    const audit = await this.run('processes/audit.js', 'verify', ...ahead);
    expect(audit).toEqual({ status: 0, out: expect.stringContaining('The books are in order.'), err: '' });
    const sums = await trialBalanceSums(this.db);
    expect(sums.length).toBeGreaterThan(0);
    for (const { currency, sumMinor } of sums) expect(`${currency} ${sumMinor}`).toBe(`${currency} 0`);
  }

  async close(): Promise<void> {
    await this.#opened?.projected.close();
    await Promise.all([this.#opened?.log.close(), this.#opened?.db.end()]);
  }
}

/** What can be shown of a suite's stack; what it opens is closed after the suite. */
export function useEvidence(stack: () => TestStack): Evidence {
  const evidence = new Evidence(stack);
  afterAll(() => evidence.close());
  return evidence;
}
