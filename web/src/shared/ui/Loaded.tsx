/** Data from the server: a skeleton while it loads, a failure with a retry button, or the content. */
import type { ReactNode } from 'react';
import { ErrorState } from './EmptyState.js';

interface LoadedProps<T> {
  /** The result of a query hook. */
  readonly query: {
    readonly data?: T | null;
    readonly isError: boolean;
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

export function Loaded<T extends object>({
  query: { data, isError, refetch },
  skeleton,
  failed,
  empty,
  children,
}: LoadedProps<T>): ReactNode {
  if (data) return empty !== undefined && Array.isArray(data) && data.length === 0 ? empty : children(data);
  return isError ? <ErrorState onRetry={() => void refetch()}>{failed}</ErrorState> : skeleton;
}
