/** A long list in pieces: the newest first, the rest on request. */
import Button from '@mui/material/Button';
import { useState, type ReactNode } from 'react';

interface Pieces<T> {
  readonly shown: readonly T[];
  /** The button below the list; nothing once all rows are shown. */
  readonly more: ReactNode;
}

export function usePieces<T>(all: readonly T[], size: number): Pieces<T> {
  const [count, setCount] = useState(size);
  return {
    shown: all.slice(0, count),
    more: all.length > count && (
      <Button variant="text" fullWidth onClick={() => setCount(count + size)} style={{ marginTop: 8 }}>
        Show More
      </Button>
    ),
  };
}
