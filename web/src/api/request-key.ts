/**
 * The idempotency key of what a form asks for. The same form sent again after an answer was lost is the same request; once the
 * server has taken it or refused it for good, and whenever something in it changed, the next one is another.
 *
 *     const request = useRequestKey();
 *     try { await create({ ...written, key: request.keyFor(written) }).unwrap(); request.end(); }
 *     catch (error) { request.endIfRefused(error); }
 */
import { useMemo, useRef } from 'react';
import { isCallError } from './call.js';
import { newKey } from './idempotency.js';

export interface RequestKey {
  /** The key of this content: the one it was sent under before, or a new one. */
  readonly keyFor: (content: object) => string;
  readonly end: () => void;
  /** What never arrived, or failed at the server, keeps its key. */
  readonly endIfRefused: (error: unknown) => void;
}

export function useRequestKey(): RequestKey {
  const current = useRef<{ readonly of: string; readonly key: string }>(undefined);
  return useMemo(() => {
    const end = () => {
      current.current = undefined;
    };
    return {
      keyFor: (content) => {
        const of = JSON.stringify(content);
        if (current.current?.of !== of) current.current = { of, key: newKey() };
        return current.current.key;
      },
      end,
      endIfRefused: (error) => {
        if (isCallError(error) && error.status >= 400 && error.status < 500) end();
      },
    };
  }, []);
}
