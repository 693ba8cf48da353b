/**
 * How long somebody waits for the event store. A failover is over within seconds: whoever asks meanwhile
 * waits, and is not refused. Once an outage has lasted longer than anybody is let wait, the answer comes at
 * once.
 */
import { LogUnavailable, OutcomeUnknown } from '#log/event-log';
import type { StoreHealth } from '#log/store-health';
import { StoreAway } from './rejection.js';

/** The longest wait of a write. */
export const WRITE_WAITS_MS = 8_000;
/**
 * The longest wait of a read whose answer is 503 within two seconds; a store that stumbles is no outage yet.
 */
export const READ_WAITS_MS = 1_500;
const TRY_EVERY_MS = 100;

const isStoreSilent = (error: unknown): boolean =>
  error instanceof LogUnavailable || error instanceof OutcomeUnknown;

export class Patience {
  constructor(
    private readonly store: StoreHealth,
    private readonly waitsMs: number = WRITE_WAITS_MS,
  ) {}

  /**
   * Runs work that needs the event store, again where the store did not answer: it must be safe to run again.
   * Throws {@link StoreAway} after {@link WRITE_WAITS_MS}, or at once where the outage has lasted so long
   * already; what was begun then may still be done.
   */
  async for<T>(work: () => Promise<T>): Promise<T> {
    if (this.store.writesClosedForMs >= this.waitsMs) throw new StoreAway();
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        isOver = true;
        reject(new StoreAway());
      }, this.waitsMs);
    });
    const again = async (): Promise<T> => {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (!isStoreSilent(error)) throw error;
          if (isOver) throw new StoreAway({ cause: error });
          await new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS));
          if (isOver) throw new StoreAway({ cause: error });
        }
      }
    };
    try {
      return await Promise.race([again(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Runs what nobody waits long for: gives it up once it has waited for {@link READ_WAITS_MS} and the store
   * is known to answer nothing, or to take no writes; at once where that has lasted so long already. Throws
   * {@link StoreAway}.
   */
  async unlessAway<T>(what: 'reads' | 'writes', work: () => Promise<T>): Promise<T> {
    const { store } = this;
    const since = (): number | undefined => (what === 'reads' ? store.awaySince : store.writesClosedSince);
    if (since() !== undefined && store.writesClosedForMs >= READ_WAITS_MS) throw new StoreAway();
    let stop: () => void = () => undefined;
    const away = new Promise<never>((_, reject) => {
      let hasWaited = false;
      const look = (): void => {
        if (hasWaited && since() !== undefined) reject(new StoreAway());
      };
      const timer = setTimeout(() => {
        hasWaited = true;
        look();
      }, READ_WAITS_MS);
      const leave = store.onChange(look);
      stop = () => {
        clearTimeout(timer);
        leave();
      };
    });
    const working = work();
    working.catch(() => undefined);
    try {
      return await Promise.race([working, away]);
    } finally {
      stop();
    }
  }
}
