/** The end of the loaded rows: loads more when it comes into view, and reports a failure. */
import Button from '@mui/material/Button';
import { useEffect, useRef } from 'react';
import { ErrorState } from '../../shared/ui/EmptyState.js';
import { RowSkeletons } from '../../shared/ui/Rows.js';

interface MoreRowsProps {
  /** What the rows are, in the plural. */
  readonly of?: string;
  readonly isLoading: boolean;
  readonly hasFailed: boolean;
  readonly onMore: () => void;
}

export function MoreRows({ of = 'transactions', isLoading, hasFailed, onMore }: MoreRowsProps) {
  const place = useRef<HTMLDivElement>(null);
  const isWaiting = !isLoading && !hasFailed;
  useEffect(() => {
    // Browsers without IntersectionObserver have the button.
    if (!isWaiting || !place.current || typeof IntersectionObserver === 'undefined') return undefined;
    const observer = new IntersectionObserver(
      (seen) => seen.some(({ isIntersecting }) => isIntersecting) && onMore(),
      {
        rootMargin: '600px',
      },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isWaiting, onMore]);
  if (hasFailed) return <ErrorState onRetry={onMore}>Earlier {of} could not be loaded.</ErrorState>;
  if (isLoading) return <RowSkeletons count={2} label={`Loading earlier ${of}`} />;
  return (
    <div ref={place}>
      <Button variant="outlined" fullWidth onClick={onMore}>
        Show earlier
      </Button>
    </div>
  );
}
