/**
 * Data keys of a backup that Postgres holds other ones for. A ledger that is started over an empty vault
 * draws new keys under the versions of the lost ones; the texts of the log open with those of the backup
 * alone.
 */
import type pg from 'pg';
import {
  dataKey,
  masterKeyIdIn,
  unwrapDataKey,
  type DataKey,
  type MasterKey,
  type WrappedKey,
} from '#log/vault-encryption';
import { FIRST_VERSION } from '#log/vault-reader';
import { rowsIn, type TableRow } from './tables.js';

export const VAULT_TABLE = 'vault.data_keys';
const PAGE = 500;

/** A data key of a backup where Postgres holds another one for the same user and version. */
export interface DifferingKey {
  readonly userId: string;
  readonly key: DataKey;
}

/**
 * A data key in Postgres is wrapped by none of the master keys, so that nobody can say whether it is the
 * backup's.
 */
export class CannotCompareKeys extends Error {
  override readonly name = 'CannotCompareKeys';
  constructor(userId: string, wrappedBy: string, ours: string) {
    super(
      `The data key of user ${userId} in Postgres is wrapped by the master key ${masterKeyIdIn(wrappedBy)}, which is not set ` +
        `(ENCORE_MASTER_KEY is ${ours}): whether it is the backup’s key cannot be said. Set that master key too, one of the two ` +
        'as ENCORE_PREVIOUS_MASTER_KEY.',
    );
  }
}

interface OwnedKey extends WrappedKey {
  readonly user_id: string;
}

/**
 * Which living keys of a backup's tables are other ones than the living keys of the same user and version in
 * Postgres. Throws {@link CannotCompareKeys} where that cannot be said, and TablesDamaged.
 */
export async function differingKeys(
  client: pg.ClientBase,
  path: string,
  masters: readonly [MasterKey, ...MasterKey[]],
): Promise<DifferingKey[]> {
  const { rows } = await client.query<{ present: boolean }>('select to_regclass($1) is not null as present', [
    VAULT_TABLE,
  ]);
  if (!rows[0]?.present) return [];
  const differing: DifferingKey[] = [];
  let page: OwnedKey[] = [];
  const compare = async (): Promise<void> => {
    differing.push(...(await differingOf(client, page, masters)));
    page = [];
  };
  for await (const row of rowsIn(path)) {
    const key = livingKeyOf(row);
    if (key) page.push(key);
    if (page.length >= PAGE) await compare();
  }
  await compare();
  return differing;
}

function livingKeyOf({ table, row }: TableRow): OwnedKey | undefined {
  if (table !== VAULT_TABLE || typeof row['wrapped_key'] !== 'string') return undefined;
  return {
    user_id: String(row['user_id']),
    // A backup of before versions has the first one only.
    version: Number(row['version'] ?? FIRST_VERSION),
    // As Postgres writes bytes into JSON: \x and hexadecimal digits.
    wrapped_key: Buffer.from(row['wrapped_key'].slice(2), 'hex'),
    wrapped_by: String(row['wrapped_by']),
  };
}

async function differingOf(
  client: pg.ClientBase,
  kept: readonly OwnedKey[],
  masters: readonly [MasterKey, ...MasterKey[]],
): Promise<DifferingKey[]> {
  const { rows } = await client.query<OwnedKey>(
    // The table of a build of before has no versions.
    `select user_id, coalesce((to_jsonb(k) ->> 'version')::int, ${FIRST_VERSION}) as version, wrapped_key, wrapped_by
       from ${VAULT_TABLE} k where user_id = any($1) and wrapped_key is not null`,
    [kept.map(({ user_id: userId }) => userId)],
  );
  const nameOf = (key: OwnedKey): string => `${key.user_id}/${key.version}`;
  const present = new Map(rows.map((row) => [nameOf(row), row]));
  return kept.flatMap((key) => {
    const there = present.get(nameOf(key));
    const drawn = there && unwrapDataKey(masters, key.user_id, key);
    // A damaged key takes no other one's place.
    if (!there || !drawn) return [];
    const drawnThere = unwrapDataKey(masters, there.user_id, there);
    if (!drawnThere && masters.every(({ id }) => id !== masterKeyIdIn(there.wrapped_by)))
      throw new CannotCompareKeys(there.user_id, there.wrapped_by, masters[0].id);
    return drawnThere?.equals(drawn) ? [] : [{ userId: key.user_id, key: dataKey(key.version, drawn) }];
  });
}
