/**
 * Addresses of callers, as they are told apart: one household or phone is one, whatever it makes of its
 * addresses.
 */
import { isIPv4, isIPv6 } from 'node:net';

/**
 * An address alone, as it is written: without its zone, and without the port that some proxies write behind
 * it into X-Forwarded-For, which would make all of their callers one.
 */
export function bareAddress(written: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(written)?.[1];
  const address = bracketed ?? written.replace(/^((?:\d{1,3}\.){3}\d{1,3}):\d{1,5}$/, '$1');
  return address.split('%', 1)[0]!;
}

/** The eight groups of an IPv6 address, as numbers. `text` is one, without a zone. */
function groupsOf(text: string): number[] {
  // The last two groups may be written as an IPv4 address.
  const mapped = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const plain = mapped
    ? `${mapped[1]}${((Number(mapped[2]) << 8) | Number(mapped[3])).toString(16)}:${((Number(mapped[4]) << 8) | Number(mapped[5])).toString(16)}`
    : text;
  const [before = '', after] = plain.split('::');
  const numbers = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const head = numbers(before);
  if (after === undefined) return head;
  const tail = numbers(after);
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

const MAPPED = [0, 0, 0, 0, 0, 0xffff];

/**
 * So much of an IPv6 address tells one subscriber from the next: a house is given 256 networks of 64 bits as
 * a rule (RIPE-690, 4.2), and each of those would have all that one address may. A phone is one among 256.
 */
export const SUBSCRIBER_BITS = 56;
/** Of the fourth group, which is where they end. */
const OF_FOURTH_GROUP = 0xffff << (64 - SUBSCRIBER_BITS);

/**
 * The network that an address is counted as: an IPv4 address itself, also where it is written as IPv6
 * (`::ffff:192.0.2.7`), and of an IPv6 address its subscriber's part. What is no address is `unknown`.
 */
export function networkOf(address: string): string {
  const text = bareAddress(address);
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return 'unknown';
  const groups = groupsOf(text);
  if (MAPPED.every((group, n) => groups[n] === group)) {
    const [high = 0, low = 0] = groups.slice(6);
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  const [first = 0, second = 0, third = 0, fourth = 0] = groups;
  return `${[first, second, third, fourth & OF_FOURTH_GROUP]
    .map((group) => group.toString(16))
    .join(':')}::/${SUBSCRIBER_BITS}`;
}
