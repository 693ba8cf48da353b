import { describe, expect, it } from '@jest/globals';
import { deviceOf, truncatedAddress } from './seen-from.js';

describe('a device', () => {
  it.each([
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
      { kind: 'phone', name: 'Chrome on Android' },
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      { kind: 'tablet', name: 'Chrome on Android' },
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      { kind: 'phone', name: 'Safari on iPhone' },
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
      { kind: 'phone', name: 'Chrome on iPhone' },
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      { kind: 'computer', name: 'Edge on Windows' },
    ],
    [
      'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
      { kind: 'computer', name: 'Firefox on Linux' },
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
      { kind: 'computer', name: 'Safari on Mac' },
    ],
    ['curl/8.5.0', { kind: 'unknown', name: 'Unknown device' }],
    [undefined, { kind: 'unknown', name: 'Unknown device' }],
  ])('is told from %s', (userAgent, device) => expect(deviceOf(userAgent)).toEqual(device));

  it('keeps nothing of what somebody writes into the header', () =>
    expect(deviceOf('odalys@example.org 4111111111111111').name).toBe('Unknown device'));
});

describe('a network', () => {
  it.each([
    ['203.0.113.77', '203.0.113.0/24'],
    ['::ffff:203.0.113.77', '203.0.113.0/24'],
    ['2001:db8:7:1:2:3:4:5', '2001:db8:7::/48'],
    ['2001:0db8:0007::1', '2001:db8:7::/48'],
    ['2001:db8::1', '2001:db8::/48'],
    ['fe80::1%eth0', 'fe80::/48'],
    ['64:ff9b::203.0.113.7', '64:ff9b::/48'],
    ['::1', undefined],
    ['unknown', undefined],
    ['203.0.113.7:51234', '203.0.113.0/24'],
    ['[2001:db8:7::1]:443', '2001:db8:7::/48'],
  ])('of %s is %s', (address, network) => expect(truncatedAddress(address)).toBe(network));
});
