/**
 * What the engine knows of a read model: its tables, the streams it folds, and one function that folds a
 * batch of events into rows. Each read model is one folder: `columns.ts`, `project.ts`, `queries.ts`, the
 * calls that it answers, and their spec.
 */
import { createHash } from 'node:crypto';
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

interface ReadModelDeclaration {
  readonly name: string;
  /** The beginnings of the names of the streams whose events it folds. */
  readonly prefixes: readonly string[];
  /** Every table it owns; what a rebuild compares row by row. */
  readonly tables: readonly { readonly name: string; readonly statements: readonly string[] }[];
  /** Raised where the same events give other rows than before, in tables of the same shape. */
  readonly fold?: number;
}

/** A read model's tables in their present shape. Another shape is rebuilt beside the live one. */
export interface TableDefinition {
  readonly name: string;
  /** The fingerprint of the declaration. */
  readonly version: string;
  readonly prefixes: readonly string[];
  readonly tables: readonly string[];
  /** What makes the tables, unqualified: the search path says in which schema. */
  readonly statements: readonly string[];
}

export interface ReadModel extends TableDefinition {
  /**
   * Folds events, in the log's order, into rows; the engine commits them with the checkpoint. Throws for an
   * event that must not be passed over: the projector then stops and says so.
   */
  project(events: readonly RecordedEvent[], tx: Tx): Promise<void>;
}

/** A read model as it is declared, with the version that follows. Who may see a column is no part of it. */
export function declared({ name, prefixes, tables, fold = 1 }: ReadModelDeclaration): TableDefinition {
  const statements = tables.flatMap((table) => table.statements);
  const version = createHash('sha256')
    .update(JSON.stringify([fold, prefixes, statements]))
    .digest('hex')
    .slice(0, 16);
  return { name, version, prefixes, tables: tables.map((table) => table.name), statements };
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
