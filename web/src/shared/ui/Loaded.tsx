/** What is read from the server: its shape while it loads, the failure with another try, or what was read. */
import type { ReactNode } from 'react';
import { ErrorState } from './EmptyState.js';

interface LoadedProps<T> {
  /** Of a query's hook. */
  readonly query: {
    readonly data?: T | null;
    readonly isError: boolean;
    readonly refetch: () => unknown;
  };
  /** While there is nothing yet. */
  readonly skeleton: ReactNode;
  /** The sentence for a read that failed. */
  readonly failed: string;
  /** In place of a list that has nothing in it. */
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
