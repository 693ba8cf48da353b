/** How long to leave alone what was tried and stayed as it was. Pure. */

export interface Waits {
  readonly firstMs: number;
  /** No wait is longer. */
  readonly longestMs: number;
}

/** After so many tries in vain something is stuck, and whoever runs the workers is told. */
export const STUCK_AFTER_TRIES = 5;

const MOST_DOUBLINGS = 30;

/** How long after the n-th try in vain the next one is made: twice as long each time. */
export const backOffMs = (tries: number, { firstMs, longestMs }: Waits): number =>
  Math.min(firstMs * 2 ** Math.min(tries - 1, MOST_DOUBLINGS), longestMs);
