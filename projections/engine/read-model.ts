/**
 * What the engine knows of a read model: its table, the streams it folds, and one function that folds a batch
 * of events into rows. Each read model is one folder: `table.ts`, `project.ts`, `queries.ts` and their spec.
 */
import type { Knex } from 'knex';
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { RecordedEvent } from '#contracts/log';

/**
 * Where rows are read from: a pool or one connection whose search path begins with the read models' schema. A
 * class, so that it is also the name by which Nest gives the pool to controllers.
 */
export abstract class Queryable {
  abstract query<R extends QueryResultRow>(config: QueryConfig): Promise<QueryResult<R>>;
}

/** The one connection on which a batch is projected, inside its transaction. */
export type Tx = Queryable;

/**
 * A read model's tables in their present version. A new shape is a new version: it is rebuilt beside the live
 * one.
 */
export interface TableDefinition {
  readonly name: string;
  readonly version: number;
  /** The beginnings of the names of the streams whose events it folds. */
  readonly prefixes: readonly string[];
  /** Every table it owns, unqualified; what rebuild compares row by row. */
  readonly tables: readonly string[];
  /** Makes the tables, unqualified: the search path says in which schema. */
  up(db: Knex): Promise<void>;
}

export interface ReadModel extends TableDefinition {
  /**
   * Folds events, in the log's order, into rows; the engine commits them with the checkpoint. Throws for an
   * event that must not be passed over: the projector then stops and says so.
   */
  project(events: readonly RecordedEvent[], tx: Tx): Promise<void>;
}

/** Postgres' bigint arrives as text; money and revisions stay whole numbers that JavaScript holds exactly. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${text} is not a whole number that can be held exactly`);
  return value;
}

/** An event in the log contradicts what the log said before, or itself. Nothing may be built on top of it. */
export class BrokenBooks extends Error {
  override readonly name = 'BrokenBooks';
}
