/**
 * What is wrong with an event store's URL is told before anything connects, and no part of a password with
 * it.
 */
import { describe, expect, it } from '@jest/globals';
import { BadSetting } from '#contracts/configuration';
import { channelOptions, clientFor } from './connection.js';
import { parseStoreUrl } from './store-url.js';

describe('an event store’s URL', () => {
  it.each([
    [
      'esdb://encore:hush@hush@store:2113?tls=false',
      'EVENTSTORE_URL has an @ in its password: write it as %40 there.',
    ],
    [
      'esdb://encore:hu?hush@store:2113?tsl=false',
      'EVENTSTORE_URL has the option "tsl", which is not known.',
    ],
    ['esdb://store:2113/path?tls=false', /^EVENTSTORE_URL cannot be understood/],
    ['esdb://store:2113#part', /^EVENTSTORE_URL cannot be understood/],
    ['esdb://:2113?tls=false', /^EVENTSTORE_URL cannot be understood/],
    ['esdb://one:2113, two:2113?tls=false', /^EVENTSTORE_URL cannot be understood/],
  ])('is refused as %s', (url, words) => {
    let said: unknown;
    try {
      clientFor(url, 'EVENTSTORE_URL');
    } catch (error) {
      said = error;
    }
    expect(said).toBeInstanceOf(BadSetting);
    const { message } = said as BadSetting;
    expect(message).toMatch(words);
    expect(message).not.toContain('hush');
  });

  it('may have a question mark in its password, as its client takes it', () => {
    const url = 'esdb://encore:hu?sh@store:2113?tls=false';
    clientFor(url, 'EVENTSTORE_URL');
    expect(parseStoreUrl(url)).toMatchObject({ nodes: ['store:2113'], userAndPassword: 'encore:hu?sh' });
  });
});

it('never asks by a timer that Node does not have: where it is told to ask never, and where a number is too large', () => {
  const [time, timeout] = ['grpc.keepalive_time_ms', 'grpc.keepalive_timeout_ms'];
  const longest = 2 ** 31 - 1;
  const of = (options: string): object =>
    channelOptions(parseStoreUrl(`esdb://store:2113?tls=false&${options}`));
  expect(of('keepAliveInterval=-1&keepAliveTimeout=-1')).toMatchObject({
    [time]: longest,
    [timeout]: longest,
  });
  expect(of('keepAliveInterval=99999999999')).toMatchObject({ [time]: longest, [timeout]: 10_000 });
});
