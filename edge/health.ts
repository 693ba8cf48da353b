/** How a process says how it is: the same answers on every port that is asked. */

/** Alive: the event loop turns. */
export const ALIVE = { alive: true } as const;

/** Whether a process can serve. */
export interface Ready {
  readonly ready: boolean;
  /** True where it serves and something is amiss all the same. */
  readonly degraded?: boolean;
  /** Each thing that is amiss, in a sentence. */
  readonly reasons: readonly string[];
}

/** Ready, unless there is a reason against it. */
export const readyUnless = (reasons: readonly string[]): Ready => ({ ready: reasons.length === 0, reasons });

const ASK_INSIDE = 'What is amiss is told on this host, and to who shows METRICS_TOKEN.';

/** The same for whoever may not read figures: whether it serves, and nothing of what is inside. */
export const withoutReasons = <R extends Ready>(how: R): R => ({
  ...how,
  reasons: how.reasons.length === 0 ? [] : [ASK_INSIDE],
});

/** Anybody may ask: however many do at once, the stores are asked once. */
export function askedOnce<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => (underWay ??= ask().finally(() => (underWay = undefined)));
}
