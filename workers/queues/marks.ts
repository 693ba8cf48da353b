/**
 * What a job remembers between its passes, in Redis. Losing it (a flush) costs a longer pass, never a
 * payment: a mark says only where looking may begin.
 */
import type { Redis } from 'ioredis';
import type { Mark, MarkName } from '../jobs/context.js';

export class Marks {
  constructor(private readonly redis: Redis) {}

  async get(name: MarkName): Promise<Mark | undefined> {
    const [written, revision, hash] = (await this.redis.get(`encore:mark:${name}`))?.split(' ') ?? [];
    const at = new Date(written ?? Number.NaN);
    if (Number.isNaN(at.getTime())) return undefined;
    return { at, log: hash === undefined ? undefined : { revision: Number(revision), hash } };
  }

  async set(name: MarkName, { at, log }: Mark): Promise<void> {
    const setOn = log === undefined ? '' : ` ${log.revision} ${log.hash}`;
    await this.redis.set(`encore:mark:${name}`, `${at.toISOString()}${setOn}`);
  }

  /**
   * What stayed behind when the mark moved on, and from when on it must be looked at. A flush takes it and
   * the mark together.
   */
  async behind(kind: string): Promise<ReadonlyMap<string, Date>> {
    const all = Object.entries(await this.redis.hgetall(`encore:behind:${kind}`));
    return new Map(all.map(([id, since]) => [id, new Date(since)]));
  }

  async leaveBehind(kind: string, id: string, since: Date): Promise<void> {
    await this.redis.hsetnx(`encore:behind:${kind}`, id, since.toISOString());
  }

  async caughtUp(kind: string, id: string): Promise<void> {
    await this.redis.hdel(`encore:behind:${kind}`, id);
  }
}
