/** How every process connects to Redis: as a client of its own, or by BullMQ. */
import type { ConnectionOptions } from 'bullmq';
import type { RedisOptions } from 'ioredis';

/** More than BullMQ lets Redis wait with an answer, which is ten seconds. */
const SILENT_MS = 20_000;

/**
 * What a Redis says to a write that has become another one's replica, also within a script's error: the name in
 * REDIS_URL leads to that other one by then, and a connection that stays open leads to the old one for good.
 */
const OF_A_REPLICA = /\b(?:READONLY|MASTERDOWN)\b/;

/** What each connection is made with: it is left where it leads to a replica, or to nobody any more. */
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
    // An address of IPv6 stands in brackets in a URL, and nowhere else.
    host: url.hostname.replaceAll(/^\[|\]$/g, ''),
    port: Number(url.port || 6379),
    username: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
    db: Number(url.pathname.slice(1) || 0),
    tls: url.protocol === 'rediss:' ? {} : undefined,
    maxRetriesPerRequest: null,
  };
}
