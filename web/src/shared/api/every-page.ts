/** Reads all pages of a list. */
import type { QueryReturnValue } from '@reduxjs/toolkit/query';
import type { Call, CallError, CallMeta } from './call.js';

type PageCall = (
  page: Call,
) =>
  | PromiseLike<QueryReturnValue<unknown, CallError, CallMeta>>
  | QueryReturnValue<unknown, CallError, CallMeta>;

const pathOf = (list: string, cursor: string | undefined): string =>
  cursor === undefined ? list : `${list}${list.includes('?') ? '&' : '?'}${new URLSearchParams({ cursor })}`;

/**
 * Reads page after page; null if nobody is signed in, or if what is answered is no list. Fails if any page
 * fails: no row is left out silently.
 */
export async function everyPage<Row>(
  call: PageCall,
  list: string,
  rowOf: (row: unknown) => Row,
): Promise<QueryReturnValue<Row[] | null, CallError, CallMeta>> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  for (;;) {
    const { data, error, meta } = await call(pathOf(list, cursor));
    if (error) return { error, meta };
    if (!Array.isArray(data)) return { data: null, meta };
    rows.push(...data.map(rowOf));
    cursor = meta?.nextCursor;
    if (cursor === undefined) return { data: rows, meta };
  }
}
