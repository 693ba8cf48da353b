/**
 * Looks up what the journal has already answered. Each answer tells up to which journal revision it knows: a
 * key that is not found below that revision was never used; above it, this table cannot say.
 */
import { positionFrom, type Position } from '#contracts/log';
import type { Queryable } from '../engine/read-model.js';

interface KeyedEntry {
  readonly key: string;
  /** The entry's place in the journal. */
  readonly revision: number;
  readonly position: Position;
  /** HMAC of the request's body, where a person asked. */
  readonly fingerprint: string | undefined;
  /** The payment, transfer, payout, wallet movement or unapplied charge that the entry is about. */
  readonly subject: string | undefined;
}

interface IndexAnswer<T> {
  /** The last journal revision that this read model has seen; -1 before the first. */
  readonly journalRevision: number;
  readonly found: T;
}

interface Row {
  journalRevision: number;
  key: string | null;
  revision: number;
  position: string;
  fingerprint: string | null;
  subject: string | null;
}

const entryOf = (row: Row): KeyedEntry | undefined =>
  row.key === null
    ? undefined
    : {
        key: row.key,
        revision: row.revision,
        position: positionFrom(row.position),
        fingerprint: row.fingerprint ?? undefined,
        subject: row.subject ?? undefined,
      };

// One statement, hence one snapshot: the entry and the revision up to which its absence means anything.
const FROM_CHECKPOINT = `select c.journal_revision as "journalRevision", k.key, k.revision, k.position, k.fingerprint, k.subject
  from checkpoints c left join idempotency_keys k`;

function journalRevision(rows: readonly Row[]): number {
  const row = rows[0];
  if (!row) throw new Error('The read models have no checkpoint yet: start the projections once.');
  return row.journalRevision;
}

/** The journal entry that used this key, if this read model knows it. */
export async function find(db: Queryable, key: string): Promise<IndexAnswer<KeyedEntry | undefined>> {
  const { rows } = await db.query<Row>({
    name: 'idempotency-key',
    text: `${FROM_CHECKPOINT} on k.key = $1 where c.model = 'idempotency_keys'`,
    values: [key],
  });
  return { journalRevision: journalRevision(rows), found: rows[0] && entryOf(rows[0]) };
}

/** Every journal entry about one payment, transfer, payout, occurrence or unapplied charge, in order. */
export async function entriesOf(db: Queryable, subject: string): Promise<IndexAnswer<KeyedEntry[]>> {
  const { rows } = await db.query<Row>({
    name: 'entries-of-subject',
    text: `${FROM_CHECKPOINT} on k.subject = $1 or k.occurrence = $1 where c.model = 'idempotency_keys' order by k.revision`,
    values: [subject],
  });
  return { journalRevision: journalRevision(rows), found: rows.flatMap((row) => entryOf(row) ?? []) };
}
