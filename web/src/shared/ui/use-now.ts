/** The current time for labels such as "2 hours ago". */
import { useEffect, useState } from 'react';
import { byServer } from '../api/server-clock.js';

const EVERY_MS = 60_000;

/** Now in milliseconds by the server's clock, updated every minute, so that an open page stays correct. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  // What the server says of its clock may come after the first drawing.
  return byServer(nowMs);
}
