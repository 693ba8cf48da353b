/** The header `Idempotency-Key`: a UUIDv7 that the client makes and keeps before it sends. */
import { z } from 'zod';

/**
 * Version 7 only: its time says whether a repeat can be judged from memory. Letters are taken in either case.
 */
export const IdempotencyKey = z
  .string({ error: 'Send the Idempotency-Key header once.' })
  .transform((text) => text.toLowerCase())
  .pipe(z.uuidv7({ error: 'The Idempotency-Key must be a UUID of version 7.' }));
