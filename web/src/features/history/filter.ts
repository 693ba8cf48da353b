/** The history's filter. It is stored in the page's address, so that going back and sharing a link work. */
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router-dom';
import { SEARCH_MAX } from '#contracts/plain/searched-text';
import type { TransactionFilter } from '../transactions/transactions.js';
import { beginningOf } from '../../shared/wording/months.js';

export type Kind = 'all' | 'received' | 'sent';
export type Method = NonNullable<TransactionFilter['method']>;
export type Status = NonNullable<TransactionFilter['status']>;

export interface HistoryChoice {
  readonly text: string;
  readonly kind: Kind;
  readonly method: Method | 'all';
  readonly status: Status | 'all';
  /** First and last day, `2026-11-09`; empty for no limit. */
  readonly from: string;
  readonly to: string;
}

export const NOTHING_CHOSEN: HistoryChoice = {
  text: '',
  kind: 'all',
  method: 'all',
  status: 'all',
  from: '',
  to: '',
};

const TYPES = { received: 'payment_received', sent: 'payment_sent' } as const;

/** The query for the server. An invalid day limits nothing. */
export function filterOf({ text, kind, method, status, from, to }: HistoryChoice): TransactionFilter {
  const last = beginningOf(to);
  const after = last && new Date(last.getFullYear(), last.getMonth(), last.getDate() + 1);
  return {
    ...(kind === 'all' ? {} : { type: TYPES[kind] }),
    ...(method === 'all' ? {} : { method }),
    ...(status === 'all' ? {} : { status }),
    ...(beginningOf(from) ? { from: beginningOf(from)?.toISOString() } : {}),
    // `to` is exclusive on the wire, so it is the day after the last one; after the last of the calendar
    // there is none.
    ...(after && after.getFullYear() < 10_000 ? { to: after.toISOString() } : {}),
    ...(text.trim() === '' ? {} : { search: text.trim() }),
  };
}

/** How many filters are set besides the search. */
export const limitsOf = ({ kind, method, status, from, to }: HistoryChoice): number =>
  [kind, method, status].filter((chosen) => chosen !== 'all').length +
  Number(from !== '') +
  Number(to !== '');

const KINDS: readonly Kind[] = ['received', 'sent'];
const METHODS: readonly Method[] = ['card', 'cashapp', 'balance'];
const STATUSES: readonly Status[] = ['completed', 'failed', 'refunded', 'disputed'];
const oneOf = <T extends string>(known: readonly T[], written: string | null): T | 'all' =>
  known.find((each) => each === written) ?? 'all';

/** A text that the server searches for, whatever an address says. */
const searchable = (written: string): string => written.replaceAll('\0', '').slice(0, SEARCH_MAX);

/** The filter in the address, and a function to change it. */
export function useHistoryChoice(): readonly [HistoryChoice, (change: Partial<HistoryChoice>) => void] {
  const [query, setQuery] = useSearchParams();
  const [text, kind, method, status, from, to] = [
    searchable(query.get('q') ?? ''),
    oneOf(KINDS, query.get('type')),
    oneOf(METHODS, query.get('method')),
    oneOf(STATUSES, query.get('status')),
    query.get('from') ?? '',
    query.get('to') ?? '',
  ];
  const choice = useMemo(
    () => ({ text, kind, method, status, from, to }),
    [text, kind, method, status, from, to],
  );
  const change = useCallback(
    (changed: Partial<HistoryChoice>) => {
      const names = {
        text: 'q',
        kind: 'type',
        method: 'method',
        status: 'status',
        from: 'from',
        to: 'to',
      } as const;
      setQuery(
        (now) => {
          const next = new URLSearchParams(now);
          for (const [name, value] of Object.entries(changed)) {
            const written = names[name as keyof HistoryChoice];
            if (value === '' || value === 'all') next.delete(written);
            else next.set(written, value);
          }
          return next;
        },
        { replace: true },
      );
    },
    [setQuery],
  );
  return [choice, change];
}
