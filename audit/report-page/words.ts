/** Figures and times of the report in words. Times are UTC. */
import { HOME_CURRENCY } from '../derivation/accounts.js';
import { textFromMinor } from '../reconcile/amounts.js';

/** `1284903` as `1,284,903`. */
export const count = (figure: number): string => figure.toLocaleString('en-US');

/** Each long number in a text with its thousands apart. */
export const withThousands = (text: string): string =>
  text.replace(/(?<![\w.-])\d{4,}(?![\w.-])/g, (digits) => count(Number(digits)));

/** `-52766673` as `-527,666.73`, with as many decimals as the currency has. */
export function figure(minor: number, currency: string = HOME_CURRENCY): string {
  const [, sign = '', whole = '', cents = ''] =
    /^(-?)(\d+)(\.\d+)?$/.exec(textFromMinor(minor, currency)) ?? [];
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${cents}`;
}

/** `-$527,666.73`. */
export function money(minor: number): string {
  const text = figure(minor);
  return text.startsWith('-') ? `-$${text.slice(1)}` : `$${text}`;
}

/** An amount on the axis of a chart: `$480k`, `$1.2M`, `$12.50`. */
export function axisAmount(minor: number): string {
  const sign = minor < 0 ? '-' : '';
  const dollars = Math.abs(minor) / 100;
  const short = (value: number): string => String(Math.round(value * 100) / 100);
  if (dollars >= 1_000_000) return `${sign}$${short(dollars / 1_000_000)}M`;
  if (dollars >= 10_000) return `${sign}$${short(dollars / 1000)}k`;
  return Number.isInteger(dollars) ? `${sign}$${count(dollars)}` : `${sign}$${dollars.toFixed(2)}`;
}

const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' });
const SHORT_DAY = format({ month: 'short', day: 'numeric' });
const DAY = format({ month: 'short', day: 'numeric', year: 'numeric' });
const LONG_DAY = format({ month: 'long', day: 'numeric' });
const CLOCK = format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const EXACT_CLOCK = format({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

/** `Nov 21`. */
export const shortDay = (iso: string): string => SHORT_DAY.format(new Date(iso));
/** `Nov 21, 2026`. */
const fullDay = (iso: string): string => DAY.format(new Date(iso));
/** `Nov 22, 2026, 00:04`. */
export const minuteOf = (iso: string): string => `${fullDay(iso)}, ${CLOCK.format(new Date(iso))}`;
/** `Nov 21, 2026, 21:44:07`. */
export const secondOf = (iso: string): string => `${fullDay(iso)}, ${EXACT_CLOCK.format(new Date(iso))}`;

/** `November 1 to 21, 2026`, as short as it can be said. */
export function period(from: string, to: string): string {
  const [first, last] = [from.slice(0, 10), to.slice(0, 10)];
  const year = last.slice(0, 4);
  if (first === last) return `${LONG_DAY.format(new Date(to))}, ${year}`;
  if (first.slice(0, 7) === last.slice(0, 7))
    return `${LONG_DAY.format(new Date(from))} to ${Number(last.slice(8))}, ${year}`;
  if (first.startsWith(year))
    return `${LONG_DAY.format(new Date(from))} to ${LONG_DAY.format(new Date(to))}, ${year}`;
  return `${fullDay(from)} to ${fullDay(to)}`;
}

/** `a5e09ed4…a724413f`: enough to compare two at sight. */
export const shortHash = (hash: string): string =>
  hash.length <= 20 ? hash : `${hash.slice(0, 8)}…${hash.slice(-8)}`;

/** `pay_5dk2w8…e70b`. */
export const shortId = (id: string): string => (id.length <= 24 ? id : `${id.slice(0, 10)}…${id.slice(-4)}`);

/** `41 s`, `0.3 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${(Math.round(seconds * 10) / 10).toString()} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
