/** The time that labels such as "2 hours ago" are measured from. */
import { useEffect, useState } from 'react';

const EVERY_MS = 60_000;

/** Now, in milliseconds; moves on every minute, so that a page left open does not tell an old tale. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
