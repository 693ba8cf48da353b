/** Where BullMQ is led by REDIS_URL. */
import { expect, it } from '@jest/globals';
import { queueConnection, redisOptions } from './redis-connection.js';

it.each([
  ['redis://127.0.0.1', { host: '127.0.0.1', port: 6379, db: 0, tls: undefined }],
  [
    'rediss://encore:p%40ss@redis.example.com:6380/2',
    { host: 'redis.example.com', port: 6380, username: 'encore', password: 'p@ss', db: 2, tls: {} },
  ],
  ['redis://[2001:db8::7]:6379', { host: '2001:db8::7', port: 6379 }],
])('%s', (url, connection) => expect(queueConnection(url)).toMatchObject(connection));

it.each([
  ["READONLY You can't write against a read only replica.", true],
  ['ERR Error running script (call to f_1): @user_script:12: -READONLY You cannot write', true],
  ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", true],
  ['OOM command not allowed', false],
  ['NOREPLICAS Not enough good replicas to write.', false],
])('after "%s" a connection is left: %s', (message, isLeft) =>
  expect(redisOptions().reconnectOnError?.(new Error(message))).toBe(isLeft),
);
