/** Data from the server: a skeleton while it loads, a failure with a retry button, or the content. */
import { useEffect, useState, type ReactNode } from 'react';
import { ErrorState } from './EmptyState.js';

interface LoadedProps<T> {
  /** The result of a query hook. */
  readonly query: {
    readonly data?: T | null;
    readonly isError: boolean;
    readonly isFetching?: boolean;
    readonly refetch: () => unknown;
  };
  /** Shown while loading. */
  readonly skeleton: ReactNode;
  /** The sentence for a failed read. */
  readonly failed: string;
  /** Shown instead of an empty list. */
  readonly empty?: ReactNode;
  readonly children: (data: T) => ReactNode;
}

/**
 * A read that was answered 401 has no data and has not failed. Mostly the session has ended, and the page is
 * left; where it is not left by then, this read alone was refused.
 */
const REFUSED_AFTER_MS = 3_000;

/** Whether it was answered 401 alone. `isWithoutData`: it was answered, and there is no data. */
export function useIsRefused(isWithoutData: boolean): boolean {
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    if (!isWithoutData) return undefined;
    const timer = setTimeout(() => setRefused(true), REFUSED_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setRefused(false);
    };
  }, [isWithoutData]);
  return isRefused;
}

export function Loaded<T extends object>({
  query: { data, isError, isFetching = false, refetch },
  skeleton,
  failed,
  empty,
  children,
}: LoadedProps<T>): ReactNode {
  const isRefused = useIsRefused(data === null && !isFetching);
  if (data) return empty !== undefined && Array.isArray(data) && data.length === 0 ? empty : children(data);
  if (isError || isRefused) return <ErrorState onRetry={() => void refetch()}>{failed}</ErrorState>;
  return skeleton;
}
