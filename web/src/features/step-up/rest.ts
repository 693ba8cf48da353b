/** What is left of a time that ends: for a count-down. */
import { useEffect, useState } from 'react';

interface Rest {
  /** `4:52`. */
  readonly text: string;
  readonly hasEnded: boolean;
}

const SECOND_MS = 1000;

/** Counts from now; undefined where nothing ends. */
export function useRest(endsInMs: number | undefined): Rest | undefined {
  const [restMs, setRestMs] = useState(endsInMs);
  useEffect(() => {
    if (endsInMs === undefined) return undefined;
    // By the clock and not by the ticks: a page in the background gets few of them.
    const endsAt = performance.now() + endsInMs;
    const timer = setInterval(() => {
      const leftMs = endsAt - performance.now();
      setRestMs(leftMs);
      if (leftMs <= 0) clearInterval(timer);
    }, SECOND_MS);
    return () => clearInterval(timer);
  }, [endsInMs]);
  if (restMs === undefined) return undefined;
  const seconds = Math.max(0, Math.ceil(restMs / SECOND_MS));
  return {
    text: `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`,
    hasEnded: restMs <= 0,
  };
}
