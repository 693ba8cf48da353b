/** Idempotency keys, and the ids that derive from them. */
import { createHash } from 'node:crypto';
import { base32, digestOf } from '#log/digest';

/** A client's clock may be so far ahead of ours. */
export const KEY_SKEW_MS = 5 * 60_000;

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Whether a client's key is of the form that we take: a UUID of version 7, which carries its time. */
export const isUuidV7 = (text: string): boolean => UUID_V7.test(text);

/** The key of what a user asks: the user and the UUIDv7 that their client made. */
export const userKey = (userId: string, uuid: string): string => `${userId}:${uuid.toLowerCase()}`;

/**
 * When the client made a user's key, in milliseconds since 1970; undefined for a key that derives from a
 * cause.
 */
export function keyTimeMs(key: string): number | undefined {
  const uuid = key.slice(key.indexOf(':') + 1);
  return isUuidV7(uuid) ? Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16) : undefined;
}

/** The key of the entry that records an object of the provider as a payment's. */
export const intentKey = (intentId: string): string => `intent:${intentId}`;

/** What the keys of entries about objects of the provider begin with; the object's id follows. */
const PROVIDER_KEYS: ReadonlySet<string> = new Set([
  'attempt',
  'settle',
  'unapplied',
  'refund',
  'refund-failed',
  'unapplied-refund',
  'unapplied-refund-failed',
  'fee',
  'dispute',
  'dispute-closed',
  'dispute-funds',
  'balance',
]);

/** Whether a key derives from the id of an object of the provider, and from nothing of ours. */
export const namesProviderObject = (key: string): boolean =>
  PROVIDER_KEYS.has(key.slice(0, key.indexOf(':')));

const KINDS = {
  pay: 'payment',
  trf: 'transfer',
  out: 'payout',
  wal: 'wallet',
  wtx: 'wallet movement',
  occ: 'occurrence',
  bnk: 'bank account',
  sub: 'subscription',
  sch: 'scheduled payment',
} as const;

/**
 * The id of what a key makes: the same key names the same payment, transfer, payout, wallet, movement or bank
 * account. 26 characters after the prefix, 130 bits.
 */
export function idFrom(kind: keyof typeof KINDS, key: string): string {
  return `${kind}_${digestOf(KINDS[kind], key)}`;
}

/** A ledger's id, from the hash of its journal's first entry. */
export const ledgerIdFrom = (firstHash: string): string =>
  `led_${base32(createHash('sha256').update(`ledger\0${firstHash}`).digest()).slice(0, 26)}`;

/**
 * Whether a text has the form of an id of this kind; what has not is nobody's, and need not be looked for.
 */
export const isIdOf = (kind: keyof typeof KINDS, text: string): boolean =>
  text.startsWith(`${kind}_`) && /^[0-9a-z]{26}$/.test(text.slice(kind.length + 1));
