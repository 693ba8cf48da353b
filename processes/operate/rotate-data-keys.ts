/**
 * `operate rotate-data-keys`: what people's texts are sealed with from now on; what was sealed before goes on
 * opening.
 */
import pg from 'pg';
import { rotateDataKeys as rotate } from '#log/rotate-data-keys';
import { CannotRun, type Verdict } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';

/** For everybody whose newest key was made before a time, or for one user. */
export async function rotateDataKeys({
  user,
  madeBefore: asked,
}: {
  readonly user?: string | undefined;
  readonly madeBefore?: Date | undefined;
}): Promise<Verdict> {
  const madeBefore = asked ?? new Date();
  const settings = readSettings(['DATABASE_URL', 'ENCORE_MASTER_KEY']);
  const pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 1 });
  const at = madeBefore.toISOString();
  process.stderr.write(
    `Making new data keys for those made before ${at}. Interrupted, go on with: operate rotate-data-keys --made-before ${at}\n`,
  );
  const count = await rotate(pool, settings.ENCORE_MASTER_KEY, { madeBefore, userId: user });
  if (user !== undefined && asked === undefined && count === 0)
    throw new CannotRun(`${user} has no data key: nobody has this id, or its owner was forgotten.`);
  const people = count === 1 ? '1 person has' : `${count} people have`;
  return {
    status: 0,
    lines: [`${people} a new data key. Ledgers seal with it within five minutes.`],
  };
}
