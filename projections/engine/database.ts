/** Connections to the read models: every one begins in their schema, so that SQL names tables unqualified. */
import pg from 'pg';
import { z } from 'zod';
import { wholeNumber } from './read-model.js';

/** Where the live read models are. A rebuild goes to another schema and takes this name when it is done. */
export const READ_SCHEMA = 'read';

/** The channel on which projectors announce the position that the read models have reached. */
export const PROJECTED_CHANNEL = 'encore_projected';

/** No limit: for commands that read all there is, while somebody waits who can end them. */
export const HOWEVER_LONG = 0;
/** A database that falls silent must not hold a request, a check or a job for ever. */
const ANSWERS_WITHIN_MS = 10_000;

const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,50}$/;

/** A schema's name as it may stand in SQL. Throws for anything that would need quoting. */
export function schemaName(name: string): string {
  if (!SCHEMA_NAME.test(name)) throw new RangeError(`"${name}" is not a plain schema name`);
  return name;
}

/** The schema in which a rebuild makes the rows. */
export const scratchOf = (schema: string): string => schemaName(`${schema}_rebuild`);

/** The schema into which the rows of before are moved while new ones take their place. */
export const formerOf = (schema: string): string => schemaName(`${schema}_former`);

/** Whole numbers arrive as numbers, not as the texts in which the driver hands out what may be too large. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (type, format) =>
    type === pg.types.builtins.INT8 && format !== 'binary'
      ? wholeNumber
      : (pg.types.getTypeParser(type, format) as (text: string) => unknown),
};

/**
 * Settings of each Postgres session. Dates in the one form that the driver can read, whatever the database is
 * set to. And Postgres probes the connection itself: one whose host is gone is given up within a minute.
 * Unset, that takes two hours, in which its locks hold up whoever takes over.
 */
export const SESSION_OPTIONS = [
  'datestyle=ISO',
  'tcp_keepalives_idle=30',
  'tcp_keepalives_interval=10',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=60000',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');
/** How long Postgres lets a transaction wait for its process, which may hang. */
export const TRANSACTION_WAITS_MS = 60_000;

/** What every connection to the read models is opened with. */
export const connectionTo = (databaseUrl: string, schema: string = READ_SCHEMA): pg.ClientConfig => ({
  connectionString: databaseUrl,
  options: `-c search_path=${schemaName(schema)} ${SESSION_OPTIONS}`,
  application_name: `encore-${schema}`,
  keepAlive: true,
  // The system's own is two hours, for which a connection that died without a word would be waited for.
  keepAliveInitialDelayMillis: 10_000,
  // What takes a connection and says nothing would be waited for for ever.
  connectionTimeoutMillis: ANSWERS_WITHIN_MS,
  types,
});

/**
 * How long a pool waits for a connection and for an answer. Postgres ends the statement after that, too:
 * nobody would read its answer.
 */
export const answersWithin = (ms: number = ANSWERS_WITHIN_MS) => ({
  connectionTimeoutMillis: ms,
  query_timeout: ms,
  statement_timeout: ms,
});

/** What a server, a database or a role may limit; a version of Postgres may not know all of them. */
const SERVER_LIMITS = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
  'transaction_timeout',
];

/**
 * Opens a connection for making rows, or for keeping others from making them. It has none of the time limits
 * that are meant for single queries: a batch waits for a rebuild, and a lock is held while the log is read.
 * Only the connecting itself has the usual limit.
 */
export async function connectPatiently(
  config: pg.ClientConfig,
  connectionTimeoutMillis = ANSWERS_WITHIN_MS,
): Promise<pg.Client> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis });
  // One that breaks is found out by its next statement.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`select set_config(name, '0', false) from pg_settings where name = any($1)`, [
      SERVER_LIMITS,
    ]);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return client;
}

/**
 * Lets the process outlive connections of a pool that break; `onIdleBroken` is told of each that was idle.
 * Without listeners a restart of Postgres would end the process, and the pool does not listen to a connection
 * that it is closing.
 */
export function outliveBreaks(pool: pg.Pool, onIdleBroken: (error: Error) => void = () => undefined): void {
  pool.on('error', onIdleBroken);
  pool.on('connect', (client) => client.on('error', () => undefined));
}

/**
 * A pool for queries of the read models; `max` connections. An idle connection that breaks is replaced at its
 * next use.
 */
export function openReadPool(databaseUrl: string, max = 10, answersWithinMs = ANSWERS_WITHIN_MS): pg.Pool {
  const settings = connectionTo(databaseUrl);
  // A command without a limit of ours must not meet one that a role or a database sets.
  const options =
    answersWithinMs === HOWEVER_LONG ? `${settings.options} -c statement_timeout=0` : settings.options;
  const pool = new pg.Pool({ ...settings, ...answersWithin(answersWithinMs), options, max });
  outliveBreaks(pool);
  return pool;
}

/**
 * What an error says, in one line. A refused connection to a name with several addresses comes as an empty
 * one with parts.
 */
export function plainMessage(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map(plainMessage).join('; ');
  if (error instanceof z.ZodError) return z.prettifyError(error).replaceAll(/\s*\n\s*/g, ' ');
  return error instanceof Error ? error.message.replaceAll(/\s*\n\s*/g, ' ') : String(error);
}
