/** How every process connects to Redis: as a client of its own, or by BullMQ. */
import type { ConnectionOptions } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import { hostOf } from '#contracts/plain/host';

/** Longer than the ten seconds for which BullMQ lets Redis hold a request. */
const SILENT_MS = 20_000;

/**
 * What a Redis that has become a replica answers to a write, also inside a script's error. REDIS_URL leads to
 * the new primary by then, while an open connection stays with the old one.
 */
const OF_A_REPLICA = /\b(?:READONLY|MASTERDOWN)\b/;

/** Options of every connection: it is dropped when it leads to a replica, or when nothing is heard on it. */
export const redisOptions = (
  silentMs = SILENT_MS,
): Pick<RedisOptions, 'reconnectOnError' | 'socketTimeout'> => ({
  reconnectOnError: ({ message }) => OF_A_REPLICA.test(message),
  socketTimeout: silentMs,
});

/** Redis as BullMQ is told of it. */
export function queueConnection(redisUrl: string, silentMs?: number): ConnectionOptions {
  const url = new URL(redisUrl);
  return {
    ...redisOptions(silentMs),
    host: hostOf(url),
    port: Number(url.port || 6379),
    username: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
    db: Number(url.pathname.slice(1) || 0),
    tls: url.protocol === 'rediss:' ? {} : undefined,
    maxRetriesPerRequest: null,
  };
}
