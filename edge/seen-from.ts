/**
 * What is kept of where a request came from: the kind of device in a few words, and the network without the
 * last part of its address. The whole User-Agent and the whole address are kept nowhere.
 */
import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { bareAddress } from './address.js';

export type DeviceKind = 'phone' | 'tablet' | 'computer' | 'unknown';

export interface Device {
  readonly kind: DeviceKind;
  /** Such as "Chrome on Android". */
  readonly name: string;
}

export interface SeenFrom {
  readonly device: Device;
  /** Such as `203.0.113.0/24` or `2001:db8:7::/48`; undefined for what is no address. */
  readonly network: string | undefined;
}

/** The first that fits counts: what says more stands before what everybody says. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOPT\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string, DeviceKind])[] = [
  [/\biPad\b/, 'iPad', 'tablet'],
  [/\biPhone\b/, 'iPhone', 'phone'],
  [/\bAndroid\b.*\bMobile\b/, 'Android', 'phone'],
  [/\bAndroid\b/, 'Android', 'tablet'],
  [/\bCrOS\b/, 'ChromeOS', 'computer'],
  [/\bWindows\b/, 'Windows', 'computer'],
  [/\bMacintosh\b/, 'Mac', 'computer'],
  [/\bLinux\b/, 'Linux', 'computer'],
];
/** The name of what the table does not know. */
export const UNKNOWN_DEVICE = 'Unknown device';
/** Browsers say less than this; what is longer is somebody's text. */
const LONGEST_USER_AGENT = 512;

/** The device behind a User-Agent header, by words of a fixed table: nothing of the header itself is kept. */
export function deviceOf(userAgent: string | undefined): Device {
  const text = (userAgent ?? '').slice(0, LONGEST_USER_AGENT);
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1];
  const [, system, kind] = SYSTEMS.find(([pattern]) => pattern.test(text)) ?? [];
  if (browser !== undefined && system !== undefined) return { kind: kind!, name: `${browser} on ${system}` };
  return { kind: kind ?? 'unknown', name: system ?? browser ?? UNKNOWN_DEVICE };
}

/**
 * The address without what tells one household from the next: /24 of IPv4, /48 of IPv6. Undefined where
 * nothing is left of it, as of this machine's own `::1`.
 */
export function truncatedAddress(address: string): string | undefined {
  const plain = bareAddress(address);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1] ?? plain;
  if (isIPv4(mapped)) return `${mapped.split('.').slice(0, 3).join('.')}.0/24`;
  if (!isIPv6(plain)) return undefined;
  const groups = groupsOf(plain).slice(0, 3);
  // Trailing zeros are what `::` stands for.
  while (groups.at(-1) === '0') groups.pop();
  return groups.length === 0 ? undefined : `${groups.join(':')}::/48`;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  // A last part in IPv4 form lies beyond what is kept: two groups, whatever they are.
  const [before = '', after] = address.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split('::');
  const parts = (text: string | undefined): string[] => (text ? text.split(':') : []);
  const [head, tail] = [parts(before), parts(after)];
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].map((group) => parseInt(group, 16).toString(16));
}

/** Where a request came from, as far as it is kept. */
export const seenFrom = (request: Pick<FastifyRequest, 'headers' | 'ip'>): SeenFrom => ({
  device: deviceOf(request.headers['user-agent']),
  network: truncatedAddress(request.ip),
});
