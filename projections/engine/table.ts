/**
 * Tables of read models, each declared once: of every column its type, whether it ever changes, and who may
 * see it. The table itself, the type of its rows, the writing of many rows at once and what each viewer gets
 * follow from the declaration. Indexes, checks and the SQL of a fold stay SQL.
 */
import type { Tx } from './read-model.js';

type SqlType = 'text' | 'bigint' | 'integer' | 'boolean' | 'timestamptz';

interface Traits {
  readonly isNullable?: boolean;
  readonly isKey?: boolean;
  readonly isFixed?: boolean;
  readonly viewers?: readonly string[];
}

/**
 * One column: what a fold keeps in it, what a query gets of it, and its viewers: nobody until
 * {@link Column.seenBy} names them.
 */
export class Column<Stored, Viewed = Stored, Viewer extends string = never> {
  declare readonly stored: Stored;
  declare readonly viewed: Viewed;
  declare readonly viewer: Viewer;

  constructor(
    readonly type: SqlType,
    readonly traits: Traits = {},
  ) {}

  orNull(): Column<Stored | null, Viewed | null, Viewer> {
    return new Column(this.type, { ...this.traits, isNullable: true });
  }

  /** Never changes once the row is written. */
  fixed(): Column<Stored, Viewed, Viewer> {
    return new Column(this.type, { ...this.traits, isFixed: true });
  }

  /** The primary key. */
  key(): Column<Stored, Viewed, Viewer> {
    return new Column(this.type, { ...this.traits, isKey: true, isFixed: true });
  }

  /** Who is told of it, by their part in the row: `payer`, `recipient`, `owner`. */
  seenBy<V extends string>(...viewers: readonly V[]): Column<Stored, Viewed, V> {
    return new Column(this.type, { ...this.traits, viewers });
  }
}

/** A text; `T` where it is one of a few. */
export const text = <T extends string = string>() => new Column<T>('text');
/** Minor units, revisions, positions: whole numbers that JavaScript holds exactly. */
export const whole = () => new Column<number>('bigint');
/** A small number, such as that of an attempt. */
export const small = () => new Column<number>('integer');
export const flag = () => new Column<boolean>('boolean');
/** A fold keeps times as texts, to the microsecond, so that they go back as they came. */
export const time = () => new Column<string, Date>('timestamptz');

export type Columns = Readonly<Record<string, Column<unknown, unknown, string>>>;

/** A row as a fold holds it. */
export type RowOf<T> = T extends Table<infer C> ? { -readonly [K in keyof C]: C[K]['stored'] } : never;

/** A row to be: columns that may be null need not be named. */
type NewRow<C extends Columns> = {
  [K in keyof C as null extends C[K]['stored'] ? never : K]: C[K]['stored'];
} & { [K in keyof C as null extends C[K]['stored'] ? K : never]?: C[K]['stored'] | undefined };

/** What a viewer gets of a row: null in place of what only others may see. */
export type ViewOf<T, V extends string> =
  T extends Table<infer C>
    ? {
        readonly [K in keyof C as [C[K]['viewer']] extends [never] ? never : K]: [V] extends [C[K]['viewer']]
          ? C[K]['viewed']
          : C[K]['viewed'] | null;
      }
    : never;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

interface NamedColumn {
  readonly name: string;
  readonly column: string;
  readonly type: SqlType;
  readonly traits: Traits;
}

export class Table<C extends Columns> {
  private readonly columns: readonly NamedColumn[];
  /** What makes the table and its indexes, unqualified: the search path says in which schema. */
  readonly statements: readonly string[];
  /** Every column as a fold reads it. */
  readonly stored: string;
  private readonly insertion: string;
  private readonly replacement: string;

  /** `checks` are further lines of the table's definition, `indexes` whole statements. */
  constructor(
    readonly name: string,
    columns: C,
    { checks = [], indexes = [] }: { checks?: readonly string[]; indexes?: readonly string[] } = {},
  ) {
    this.columns = Object.entries(columns).map(([key, { type, traits }]) => ({
      name: key,
      column: snake(key),
      type,
      traits,
    }));
    const definitions = this.columns.map(
      ({ column, type, traits }) =>
        `${column} ${type}${traits.isKey ? ' primary key' : traits.isNullable ? '' : ' not null'}`,
    );
    this.statements = [`create table ${name} (${[...definitions, ...checks].join(', ')})`, ...indexes];
    this.stored = this.columns
      .map(({ name: key, column, type }) => `${column}${type === 'timestamptz' ? '::text' : ''} as "${key}"`)
      .join(', ');
    const arrays = this.columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
    this.insertion = `insert into ${name} (${this.columns.map(({ column }) => column).join(', ')})
      select * from unnest(${arrays})`;
    const keys = this.columns.filter(({ traits }) => traits.isKey).map(({ column }) => column);
    const changing = this.columns.filter(({ traits }) => !traits.isFixed);
    const changes = changing.map(({ column }) => `${column} = excluded.${column}`).join(', ');
    this.replacement = `on conflict (${keys.join(', ')}) do ${changes ? `update set ${changes}` : 'nothing'}`;
  }

  /** A whole row of what is known of it. */
  row(known: NewRow<C>): RowOf<Table<C>> {
    const given: Readonly<Record<string, unknown>> = known;
    return Object.fromEntries(this.columns.map(({ name }) => [name, given[name] ?? null])) as RowOf<Table<C>>;
  }

  /** The rows whose `column` holds one of the values. */
  async rowsBy(column: keyof C & string, values: Iterable<string>, tx: Tx): Promise<RowOf<Table<C>>[]> {
    const wanted = [...values];
    if (wanted.length === 0) return [];
    const { rows } = await tx.query<RowOf<Table<C>> & Record<string, unknown>>({
      name: `${this.name}-by-${column}`,
      text: `select ${this.stored} from ${this.name} where ${snake(column)} = any($1::text[])`,
      values: [wanted],
    });
    return rows;
  }

  /** Writes rows, new and changed ones; of a changed one the columns that may change. */
  async put(rows: readonly RowOf<Table<C>>[], tx: Tx): Promise<void> {
    await this.insert(rows, tx, this.replacement);
  }

  /**
   * Writes new rows. `onConflict` is the SQL for those that are there already; without it they stop the
   * projector.
   */
  async insert(rows: readonly RowOf<Table<C>>[], tx: Tx, onConflict = ''): Promise<void> {
    if (rows.length === 0) return;
    await tx.query({
      name: `${this.name}-written`,
      text: `${this.insertion} ${onConflict}`,
      values: this.columns.map(({ name }) => rows.map((row) => row[name])),
    });
  }

  /** What a viewer is told of a row, for a `select` from this table under an alias. */
  seenBy(viewer: C[keyof C]['viewer'], alias: string): string {
    return this.columns
      .filter(({ traits: { viewers = [] } }) => viewers.length > 0)
      .map(({ name, column, type, traits }) =>
        traits.viewers?.includes(viewer) ? `${alias}.${column} as "${name}"` : `null::${type} as "${name}"`,
      )
      .join(', ');
  }

  /** Some columns under their own names, for a `select` of a job: no person is told of these. */
  inner(...names: readonly (keyof C & string)[]): string {
    return names.map((name) => `${snake(name)} as "${name}"`).join(', ');
  }
}
