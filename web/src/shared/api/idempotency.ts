/** The idempotency key of a command: the same key and body are the same request. */
import { v7 as uuidv7 } from 'uuid';
import { IDEMPOTENCY_KEY_HEADER } from '#contracts/plain/headers';

/** What a command that carries a key is called with. */
export interface KeyedRequest {
  /** The idempotency key. */
  readonly key: string;
}

/** The header of a call. */
export function idempotent(key: string): Record<string, string> {
  return { [IDEMPOTENCY_KEY_HEADER]: key };
}

/**
 * A key for a command that ends with its page. Make it when the form opens, and again after the command was
 * accepted.
 */
export const newKey = (): string => uuidv7();
