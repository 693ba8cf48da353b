/** Lists as they are answered: a page of lines, and the header that tells of the next one. */
import type { FastifyReply } from 'fastify';
import { NEXT_CURSOR_HEADER } from '#contracts/plain/headers';
import type { Page, ShortListQuery } from '#contracts/api/lists';
import { Refusal } from './refusal.js';

/** The lines of a page; the reply says where the next one begins. */
export function answered<Line>(reply: FastifyReply, { lines, next }: Page<Line>): readonly Line[] {
  if (next !== undefined) reply.header(NEXT_CURSOR_HEADER, next);
  return lines;
}

/**
 * One page of a list that was read whole. Throws a {@link Refusal} (400) for a cursor that names no line of
 * it.
 */
export function pageOfWhole<Line extends { readonly id: string }>(
  whole: readonly Line[],
  { limit = whole.length, cursor }: ShortListQuery,
): Page<Line> {
  const before = cursor === undefined ? -1 : whole.findIndex(({ id }) => id === cursor);
  // Beginning anywhere else would repeat lines or leave some out.
  if (cursor !== undefined && before === -1)
    throw new Refusal(400, 'The cursor names nothing in this list now. Please read it from its beginning.');
  const rest = whole.slice(before + 1);
  const lines = rest.slice(0, limit);
  return { lines, next: rest.length > limit ? lines.at(-1)?.id : undefined };
}
