/**
 * Why the projector has stopped, where the ledgers read it: nobody's answer waits for read models that stand
 * still. The row stands beside the read models, and goes with them.
 */
import pg from 'pg';
import { ROLES, whereRole } from '#log/roles';
import { connectionTo, READ_SCHEMA } from './database.js';
import type { Queryable } from './read-model.js';

/** The channel on which projectors announce that they have stopped. */
export const STOPPED_CHANNEL = 'encore_projector_stopped';

const CREATE = `create table if not exists projector_stop (
  only_row boolean primary key default true check (only_row),
  why text not null,
  since timestamptz not null default now()
)`;

/** Why the projector has stopped, in a sentence; undefined while it has not. */
export async function stopOf(db: Queryable): Promise<string | undefined> {
  const { rows: tables } = await db.query<{ present: boolean }>({
    text: `select to_regclass('projector_stop') is not null as present`,
  });
  if (!tables[0]?.present) return undefined;
  const { rows } = await db.query<{ why: string }>({ text: 'select why from projector_stop' });
  return rows[0]?.why;
}

export class StopNote {
  #last = Promise.resolve();

  /** `onTrouble` is told where the note could not be written or cleared. */
  constructor(
    private readonly databaseUrl: string,
    private readonly onTrouble: (error: unknown) => void,
  ) {}

  /** Tells every ledger that the projector has stopped. Never throws. */
  write(why: string): Promise<void> {
    return this.#change(async (client) => {
      await client.query(CREATE);
      for (const role of ['ledger', 'audit'] as const)
        await client.query(whereRole(role, [`grant select on projector_stop to ${ROLES[role]}`]));
      await client.query(
        `insert into projector_stop (why) values ($1) on conflict (only_row) do update set why = excluded.why`,
        [why],
      );
    });
  }

  /** The projector is at work. Never throws. */
  clear(): Promise<void> {
    return this.#change(async (client) => {
      if ((await stopOf(client)) !== undefined) await client.query('delete from projector_stop');
    });
  }

  #change(change: (client: pg.Client) => Promise<void>): Promise<void> {
    this.#last = this.#last.then(async () => {
      const client = new pg.Client(connectionTo(this.databaseUrl, READ_SCHEMA));
      client.on('error', () => undefined);
      try {
        await client.connect();
        await change(client);
        await client.query(`notify ${STOPPED_CHANNEL}`);
      } catch (error) {
        this.onTrouble(error);
      } finally {
        await client.end().catch(() => undefined);
      }
    });
    return this.#last;
  }
}
