/**
 * Reads ahead while the consumer is busy and gives it all that has come, up to a limit: one event alone goes
 * at once, and a backlog goes in large batches.
 */

/** How much may wait: enough to keep the writer fed, little enough to keep memory bounded. */
const AHEAD = { batches: 4, bytes: 16 * 1024 * 1024 } as const;

/**
 * The source's items in order, as non-empty batches of at most `limit`. While four batches or 16 MiB wait
 * (`bytesOf` says how large an item is) nothing more is read. An error of the source is thrown after all that
 * came before it. When the consumer leaves early, a source that waits for ever must be ended by its own
 * signal.
 */
export async function* batched<T>(
  source: AsyncIterable<T>,
  limit: number,
  bytesOf: (item: T) => number = () => 0,
): AsyncGenerator<T[], void> {
  const waiting: T[] = [];
  let bytes = 0;
  let end: { error?: unknown } | undefined;
  let left = false;
  let wakeConsumer: (() => void) | undefined;
  let wakeReader: (() => void) | undefined;

  const read = async (): Promise<void> => {
    try {
      for await (const item of source) {
        if (left) return;
        waiting.push(item);
        bytes += bytesOf(item);
        wakeConsumer?.();
        if (waiting.length >= AHEAD.batches * limit || bytes >= AHEAD.bytes)
          await new Promise<void>((resolve) => (wakeReader = resolve));
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
        for (const item of batch) bytes -= bytesOf(item);
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
