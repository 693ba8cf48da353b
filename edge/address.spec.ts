/** Which callers are one. */
import { expect, it } from '@jest/globals';
import { networkOf } from './address.js';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:FFFF:192.0.2.7', '192.0.2.7'],
  // A house has all of these, and not what comes behind them.
  ['2001:db8:1:200:3:4:5:6', '2001:db8:1:200::/56'],
  ['2001:db8:1:2ff::9', '2001:db8:1:200::/56'],
  ['2001:db8:1:300::9', '2001:db8:1:300::/56'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:0::/56'],
  ['2001:db8::1', '2001:db8:0:0::/56'],
  ['fe80::1%eth0', 'fe80:0:0:0::/56'],
  ['::1', '0:0:0:0::/56'],
  // As some proxies write it into X-Forwarded-For: with the port.
  ['192.0.2.7:51234', '192.0.2.7'],
  ['[2001:db8:1:2::9]:51234', '2001:db8:1:0::/56'],
  ['[2001:db8:1:2::9]', '2001:db8:1:0::/56'],
  ['192.0.2.7:512345', 'unknown'],
  ['not an address', 'unknown'],
  ['', 'unknown'],
])('%s is counted as %s', (address, network) => expect(networkOf(address)).toBe(network));
