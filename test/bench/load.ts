/**
 * Load for benches: callers that wait for their answers, and callers that come when they come. Times are in
 * milliseconds. A call that answers `false` had nothing left to call with: the load ends there, and it is not
 * counted.
 */

/** What a load did. */
export interface LoadResult {
  readonly perSecond: number;
  readonly latencies: number[];
}

/** Callers that each call again as soon as they were answered, for a while: the most that can be taken. */
export async function closedLoop(
  callers: number,
  ms: number,
  call: () => Promise<unknown>,
): Promise<LoadResult> {
  const latencies: number[] = [];
  const began = performance.now();
  const until = began + ms;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < until) {
        const at = performance.now();
        if ((await call()) === false) break;
        latencies.push(performance.now() - at);
      }
    }),
  );
  return { perSecond: (latencies.length / (performance.now() - began)) * 1000, latencies };
}

/**
 * Calls at random moments, so many a second on average, whatever became of the ones before. A call's time
 * begins when it was due, and `call` is told when that was: a stall counts for everyone who came meanwhile.
 */
export async function openLoop(
  perSecond: number,
  ms: number,
  call: (dueAt: number) => Promise<unknown>,
): Promise<LoadResult> {
  const latencies: number[] = [];
  const calls: Promise<void>[] = [];
  const began = performance.now();
  let isUsedUp = false;
  for (
    let dueAt = began;
    dueAt < began + ms && !isUsedUp;
    dueAt += (-Math.log(1 - Math.random()) * 1000) / perSecond
  ) {
    const early = dueAt - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    calls.push(
      call(dueAt).then((answered) => {
        if (answered === false) isUsedUp = true;
        else latencies.push(performance.now() - dueAt);
      }),
    );
  }
  await Promise.all(calls);
  return { perSecond: (latencies.length / (performance.now() - began)) * 1000, latencies };
}
