/** Declines counted within a spec: by the limits that hold, or with some of them changed. */
import { DEFAULT_LIMITS, LIMIT_NAMES, LIMITS, type Limits } from '#contracts/limits';
import { LimitCounts, OwnCounter } from '#ledger/limits/counter';
import { Declines } from '#ledger/limits/declines';

/** Declines of which nobody is stopped: for suites that are not about them. */
export const UNLIMITED_DECLINES: Partial<Limits> = Object.fromEntries(
  LIMIT_NAMES.filter((name) => LIMITS[name].countedIn === 'declines').map((name) => [name, Infinity]),
);

export function declinesWith(own: Partial<Limits> = {}, now?: () => number): Declines {
  const networks = new Map<string, string>();
  return new Declines(
    new LimitCounts({
      counter: new OwnCounter(1, now),
      limits: { ...DEFAULT_LIMITS, ...own },
      secret: Buffer.alloc(32),
    }),
    {
      keep: (paymentId, network) => {
        const isNew = !networks.has(paymentId);
        networks.set(paymentId, network);
        return Promise.resolve(isNew);
      },
      of: (paymentId) => Promise.resolve(networks.get(paymentId)),
    },
    now,
  );
}
