/**
 * Reads ahead while the consumer is busy and gives it all that has come, up to a limit: one event alone goes
 * at once, and a backlog goes in large batches.
 */

/** How many batches may wait: enough to keep the writer fed, little enough to keep memory bounded. */
const AHEAD = 4;

/**
 * The source's items in order, as non-empty batches of at most `limit`. An error of the source is thrown
 * after all that came before it. When the consumer leaves early, a source that waits for ever must be ended
 * by its own signal.
 */
export async function* batched<T>(source: AsyncIterable<T>, limit: number): AsyncGenerator<T[], void> {
  const waiting: T[] = [];
  let end: { error?: unknown } | undefined;
  let left = false;
  let wakeConsumer: (() => void) | undefined;
  let wakeReader: (() => void) | undefined;

  const read = async (): Promise<void> => {
    try {
      for await (const item of source) {
        if (left) return;
        waiting.push(item);
        wakeConsumer?.();
        if (waiting.length >= AHEAD * limit) await new Promise<void>((resolve) => (wakeReader = resolve));
        if (left) return;
      }
      end = {};
    } catch (error) {
      end = { error };
    }
    wakeConsumer?.();
  };
  void read();
  try {
    for (;;) {
      if (waiting.length > 0) {
        const batch = waiting.splice(0, limit);
        wakeReader?.();
        wakeReader = undefined;
        yield batch;
      } else if (end) {
        if ('error' in end) throw end.error;
        return;
      } else {
        await new Promise<void>((resolve) => (wakeConsumer = resolve));
        wakeConsumer = undefined;
      }
    }
  } finally {
    left = true;
    wakeReader?.();
  }
}
