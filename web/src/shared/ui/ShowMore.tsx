/** A long list in pieces: the newest first, the rest on request. */
import Button from '@mui/material/Button';
import { useState, type ReactNode } from 'react';

interface Pieces<T> {
  readonly shown: readonly T[];
  /** The button below the list; nothing once all rows are shown. */
  readonly more: ReactNode;
}

/** `size` rows at first, and with each request as many more; in any case the first `least`. */
export function usePieces<T>(all: readonly T[], size: number, least = 0): Pieces<T> {
  const [asked, setCount] = useState(size);
  const count = Math.max(asked, least);
  return {
    shown: all.slice(0, count),
    more: all.length > count && (
      <Button variant="text" fullWidth onClick={() => setCount(count + size)} style={{ marginTop: 8 }}>
        Show More
      </Button>
    ),
  };
}
