/**
 * What time or a restart mends is an outage, however the system or Postgres calls it; all else stops who
 * follows the log.
 */
import { describe, expect, it } from '@jest/globals';
import { isOutage } from './outage.js';

const coded = (code: string): Error => Object.assign(new Error(code), { code });

describe('an outage', () => {
  it.each([
    'ECONNREFUSED',
    'EHOSTUNREACH',
    // The network is gone, as of a container that was taken off it.
    'ENETUNREACH',
    'ENETDOWN',
    'EHOSTDOWN',
    'ECONNABORTED',
    // Too many connections, of this process or this machine.
    'EADDRNOTAVAIL',
    'EMFILE',
    'ENFILE',
  ])('is %s of the system', (code) => expect(isOutage(coded(code))).toBe(true));

  it.each([
    ['08006', 'a connection that broke'],
    [
      '25006',
      'a Postgres that takes no writes: a standby before it leads, or one whose host has made it read-only',
    ],
    ['25P04', 'a transaction that took longer than its limit, as of a process that was held for a while'],
    ['28000', 'a server that lets nobody sign in for now, as while its rules are reloaded'],
    ['28P01', 'a password that was changed before the processes were started again'],
    ['40P01', 'a deadlock'],
    ['42703', 'a table of an older version, before its rows are made anew'],
    ['53100', 'a full disk'],
    ['57P03', 'a start'],
  ])('is %s of Postgres: %s', (code) => expect(isOutage(coded(code))).toBe(true));

  it.each([
    'Query read timeout',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Connection terminated',
  ])('is what the driver of Postgres says without a code: %s', (message) =>
    expect(isOutage(new Error(message))).toBe(true),
  );

  it.each(['23505', '22P02', '42601', '25P02'])('is not %s of Postgres', (code) =>
    expect(isOutage(coded(code))).toBe(false),
  );
});
