/**
 * How busy the processes of a stack were, which names a bottleneck. Read from /proc; elsewhere nothing is
 * said.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Linux counts a process's time in hundredths of a second. */
const TICK_MS = 10;

/** The processor time of each process so far and its parent; a process that ended counts no more. */
function processTimes(): Map<number, { parent: number; ms: number }> {
  const times = new Map<number, { parent: number; ms: number }>();
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
    // The name in parentheses may hold anything; what follows it is state, ppid, … utime (12th), stime
    // (13th).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    times.set(Number(entry), {
      parent: Number(fields[1]),
      ms: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    });
  }
  return times;
}

/** What a process and its children took: Postgres is many. */
function timeOf(pid: number, times: ReturnType<typeof processTimes>): number {
  let sum = 0;
  for (const [one, { parent, ms }] of times) if (one === pid || parent === pid) sum += ms;
  return sum;
}

/**
 * Measures from now on; the returned function says how much of a core each process took since: `ledger 82 %,
 * postgres 31 %`.
 */
export function watchBusy(processes: Readonly<Record<string, number>>): () => string {
  const before = processTimes();
  const ownBefore = process.cpuUsage();
  const began = performance.now();
  return () => {
    const after = processTimes();
    const took = performance.now() - began;
    const own = process.cpuUsage(ownBefore);
    const shares = Object.entries(processes).map(([name, pid]): [string, number] => [
      name,
      (timeOf(pid, after) - timeOf(pid, before)) / took,
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
