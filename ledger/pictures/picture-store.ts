/** The pictures in Postgres, sealed. */
import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Sealed } from '#contracts/events/journal';
import { Vault } from '#log/vault';
import type { DrawnPicture } from './picture-drawing.js';

/** Postgres, as far as pictures need it; filled in processes/ledger/parts.ts. */
export abstract class PictureTable {
  abstract readonly query: Pool['query'];
}

@Injectable()
export class PictureStore {
  constructor(
    private readonly pool: PictureTable,
    private readonly vault: Vault,
  ) {}

  /** Throws KeyDestroyed for somebody who was forgotten. */
  async put(userId: string, { bytes, hash }: DrawnPicture): Promise<void> {
    const sealed = await this.vault.seal(userId, bytes.toString('base64'));
    await this.pool.query(
      `insert into edge.pictures (user_id, hash, sealed) values ($1, $2, $3)
       on conflict (user_id) do update set hash = $2, sealed = $3, changed_at = now()`,
      [userId, hash, sealed],
    );
  }

  /** The user's picture, if it is the one of this hash. */
  async bytesOf(userId: string, hash: string): Promise<Buffer | undefined> {
    const { rows } = await this.pool.query<{ sealed: Sealed }>(
      'select sealed from edge.pictures where user_id = $1 and hash = $2',
      [userId, hash],
    );
    const base64 = rows[0] && (await this.vault.unsealOr(rows[0].sealed, undefined));
    return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
  }

  async remove(userId: string): Promise<void> {
    await this.pool.query('delete from edge.pictures where user_id = $1', [userId]);
  }
}
