/** What every list can be asked, so that all are asked alike: a page of it, a time, a text. */
import { z } from 'zod';
import { SEARCH_MAX } from '../plain/searched-text.js';
import { canBeKept } from './kept-text.js';

/** The most lines that one answer holds; where the list goes on, the header X-Encore-Next-Cursor says so. */
export const LIST_MAX = 1000;

const LIMIT = `The limit is a whole number from 1 to ${LIST_MAX}.`;
const CURSOR = 'The cursor is none that this list gave out.';
const DATE = 'A date is written as 2026-03-01, or as a time such as 2026-03-01T20:00:00Z.';
const DAY_MS = 24 * 3_600_000;

const limit = z.number({ error: LIMIT }).int(LIMIT).min(1, LIMIT).max(LIST_MAX, LIMIT);
/** A number of a query, in digits alone: `Number` would read `0x10` and `1e2`, too. */
const inDigits = <T extends z.ZodType>(number: T) =>
  z.preprocess(
    (written) => (typeof written === 'string' && /^\d+$/.test(written) ? Number(written) : written),
    number,
  );
const cursor = z.string({ error: CURSOR });
const CURSOR_IS = 'What the header X-Encore-Next-Cursor of the page before said.';

/** One page; a cursor is the place of the last line, in the shape that the list gives it. */
export const page = (cursorShape = /^\d{1,15}$/) => ({
  limit: inDigits(limit.default(LIST_MAX)),
  cursor: cursor.regex(cursorShape, CURSOR).optional().describe(CURSOR_IS),
});

/**
 * The query of a list of a few lines, which is there whole unless a limit is asked for; a cursor is the id of
 * the last line.
 */
export const ShortListQuery = z.object({
  limit: inDigits(limit).optional(),
  cursor: cursor.max(100, CURSOR).optional().describe(CURSOR_IS),
});
export type ShortListQuery = z.infer<typeof ShortListQuery>;

/**
 * A day, or a moment, as a time; of a day as the end of a range its last moment counts: the next day is the
 * exclusive end.
 */
const timeFrom = (isEnd: boolean) =>
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], { error: DATE })
    .transform((written) => new Date(Date.parse(written) + (isEnd && written.length === 10 ? DAY_MS : 0)))
    .optional();

/** From one day or moment to another. `what`: of what of a line, such as "requested". */
export const timeRange = (what: string) => ({
  from: timeFrom(false).describe(`Nothing ${what} before this day (UTC) or moment.`),
  to: timeFrom(true).describe(`Nothing ${what} after this day (UTC), or from this moment on.`),
});

/** A text that is looked for anywhere in what a line shows. `where`: in what. */
export const search = (where: string) =>
  z
    .string({ error: 'Send search once.' })
    .trim()
    .max(SEARCH_MAX, `A search has at most ${SEARCH_MAX} characters.`)
    .refine(canBeKept, 'The search holds a character that nothing was written with.')
    .transform((text) => text || undefined)
    .optional()
    .describe(`Only lines whose ${where} holds this text.`);

/** What of a list is asked for, in the words of reads. */
export interface ListRequest {
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly cursor?: string | undefined;
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
  /** Only lines that hold this text, in either case of its letters. */
  readonly text?: string | undefined;
}

/** The request that a query makes. */
export function listRequestOf<
  Q extends { readonly to?: Date | undefined; readonly search?: string | undefined },
>({ to: until, search: text, ...rest }: Q): Omit<Q, 'to' | 'search'> & Pick<ListRequest, 'until' | 'text'> {
  return { ...rest, until, text };
}

/** One page of a list. */
export interface Page<Line> {
  readonly lines: readonly Line[];
  /** The cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
}
