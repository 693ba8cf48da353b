import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { mayReadFigures } from './figures-access.js';

const TOKEN = 'a'.repeat(32);
const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

describe('the figures of a process', () => {
  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('are told on its own host: %s', (address) =>
    expect(mayReadFigures(from(address), undefined)).toBe(true),
  );
  it.each(['172.18.0.4', '::ffff:10.0.0.7', '128.0.0.1', ''])('are told to nobody else: %s', (address) => {
    expect(mayReadFigures(from(address), undefined)).toBe(false);
    expect(mayReadFigures(from(address), TOKEN)).toBe(false);
    expect(mayReadFigures(from(address, { authorization: 'Bearer wrong' }), TOKEN)).toBe(false);
    expect(mayReadFigures(from(address, { authorization: `Bearer ${TOKEN}` }), undefined)).toBe(false);
  });
  it('are told to who shows the token', () =>
    expect(mayReadFigures(from('172.18.0.4', { authorization: `Bearer ${TOKEN}` }), TOKEN)).toBe(true));
  it('are not told through a proxy of the same host', () =>
    expect(mayReadFigures(from('127.0.0.1', { 'x-forwarded-for': '203.0.113.7' }), undefined)).toBe(false));
});
