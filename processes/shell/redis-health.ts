/** What is amiss with Redis, by its own word. */
import type { Redis } from 'ioredis';
import { inTime } from '#contracts/plain/in-time';

/** One that is open and says nothing is as good as away. */
const ANSWERS_WITHIN_MS = 3_000;
const SILENT =
  'Redis does not answer: no job is run. See whether it runs, and whether REDIS_URL leads to it.';
/** What is written to see whether anything can be; gone by itself. */
const PROBE = { key: 'encore:ready', ms: 10_000 } as const;

interface RedisState {
  /** Why no job is run: a sentence with cause and remedy. */
  readonly problem?: string;
  /** What may go wrong later, though all goes well now. */
  readonly warning?: string;
}

/** Asks Redis how it is. Never throws. */
export async function redisState(
  redis: Pick<Redis, 'info' | 'set'>,
  answersWithinMs = ANSWERS_WITHIN_MS,
): Promise<RedisState> {
  const asked = redis.info().catch(() => undefined);
  const told = await inTime<string | undefined>(answersWithinMs, asked, undefined);
  if (told === undefined) return { problem: SILENT };
  const says = (name: string): string | undefined =>
    new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(told)?.[1]?.trim();
  if (says('rdb_last_bgsave_status') === 'err' || says('aof_last_write_status') === 'err')
    return {
      problem:
        'Redis could not write to its disk, and takes no jobs: make room on the disk that it writes to, or give it another.',
    };
  // A replica takes no writes, unless it was told to.
  if (says('role') === 'slave' && says('slave_read_only') !== '0')
    return {
      problem: `Redis is the replica of another one (${says('master_host') ?? 'unknown'}), and takes no jobs: let REDIS_URL lead to the one that takes writes.`,
    };
  const [used, most] = [Number(says('used_memory')), Number(says('maxmemory'))];
  if (most > 0 && used >= most)
    return {
      problem:
        'Redis has used all of the memory that its maxmemory allows, and takes no jobs: raise maxmemory.',
    };
  const problem = await inTime<string | undefined>(answersWithinMs, writeProblem(redis), SILENT);
  if (problem !== undefined) return { problem };
  // Keys with a time to live are counts of attempts, which may be lost. Only the allkeys policies evict the
  // rest.
  const whenFull = says('maxmemory_policy');
  if (most > 0 && whenFull?.startsWith('allkeys'))
    return {
      warning: `Redis throws away what was not used lately when its memory is full (maxmemory-policy ${whenFull}), and with it what a comparison with the provider left behind: set noeviction.`,
    };
  return {};
}

/** What else keeps a job out, such as replicas that it waits for, or a right that our user lacks. */
async function writeProblem(redis: Pick<Redis, 'set'>): Promise<string | undefined> {
  try {
    await redis.set(PROBE.key, 'yes', 'PX', PROBE.ms);
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `Redis takes no writes, and so no jobs: ${why}`;
  }
}
