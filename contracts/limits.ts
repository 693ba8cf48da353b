/**
 * Every limit in one table: what it counts, within which time, and how many there may be. Chosen so that a
 * gig with 300 payers behind one address meets none of them. The setting LIMITS changes the numbers, never
 * the times; a limit refuses what is new, and what a log holds already stays valid. Docs/reference/limits.md
 * is made from this table.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Which part of the ledger counts: requests and declines in Redis; money, wallets and schedules in the log.
 */
export type CountedIn = 'requests' | 'declines' | 'log';

interface Limit {
  readonly what: string;
  readonly countedIn: CountedIn;
  /** How many, unless LIMITS says otherwise; whole dollars where `what` says so. */
  readonly most: number;
}
/** One that holds within a time, in milliseconds; others hold at any time. */
interface LimitInTime extends Limit {
  readonly withinMs: number;
}
const limit = (countedIn: CountedIn, what: string, most: number): Limit => ({ what, countedIn, most });
const within = (countedIn: CountedIn, what: string, most: number, withinMs: number): LimitInTime => ({
  ...limit(countedIn, what, most),
  withinMs,
});
const requests = (what: string, most: number, withinMs: number) => within('requests', what, most, withinMs);
const declines = (what: string, most: number, withinMs: number) => within('declines', what, most, withinMs);

