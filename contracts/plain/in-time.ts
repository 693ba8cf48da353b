/** Waiting for something, but not for long. */

/**
 * What `work` comes to within so many milliseconds, or else `otherwise`; the work goes on. Throws what it
 * throws in time.
 */
export async function inTime<T>(withinMs: number, work: T | Promise<T>, otherwise: T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, withinMs, otherwise);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
