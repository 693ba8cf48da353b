/** How busy the processes of a stack were, which names a bottleneck. Read from /proc; elsewhere nothing is said. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Linux counts a process's time in hundredths of a second. */
const TICK_MS = 10;

/** The processor time of each process group so far, in milliseconds. */
function groupTimes(): Map<number, number> {
  const times = new Map<number, number>();
  if (!existsSync('/proc/self/stat')) return times;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    let stat: string;
    try {
      stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
    } catch {
      // It ended while we looked.
      continue;
    }
    // The name in parentheses may hold anything; what follows it is state, ppid, pgrp … utime (12th), stime (13th).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const group = Number(fields[2]);
    times.set(group, (times.get(group) ?? 0) + (Number(fields[11]) + Number(fields[12])) * TICK_MS);
  }
  return times;
}

/** Measures from now on; the returned function says how much of a core each group took since: `ledger 82 %, postgres 31 %`. */
export function watchBusy(groups: Readonly<Record<string, number>>): () => string {
  const before = groupTimes();
  const ownBefore = process.cpuUsage();
  const began = performance.now();
  return () => {
    const after = groupTimes();
    const took = performance.now() - began;
    const own = process.cpuUsage(ownBefore);
    const shares = Object.entries(groups).map(([name, group]): [string, number] => [
      name,
      ((after.get(group) ?? 0) - (before.get(group) ?? 0)) / took,
    ]);
    shares.push(['callers', (own.user + own.system) / 1000 / took]);
    return after.size === 0
      ? ''
      : shares
          .filter(([, share]) => share >= 0.05)
          .sort(([, a], [, b]) => b - a)
          .map(([name, share]) => `${name} ${Math.round(share * 100)} %`)
          .join(', ');
  };
}
