/** The security trail's table in the schema `edge`: apart from the log, with an age of its own. */
import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { Migration } from '#log/migrations';
import type { TrailEntry } from './security-trail.js';

/** Ids are ours, so that a backup's rows and those that were written since go side by side. */
export const SECURITY_TRAIL_TABLE: Migration = {
  name: 'security-trail',
  sql: `
  create table if not exists edge.security_trail (
    id uuid primary key,
    at timestamptz not null,
    what text not null,
    outcome text not null,
    count integer not null,
    user_id text,
    session_id text,
    device text,
    network text,
    operator text,
    correlation_id text,
    detail jsonb
  );
  create index if not exists security_trail_by_time on edge.security_trail (at);
  create index if not exists security_trail_by_user on edge.security_trail (user_id, at)
    where user_id is not null`,
};

/** One line of the trail; `count`: so often within the minute that began at `at`. */
export interface TrailRow {
  readonly id: string;
  readonly at: Date;
  readonly count: number;
  readonly entry: TrailEntry;
}

/** What an id, a code or the name of a call looks like: no blank, no @, no long text. */
const NAME = /^[\w:./*{}-]{1,100}$/;
const OPERATOR = /^[\w.@-]{1,100}$/;
const DEVICE = /^[A-Za-z ]{1,40}$/;
const NETWORK = /^[\da-f.:]{1,45}\/\d{2}$/;

const where = (pattern: RegExp, text: string | undefined): string | null =>
  text !== undefined && pattern.test(text) ? text : null;

/** The details that may be kept; of another the name alone stands there. */
function safeDetail(detail: TrailEntry['detail']): Record<string, unknown> | null {
  const known = Object.entries(detail ?? {}).filter(([, value]) => value !== undefined);
  if (known.length === 0) return null;
  return Object.fromEntries(
    known.map(([name, value]) => [name, typeof value !== 'string' || NAME.test(value) ? value : null]),
  );
}

/** An entry that has just happened, as a row. */
export const rowOf = (entry: TrailEntry, at = new Date(), count = 1): TrailRow => ({
  id: uuidv7(),
  at,
  count,
  entry,
});

/** Writes rows; those that are there already are left as they are. Throws what Postgres does. */
export async function appendTrail(pool: Pick<Pool, 'query'>, rows: readonly TrailRow[]): Promise<void> {
  const lines = rows.map(({ id, at, count, entry }) => ({
    id,
    at: at.toISOString(),
    what: entry.what,
    outcome: entry.outcome ?? 'done',
    count,
    user_id: where(NAME, entry.userId),
    session_id: where(NAME, entry.sessionId),
    device: where(DEVICE, entry.device),
    network: where(NETWORK, entry.network),
    operator: where(OPERATOR, entry.operator),
    correlation_id: where(NAME, entry.correlationId),
    detail: safeDetail(entry.detail),
  }));
  await pool.query({
    name: 'append-security-trail',
    text: `insert into edge.security_trail
           select * from jsonb_populate_recordset(null::edge.security_trail, $1::jsonb)
           on conflict (id) do nothing`,
    values: [JSON.stringify(lines)],
  });
}

/** A line of the trail, as an operator reads it. */
interface TrailLine {
  readonly at: string;
  readonly what: string;
  readonly outcome: string;
  readonly count: number;
  readonly [more: string]: unknown;
}

interface TrailQuestion {
  readonly userId?: string | undefined;
  readonly what?: string | undefined;
  readonly since: Date;
  readonly until: Date;
  readonly limit: number;
}

/** What stands in the trail, the oldest first, at most `limit` lines. Fields that are empty are left out. */
export async function readTrail(
  pool: Pick<Pool, 'query'>,
  { userId, what, since, until, limit }: TrailQuestion,
): Promise<TrailLine[]> {
  const { rows } = await pool.query<{ line: TrailLine }>(
    `select jsonb_strip_nulls(to_jsonb(t) - 'id') as line
       from edge.security_trail as t
      where at >= $1 and at < $2 and ($3::text is null or user_id = $3) and ($4::text is null or what = $4)
      order by at, id limit $5`,
    [since, until, userId ?? null, what ?? null, limit],
  );
  return rows.map(({ line }) => ({ ...line, at: new Date(line.at).toISOString() }));
}

/** Deletes what is older than so many days, at most `limit` rows; answers how many were. */
export async function deleteOldTrail(
  pool: Pick<Pool, 'query'>,
  days: number,
  limit: number,
): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from edge.security_trail where id in (
       select id from edge.security_trail where at < now() - make_interval(days => $1)
        order by at limit $2)`,
    [days, limit],
  );
  return rowCount ?? 0;
}