export const LIMITS = {
  'read-user': requests('reads of one signed-in user', 600, MINUTE),
  'read-address': requests('reads from one address', 9_000, MINUTE),
  'change-user': requests('changes by one signed-in user', 120, MINUTE),
  'change-address': requests('changes from one address', 3_000, MINUTE),
  'pay-user': requests('payments that one user starts, or looks into', 60, MINUTE),
  'pay-address': requests('payments that are started from one address, or looked into', 1_500, MINUTE),
  'person-user': requests('people whom one user looks up by id', 60, MINUTE),
  'person-address': requests('people who are looked up by id from one address', 1_500, MINUTE),
  'look-up-user': requests(
    'people whom one user looks up by e-mail address, phone number or name, and handles that they try',
    6,
    MINUTE,
  ),
  'look-up-user-day': requests('the same in a day', 100, DAY),
  'look-up-address': requests(
    'people who are looked up so, and handles that are tried, from one address',
    30,
    MINUTE,
  ),
  'look-up-address-day': requests('the same in a day', 2_000, DAY),
  'sign-in-address': requests('steps of signing in and out from one address', 1_500, MINUTE),
  'events-user': requests('event streams that one user opens', 60, MINUTE),
  'events-address': requests('event streams that are opened from one address', 3_000, MINUTE),
  'card-user': requests('cards that one user begins to save', 10, 10 * MINUTE),
  'card-address': requests('cards that are begun to be saved from one address', 300, 10 * MINUTE),
  'paper-user': requests('PDFs that one user has made: statements, and posters of a tip page', 20, MINUTE),
  'paper-address': requests('PDFs that are made for one address', 600, MINUTE),
  'picture-user': requests('pictures that one user uploads', 10, 10 * MINUTE),
  'picture-address': requests('pictures that are uploaded from one address', 300, 10 * MINUTE),
  'pass-user': requests('wallet passes that one user has made', 20, MINUTE),
  'pass-address': requests('wallet passes that are made for one address', 600, MINUTE),
  // A download is asked for once more when it has been confirmed.
  'download-user': requests('downloads of their own data that one user asks for', 10, 10 * MINUTE),
  'download-address': requests('downloads that are asked for from one address', 100, 10 * MINUTE),
  'signed-out-address': requests('calls without a session from one address', 1_500, MINUTE),
  'tip-page-address': requests('public tip pages and receipts that one address opens', 6_000, MINUTE),
  'guest-pay-address': requests(
    'calls of guests from one address that start or end payments, or forget the guest',
    900,
    10 * MINUTE,
  ),
  'guest-receipt-address': requests('receipts that guests have mailed from one address', 60, 10 * MINUTE),
  'guest-receipt-mailbox': requests(
    'receipts of guests, and thanks to them, that are mailed to one e-mail address',
    5,
    DAY,
  ),
  'guest-receipt-payment': requests('receipts of one guest’s payment that are mailed, to whomever', 5, DAY),
  'webhook-address': requests(
    'webhooks without a valid signature from one address; signed ones are never limited',
    60,
    MINUTE,
  ),
  'payment-declines': limit(
    'declines',
    'declines of one payment: it is then canceled at the card provider',
    5,
  ),
  'payer-declines': declines('declines of one payer', 10, 10 * MINUTE),
  'payer-declines-day': declines('the same in a day', 30, DAY),
  'card-declines': declines('declines of one card, whoever uses it', 6, 10 * MINUTE),
  'card-declines-day': declines('the same in a day', 12, DAY),
  'address-declines': declines(
    'declines behind one address, where they are more than the payments that went through',
    40,
    10 * MINUTE,
  ),
  'address-declines-day': declines('the same in a day', 150, DAY),
  'performer-declines': declines(
    'declines of payments to one performer, two of each card and ten of each address, where they are more than the payments that went through',
    30,
    10 * MINUTE,
  ),
  'performer-declines-day': declines('the same in a day', 150, DAY),
  'unpaid-address': declines(
    'payments started from one address and not paid, where they are more than those that were',
    300,
    10 * MINUTE,
  ),
  'unpaid-address-day': declines('the same in a day', 1_000, DAY),
  wallets: limit('log', 'treasury wallets that one user has open', 25),
  'wallets-day': within('log', 'treasury wallets that one user opens', 20, DAY),
  handles: limit('log', 'handles that one user ever claims', 5),
  'unpaid-payments': within('log', 'payments that one user has started and not paid', 60, HOUR),
  'tips-without-proof': within(
    'log',
    'whole dollars that one user tips by saved cards and from the balance without a proof, together',
    50,
    DAY,
  ),
  subscriptions: limit('log', 'subscriptions of one payer that are active or paused', 50),
  'scheduled-payments': limit('log', 'payments that one payer has scheduled ahead', 100),
  'scheduled-dollars': limit('log', 'whole dollars that one payer has scheduled ahead, together', 1_000_000),
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;
export const LIMIT_NAMES = Object.keys(LIMITS) as readonly LimitName[];

/** The numbers that hold: Infinity where a limit is switched off. */
export type Limits = Readonly<Record<LimitName, number>>;

export const DEFAULT_LIMITS: Limits = Object.fromEntries(
  LIMIT_NAMES.map((name) => [name, LIMITS[name].most]),
) as Record<LimitName, number>;

/** Within which time a limit counts, in milliseconds; undefined for one that holds at any time. */
export const withinMsOf = (name: LimitName): number | undefined =>
  (LIMITS[name] as Limit & Partial<LimitInTime>).withinMs;

const isLimit = (name: string): name is LimitName => Object.hasOwn(LIMITS, name);

/**
 * The numbers as a setting changes them: `wallets=40 look-up-user=10 pass-user=off`, apart by spaces or
 * commas. Answers a sentence for a text that is none.
 */
export function limitsFrom(text: string): Limits | { readonly problem: string } {
  const limits: Record<LimitName, number> = { ...DEFAULT_LIMITS };
  for (const part of text.split(/[\s,]+/).filter(Boolean)) {
    const [, name = '', number = ''] = /^([^=]*)=(.*)$/.exec(part) ?? [];
    if (!isLimit(name)) return { problem: `"${part}" names no limit; write them as wallets=40` };
    if (number !== 'off' && !/^[1-9]\d{0,8}$/.test(number))
      return { problem: `"${part}" must have a whole number above 0, or off` };
    limits[name] = number === 'off' ? Infinity : Number(number);
  }
  return limits;
}

/** A time to wait as people say it: `40 seconds`, `20 minutes`, `3 hours`; never too short. */
export function aboutTime(ms: number): string {
  const [unit, length] =
    ms <= 90 * SECOND ? ['second', SECOND] : ms <= 90 * MINUTE ? ['minute', MINUTE] : ['hour', HOUR];
  const count = Math.max(1, Math.ceil(ms / (length as number)));
  return `${count} ${unit as string}${count === 1 ? '' : 's'}`;
}
