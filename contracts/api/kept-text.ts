/** Texts of bodies and queries that the log and Postgres keep. */
import { z } from 'zod';
import { withoutTurns } from '../plain/note.js';

/**
 * Whether a text can be kept. Postgres keeps any character but NUL: taken in, it would stop the projector at
 * an event that the log cannot take back. An id with it is nobody's, for Postgres would not even look for it.
 */
export const canBeKept = (text: string): boolean => !text.includes('\u0000');

/**
 * An optional text that people write: trimmed, and undefined where it is empty. `tooLong` is told of a longer
 * one.
 */
export const description = (max: number, tooLong: string) =>
  z
    .string({ error: 'The description must be text.' })
    .overwrite(withoutTurns)
    .trim()
    .max(max, tooLong)
    .refine(canBeKept, 'The description holds a character that cannot be shown.')
    .nullish()
    .transform((text) => text || undefined);
