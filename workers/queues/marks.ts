/**
 * What a job remembers between its passes, in Redis. Losing it (a flush) costs a longer pass, never a
 * payment: a mark says only where looking may begin.
 */
import type { Redis } from 'ioredis';

export class Marks {
  constructor(private readonly redis: Redis) {}

  async get(job: string): Promise<Date | undefined> {
    const written = await this.redis.get(`encore:mark:${job}`);
    const date = new Date(written ?? Number.NaN);
    return Number.isNaN(date.getTime()) ? undefined : date;
  }

  async set(job: string, at: Date): Promise<void> {
    await this.redis.set(`encore:mark:${job}`, at.toISOString());
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
