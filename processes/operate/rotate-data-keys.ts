/** `operate rotate-data-keys`: what people's texts are sealed with from now on; what was sealed before goes on opening. */
import pg from 'pg';
import { rotateDataKeys as rotate } from '#log/rotate-data-keys';
import { CannotRun, type Verdict } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';
import { USAGE } from './usage.js';

/** For everybody whose newest key was made before a time, or for one user. Throws {@link CannotRun}. */
export async function rotateDataKeys(words: readonly string[]): Promise<Verdict> {
  const { user, before } = orderFrom(words);
  const madeBefore = before === undefined ? new Date() : new Date(before);
  if (Number.isNaN(madeBefore.getTime()))
    throw new CannotRun(`"${before}" is no time. Usage: ${USAGE['rotate-data-keys']}`);
  const settings = readSettings(['DATABASE_URL', 'ENCORE_MASTER_KEY']);
  const pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 1 });
  const at = madeBefore.toISOString();
  process.stderr.write(
    `Making new data keys for those made before ${at}. Interrupted, go on with: operate rotate-data-keys --made-before ${at}\n`,
  );
  const count = await rotate(pool, settings.ENCORE_MASTER_KEY, { madeBefore, userId: user });
  return {
    status: 0,
    lines: [`${count} people have a new data key. Ledgers seal with it within five minutes.`],
  };
}

function orderFrom(words: readonly string[]): { readonly user?: string; readonly before?: string } {
  const known = { '--user': 'user', '--made-before': 'before' } as const;
  const order: { user?: string; before?: string } = {};
  for (let at = 0; at < words.length; at += 2) {
    const [option, value] = [words[at]!, words[at + 1]];
    if (!Object.hasOwn(known, option) || value === undefined)
      throw new CannotRun(`Usage: ${USAGE['rotate-data-keys']}`);
    order[known[option as keyof typeof known]] = value;
  }
  return order;
}
