/** A long list a piece at a time: the newest first, and the rest when it is asked for. */
import Button from '@mui/material/Button';
import { useState, type ReactNode } from 'react';

interface Pieces<T> {
  readonly shown: readonly T[];
  /** Below the list; nothing once all of it is there. */
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
