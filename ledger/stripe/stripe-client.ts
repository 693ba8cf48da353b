/**
 * The card provider's client and what every use of it needs: how "not now" is told from "no", and how a thing
 * is made once although requests fail, repeat and race. Only files of this folder import `stripe`.
 */
import Stripe from 'stripe';
import { Unavailable } from '../rejection.js';
import { readable, UnreadableAnswer, type ReadableKind } from './answers.js';
import type { CallLimiter } from './call-limiter.js';
import { LimitedHttpClient } from './limited-client.js';
import { ProviderRefused } from './provider-payment.js';
import { claimsAccountGone, isInUse, isMissing, NO_METHOD, refusalOf, type OnRefusal } from './refusals.js';

export interface StripeAccess {
  readonly secretKey: string;
  /** Unset: Stripe itself. */
  readonly apiUrl: string | undefined;
  /** Throws Unavailable as long as the provider is not to be asked for anything. */
  readonly assertProven?: () => void;
  /** Throws Unavailable as long as no money may be moved there by ourselves. */
  readonly assertMayMove?: () => void;
  readonly onRefusal?: OnRefusal;
  /** Nobody waits on a screen: slow answers are waited for, and outages of half a minute sat through. */
  readonly isPatient?: boolean;
  /** Shares the provider's calls out; without it, they are made as they come. */
  readonly limiter?: CallLimiter;
}

const TIMEOUT_MS = 15_000;
const NETWORK_RETRIES = 2;
const PATIENT_TIMEOUT_MS = 60_000;
/** Up to five seconds apart: 27 seconds in all. */
const PATIENT_NETWORK_RETRIES = 8;
/** The provider may drop an idempotency key after 24 hours; before that, making it again finds it. */
export const KEYS_LAST_MS = 23 * 60 * 60_000;
export const CLOCK_SKEW_MS = 10 * 60_000;
/** Keys tried for one thing, over all its requests, and failures that one request sits through. */
const KEYS = 20;
const FAILURES = 2;
/** Waits for another request under the same key, each longer than the last. */
const WAITS = 8;
const WAIT_MS = 50;
export const PAGE = 100;

export function openStripe({ secretKey, apiUrl, limiter, isPatient = false }: StripeAccess): Stripe {
  const api = apiUrl === undefined ? undefined : new URL(apiUrl);
  return new Stripe(secretKey, {
    timeout: isPatient ? PATIENT_TIMEOUT_MS : TIMEOUT_MS,
    maxNetworkRetries: isPatient ? PATIENT_NETWORK_RETRIES : NETWORK_RETRIES,
    telemetry: false,
    ...(limiter && { httpClient: new LimitedHttpClient(limiter) }),
    ...(api && {
      host: api.hostname,
      port: api.port || (api.protocol === 'https:' ? 443 : 80),
      protocol: api.protocol === 'https:' ? 'https' : 'http',
    }),
  });
}

const BUSY =
  'More payments are being made at this moment than the card provider takes. Please try again in a few seconds.';

/** More calls wait than the provider takes in a second. Nothing was done: the same may be asked again. */
class ProviderBusy extends Unavailable {
  override readonly name = 'ProviderBusy';
  override readonly answer = { status: 503, message: BUSY, retryAfterSeconds: 3 };
  constructor(options?: ErrorOptions) {
    super(BUSY, options);
  }
}

const OUTAGE = 'The card provider is not answering right now. Please try again in a moment.';

/**
 * Runs a call and tells "not now" from "no", see refusals.ts: throws Unavailable for what says nothing of
 * what was asked, or {@link ProviderRefused} with this sentence.
 */
export async function translatingRefusals<T>(
  work: () => Promise<T>,
  refused: string,
  { assertProven, onRefusal }: Pick<StripeAccess, 'assertProven' | 'onRefusal'> = {},
): Promise<T> {
  try {
    assertProven?.();
    return await work();
  } catch (error) {
    if (error instanceof UnreadableAnswer) alarmUnreadable({ onRefusal }, error);
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    if (error instanceof Error) onRefusal?.(refusal, error);
    if (error instanceof Stripe.errors.StripeRateLimitError) throw new ProviderBusy({ cause: error });
    if (refusal.kind === 'outage') throw new Unavailable(OUTAGE, { cause: error });
    throw new ProviderRefused(refused, { cause: error, refusal });
  }
}

/**
 * Makes something under a key. Under one key the provider repeats even its own failures and what it refused
 * for a fault of ours, so after one comes the next key, in an order that every request for this thing walks
 * alike. What a failed request has made is looked up first.
 */
