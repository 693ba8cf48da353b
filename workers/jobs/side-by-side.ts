/**
 * Items of a pass, several at a time and within a time. One that is stuck holds up no other: what was tried
 * in vain before has few of the places, and of the rest half go to the newest, half to the oldest, so that
 * neither ever waits for the length of the list.
 */

/** Asked of the ledger at a time, by one job of one process. */
export const AT_A_TIME = 8;
/** Places of those that were tried before; the others go on from both ends. */
const RETRIED_AT_A_TIME = 2;

interface Queued<T> {
  /** Oldest first. */
  readonly fresh: readonly T[];
  /** Tried in vain before, and due again. */
  readonly retried: readonly T[];
}

/**
 * Does the work on each item until `isOver`; answers how many were left. Rejects at once with what `work`
 * throws, and takes no other item then.
 */
export async function sideBySide<T>(
  { fresh, retried }: Queued<T>,
  work: (item: T) => Promise<void>,
  isOver: () => boolean,
): Promise<number> {
  const newest = [...fresh];
  const tried = [...retried];
  let oldest = 0;
  const left = (): number => newest.length - oldest + tried.length;
  const fromOldest = (): T | undefined => (oldest < newest.length ? newest[oldest++] : undefined);
  const fromNewest = (): T | undefined => (oldest < newest.length ? newest.pop() : undefined);
  const fromTried = (): T | undefined => tried.shift();
  const orders = [
    [fromTried, fromOldest],
    [fromOldest, fromTried],
    [fromNewest, fromTried],
  ] as const;
  let isBroken = false;
  const worker = async (n: number): Promise<void> => {
    const [first, second] = n < RETRIED_AT_A_TIME ? orders[0] : orders[1 + (n % 2)]!;
    while (!isBroken && !isOver()) {
      const item = first() ?? second();
      if (item === undefined) return;
      try {
        await work(item);
      } catch (error) {
        isBroken = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_A_TIME }, (_, n) => worker(n)));
  const broken = ends.find((end) => end.status === 'rejected');
  if (broken) throw broken.reason;
  return left();
}
