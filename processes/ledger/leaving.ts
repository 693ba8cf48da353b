/**
 * How a ledger leaves its callers: its ports stay open, with word to come by another connection next time,
 * until nobody has asked anything for a moment. A proxy that has not noticed yet may be sending a request on
 * a connection at the very time when it is closed, and could not send a command a second time.
 */

/** Without a request for so long the callers are gone. */
const QUIET_MS = 250;
/** A proxy has noticed long before; whoever goes on asking does not hold up the end. */
const AT_MOST_MS = 3_000;
const LOOK_EVERY_MS = 50;

export class Callers {
  #lastAt = Number.NEGATIVE_INFINITY;

  /** `clock` is milliseconds that only rise. */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  /** A request was answered; questions about the process itself are none. */
  answered(route: string): void {
    if (!route.endsWith('/readyz') && !route.endsWith('/healthz')) this.#lastAt = this.clock();
  }

  /** Resolves once nobody has asked for a moment, and after some seconds in any case. */
  async gone(): Promise<void> {
    const began = this.clock();
    while (this.clock() - Math.max(began, this.#lastAt) < QUIET_MS && this.clock() - began < AT_MOST_MS)
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
