/** What is said when the event store has dropped a follower of this process: it is counted, and no outage. */
import type { Logger } from 'pino';
import type { Figures } from './figures.js';

/** Counts and notes one drop; `why` is the event store's own text. */
export function countsFollowerDrops(figures: Figures, logger: Logger): (why: string) => void {
  const drops = figures.counter(
    'encore_log_follower_drops_total',
    'Times that the event store dropped a live follower, which was subscribed again at once',
  );
  return (why) => {
    drops.inc();
    logger.info({ why }, 'the event store dropped a follower, which is subscribed again');
  };
}
