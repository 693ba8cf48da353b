/** What is amiss with Redis, by its own word. */
import type { Redis } from 'ioredis';

/** What is written to see whether anything can be; gone by itself. */
const PROBE = { key: 'encore:ready', ms: 10_000 } as const;

/** Asks Redis how it is; a sentence with cause and remedy, or undefined. Never throws. */
export async function redisProblem(redis: Pick<Redis, 'info' | 'set'>): Promise<string | undefined> {
  let told: string;
  try {
    told = await redis.info();
  } catch {
    return 'Redis does not answer: no job is run. See whether it runs, and whether REDIS_URL leads to it.';
  }
  const says = (name: string): string | undefined =>
    new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(told)?.[1]?.trim();
  if (says('role') === 'slave')
    return `Redis is the replica of another one (${says('master_host') ?? 'unknown'}), and takes no jobs: let REDIS_URL lead to the one that takes writes.`;
  if (says('rdb_last_bgsave_status') === 'err' || says('aof_last_write_status') === 'err')
    return 'Redis could not write to its disk, and takes no jobs: make room on the disk that it writes to, or give it another.';
  const [used, most] = [Number(says('used_memory')), Number(says('maxmemory'))];
  if (most > 0 && used >= most)
    return 'Redis has used all of the memory that its maxmemory allows, and takes no jobs: raise maxmemory.';
  return writeProblem(redis);
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
