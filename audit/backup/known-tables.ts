/**
 * Whether this build has the tables and columns of a backup, without a database: the names are looked for in
 * the steps that would make them. A backup of a newer build is refused before anything is set aside for it.
 */
import type { SchemaMigrations } from '#log/migrations';
import { rowsIn } from './tables.js';

/** The backup has a table or a column that this build has not. */
export class UnknownTable extends Error {
  override readonly name = 'UnknownTable';
  constructor(table: string, columns: string, options?: ErrorOptions) {
    super(
      `The backup has ${table} with ${columns}, which this version of Encore does not have: restore it with the version ` +
        'that made it, or a newer one. Nothing was changed.',
      options,
    );
  }
}

/**
 * Answers whether steps name a table, and a column beside it. A column of another table in the same step
 * counts, too.
 */
export function knownNames(schemas: readonly SchemaMigrations[]): (table: string, column: string) => boolean {
  const columns = new Map<string, Set<string>>();
  for (const { sql } of schemas.flatMap(({ migrations }) => migrations)) {
    const words = sql.match(/\w+/g) ?? [];
    for (const table of new Set(sql.match(/\w+\.\w+/g)))
      columns.set(table, new Set([...(columns.get(table) ?? []), ...words]));
  }
  return (table, column) => columns.get(table)?.has(column) ?? false;
}

/**
 * Throws {@link UnknownTable} for rows that this build has no place for, those of `leftOut` aside;
 * TablesDamaged.
 */
export async function assertTablesKnown(
  path: string,
  schemas: readonly SchemaMigrations[],
  leftOut: readonly string[],
): Promise<void> {
  const isKnown = knownNames(schemas);
  const seen = new Set<string>(leftOut);
  for await (const { table, row } of rowsIn(path)) {
    // Each row has all columns of its table.
    if (seen.has(table)) continue;
    seen.add(table);
    const unknown = Object.keys(row).filter((column) => !isKnown(table, column));
    if (unknown.length > 0) throw new UnknownTable(table, unknown.join(', '));
  }
}
