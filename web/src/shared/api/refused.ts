/** A list that was refused alone, though its reader is signed in. */
import type { CallError } from './call.js';

/** Of a read that was answered 401 where null would stand for an empty list. */
export const REFUSED: CallError = {
  status: 401,
  message: '401: Unauthorized',
  sentence: undefined,
  code: undefined,
};
