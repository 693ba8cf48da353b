/**
 * What a job remembers between its passes, in Redis. Losing it (a flush) costs a longer pass, never a
 * payment: a mark says only where looking may begin.
 */
import type { Redis } from 'ioredis';
import type { Mark, MarkName } from '../jobs/context.js';

const MOVE = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[2])
return 1`;

const written = ({ at, log }: Mark): string =>
  at.toISOString() + (log === undefined ? '' : ` ${log.revision} ${log.hash}`);

export class Marks {
  constructor(private readonly redis: Redis) {}

  async get(name: MarkName): Promise<Mark | undefined> {
    const [written, revision, hash] = (await this.redis.get(`encore:mark:${name}`))?.split(' ') ?? [];
    const at = new Date(written ?? Number.NaN);
    if (Number.isNaN(at.getTime())) return undefined;
    return { at, log: hash === undefined ? undefined : { revision: Number(revision), hash } };
  }

  async set(name: MarkName, mark: Mark): Promise<void> {
    await this.redis.set(`encore:mark:${name}`, written(mark));
  }

  /** Only where it still stands at `from`: compared and set in one step. */
  async move(name: MarkName, from: Mark, to: Mark): Promise<boolean> {
    return (await this.redis.eval(MOVE, 1, `encore:mark:${name}`, written(from), written(to))) === 1;
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
