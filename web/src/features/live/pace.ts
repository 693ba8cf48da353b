/**
 * How often an open page reads again what changes: at once as a rule, and every two seconds while a whole
 * room tips.
 */
import type { Alert, Topic } from '#contracts/api/events-out';
import type { StreamListener } from './event-stream.js';

/** Each is half a dozen reads, of the 600 a minute that a user has for all their devices. */
const AT_ONCE = 5;
const THEN_EVERY_MS = 2000;

interface Change {
  readonly topics: readonly Topic[];
  readonly alerts: readonly Alert[];
  /** Undefined where transactions changed that are not named. */
  readonly lines: readonly string[] | undefined;
}

/** Two changes as one. It names lines only if each change of transactions named its own. */
function merged(a: Change, b: Change): Change {
  const namesAll = [a, b].every(
    ({ topics, lines }) => lines !== undefined || !topics.includes('transactions'),
  );
  return {
    topics: [...new Set([...a.topics, ...b.topics])],
    alerts: [...a.alerts, ...b.alerts],
    lines: namesAll ? [...new Set([...(a.lines ?? []), ...(b.lines ?? [])])] : undefined,
  };
}

/**
 * Tells the first changes at once; later ones, if faster than one in two seconds, merged. `stop` drops what
 * waits.
 */
export function paced(tell: StreamListener['changed']): {
  readonly changed: StreamListener['changed'];
  readonly stop: () => void;
} {
  let free = AT_ONCE;
  let since = performance.now();
  let waiting: Change | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const told = ({ topics, alerts, lines }: Change): void => {
    free -= 1;
    tell(topics, alerts, lines);
  };
  const gainFree = (): void => {
    const now = performance.now();
    free = Math.min(AT_ONCE, free + (now - since) / THEN_EVERY_MS);
    since = now;
  };
  return {
    changed: (topics, alerts, lines) => {
      const change = { topics, alerts, lines };
      gainFree();
      if (waiting !== undefined) waiting = merged(waiting, change);
      else if (free >= 1) told(change);
      else {
        waiting = change;
        timer = setTimeout(
          () => {
            gainFree();
            const all = waiting ?? change;
            waiting = undefined;
            told(all);
          },
          (1 - free) * THEN_EVERY_MS,
        );
      }
    },
    stop: () => clearTimeout(timer),
  };
}
