/**
 * What a duty remembers between its passes, in Redis. Losing it (a flush) costs a longer pass, never a payment: a mark
 * says only where looking may begin.
 */
import type { Redis } from 'ioredis';

export class Marks {
  constructor(private readonly redis: Redis) {}

  async get(duty: string): Promise<Date | undefined> {
    const written = await this.redis.get(`encore:mark:${duty}`);
    const date = new Date(written ?? Number.NaN);
    return Number.isNaN(date.getTime()) ? undefined : date;
  }

  async set(duty: string, at: Date): Promise<void> {
    await this.redis.set(`encore:mark:${duty}`, at.toISOString());
  }
}
