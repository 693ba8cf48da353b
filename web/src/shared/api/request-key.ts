/**
 * The idempotency key of what a form asks for. The same form sent again after an answer was lost is the same
 * request; once the server has taken it or refused it for good, and whenever something in it changed, the
 * next one is another.
 *
 *     const request = useRequestKey('payout');
 *     try { await create({ ...written, key: request.keyFor(written) }).unwrap(); request.end(); }
 *     catch (error) { request.endIfRefused(error); }
 *
 * Under a name it is kept in the tab for a while: whoever closes the form, or loads the page again, because
 * no answer comes, and then writes the same once more, means the same. Without one it lives as long as the
 * form, for what must not be kept anywhere; so does each where the browser keeps nothing.
 */
import { useMemo, useRef } from 'react';
import { decimalFromMinor, minorFromDecimal } from '#contracts/plain/money';
import { withStorage } from './browser-storage.js';
import { isRefused } from './call.js';
import { newKey } from './idempotency.js';

export interface RequestKey {
  /** The key of this content: the one it was sent under before, or a new one. */
  readonly keyFor: (content: object) => string;
  readonly end: () => void;
  /** What never arrived, failed at the server, was not let in there, or was not confirmed, keeps its key. */
  readonly endIfRefused: (error: unknown) => void;
}

/** After this the same content is most likely meant once more. */
const STORED_MS = 15 * 60_000;

interface StoredKey {
  readonly of: string;
  readonly key: string;
}

/** `20` and `20.00` are one amount. */
function sameAmount(name: string, value: unknown): unknown {
  const read = name === 'amount' ? minorFromDecimal(value) : { problem: 'missing' };
  return 'minor' in read ? decimalFromMinor(read.minor) : value;
}

const placeOf = (name: string): string => `encore.request ${name}`;

function storedUnder(name: string): StoredKey | undefined {
  return withStorage(() => {
    const { of, key, at } = JSON.parse(sessionStorage.getItem(placeOf(name)) ?? '{}') as Partial<
      StoredKey & { at: number }
    >;
    return of !== undefined && key !== undefined && at !== undefined && Date.now() - at < STORED_MS
      ? { of, key }
      : undefined;
  }, undefined);
}

/** For a request that was sent on after its form was left for a sign-in: its key is spent. */
export function spendKey(key: string): void {
  withStorage(() => {
    for (const place of Object.keys(sessionStorage))
      if (place.startsWith(placeOf('')) && sessionStorage.getItem(place)?.includes(key))
        sessionStorage.removeItem(place);
  }, undefined);
}

export function useRequestKey(name?: string): RequestKey {
  const current = useRef<StoredKey>(undefined);
  return useMemo(() => {
    const end = () => {
      const ended = current.current;
      current.current = undefined;
      // What was closed while its answer was late may have been followed by another request.
      if (name !== undefined && storedUnder(name)?.key === ended?.key)
        withStorage(() => sessionStorage.removeItem(placeOf(name)), undefined);
    };
    return {
      keyFor: (content) => {
        const of = JSON.stringify(content, sameAmount);
        const before = current.current ?? (name === undefined ? undefined : storedUnder(name));
        const now = before?.of === of ? before : { of, key: newKey() };
        current.current = now;
        if (name !== undefined)
          withStorage(
            () => sessionStorage.setItem(placeOf(name), JSON.stringify({ ...now, at: Date.now() })),
            undefined,
          );
        return now.key;
      },
      end,
      endIfRefused: (error) => {
        if (isRefused(error)) end();
      },
    };
  }, [name]);
}