export async function madeOnce<T>(
  key: string,
  make: (idempotencyKey: string) => Promise<T>,
  lookUp: () => Promise<T | undefined>,
): Promise<T> {
  for (let n = 0, failures = 0; ; n++) {
    try {
      return await madeUnder(n === 0 ? key : `${key}-${n}`, make);
    } catch (error) {
      // A key of before, under which the same thing was asked for in other words, is as good as used up.
      const isOtherRequest = error instanceof Stripe.errors.StripeIdempotencyError && !isInUse(error);
      const isUsedUp = isOtherRequest || isRepeatedFault(error);
      if ((!isFailure(error) && !isUsedUp) || n === KEYS) throw error;
      if (!isUsedUp && !isRepeated(error)) failures++;
      const found = await lookUp();
      if (found !== undefined) return found;
      if (failures === FAILURES) throw error;
    }
  }
}

/** One key. While another request under it is being answered, that answer is waited for: it is ours too. */
async function madeUnder<T>(key: string, make: (idempotencyKey: string) => Promise<T>): Promise<T> {
  for (let waits = 1; ; waits++) {
    try {
      return await make(key);
    } catch (error) {
      if (!isInUse(error) || waits > WAITS) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS * waits));
    }
  }
}

/**
 * The provider answered that it broke; as against a connection that did, under which the same key is safe and
 * right.
 */
const isFailure = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeError && (error.statusCode ?? 0) >= 500;

const isRepeated = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && error.headers?.['idempotent-replayed'] === 'true';

/** What was refused under this key before, for a fault that may be mended by now. */
function isRepeatedFault(error: unknown): boolean {
  const refusal = isRepeated(error) ? refusalOf(error) : undefined;
  return refusal?.kind === 'our-fault' || refusal?.code === NO_METHOD;
}

export const isoFrom = (seconds: number): string => new Date(seconds * 1000).toISOString();

/**
 * Whether the provider shows that a connected account is not there any more, or not for us: it answers for
 * our own account, and says of this one that there is none. A key that may not see accounts proves nothing.
 */
export async function isAccountGone(stripe: Stripe, connectAccountId: string): Promise<boolean> {
  await stripe.accounts.retrieveCurrent();
  try {
    const account: { deleted?: unknown } = await stripe.accounts.retrieve(connectAccountId);
    return account.deleted === true;
  } catch (error) {
    if (claimsAccountGone(error) || isMissing(error)) return true;
    throw error;
  }
}

/** Alarms of an answer that cannot be read. */
export const alarmUnreadable = (
  { onRefusal }: Pick<StripeAccess, 'onRefusal'>,
  error: UnreadableAnswer,
): void => onRefusal?.({ kind: 'unreadable', code: error.object }, error);

/**
 * What of a list can be read, page after page. One object that cannot be read is told to `left`, and keeps
 * nothing else out: the list has it each time. Throws {@link UnreadableAnswer} where the list itself is none.
 */
export async function* readableOf<T>(
  object: ReadableKind,
  pages: AsyncIterable<T>,
  left: (error: UnreadableAnswer) => void,
): AsyncGenerator<T> {
  const items = pages[Symbol.asyncIterator]();
  const assertGoesOn = listThatGoesOn();
  for (;;) {
    const next = await nextOf(items);
    if (next.done) return;
    assertGoesOn(next.value);
    const item = readableOr(left, () => readable(object, next.value));
    if (item !== undefined) yield item;
  }
}

/**
 * Looks at each object of a list. Throws {@link UnreadableAnswer} where the list begins anew: pages that say
 * that there is more, and are the first one again, would never end.
 */
function listThatGoesOn(): (item: unknown) => void {
  let first: unknown;
  return (item) => {
    const id = typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined;
    if (id !== undefined && id === first) throw new UnreadableAnswer('list', 'has_more', '');
    first ??= id;
  };
}

/** What was read, or undefined: one object that cannot be read keeps nothing else out. */
export function readableOr<T>(left: (error: UnreadableAnswer) => void, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error;
    left(error);
    return undefined;
  }
}

/** The SDK says so in an error of no class where a list is none. */
async function nextOf<T>(items: AsyncIterator<T>): Promise<IteratorResult<T, unknown>> {
  try {
    return await items.next();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) throw error;
    throw new UnreadableAnswer('list', 'data', '', { cause: error });
  }
}

/** A list of the provider's, page after page, as one. Throws {@link UnreadableAnswer}. */
export async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  const assertGoesOn = listThatGoesOn();
  try {
    for await (const item of pages) {
      if (typeof item !== 'object' || item === null) throw new UnreadableAnswer('list', 'data', '');
      assertGoesOn(item);
      items.push(item);
    }
  } catch (error) {
    // The SDK says so in an error of no class where a list is none.
    if (error instanceof Stripe.errors.StripeError || error instanceof UnreadableAnswer) throw error;
    throw new UnreadableAnswer('list', 'data', '', { cause: error });
  }
  return items;
}
