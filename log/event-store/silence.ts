/**
 * Finding a subscription that has fallen silent while the node that gives it answers everything else: its end
 * got lost on the way, or the store gives it nothing more. Nothing but the log itself can tell that from a
 * log in which nothing happens.
 */
import { comparePositions, type Position } from '#contracts/log';
import { LogUnavailable, type SubscriptionItem } from '../event-log.js';
import type { Reading } from './reading.js';

/**
 * How often a follower that is given nothing looks whether there is something: what is found twice did not
 * come.
 */
const LOOK_EVERY_MS = 2_000;

/**
 * Like {@link Reading.follow}, and throws {@link LogUnavailable} where the log holds an event for this
 * follower that it was not given between two looks.
 */
export async function* followWhileHeard(
  reading: Pick<Reading, 'follow' | 'read'>,
  after: Position,
  prefixes: readonly string[],
  signal: AbortSignal,
  lookEveryMs = LOOK_EVERY_MS,
): AsyncGenerator<SubscriptionItem> {
  // Ends this subscription only; what ends the follower is one reason for it among others.
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  if (signal.aborted) return;
  signal.addEventListener('abort', leave, { once: true });

  let seen = after;
  let isWaiting = true;
  let given = 0;
  /** How much had been given at the look before, and at the look that found more in the log. */
  let givenBefore = -1;
  let givenWhenFound = -1;
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (!isWaiting || given !== givenBefore) {
      givenBefore = given;
      return;
    }
    const asked = given;
    for await (const { stream, position } of reading.read({ from: seen })) {
      if (asked !== given || leaving.signal.aborted) return;
      if (comparePositions(position, seen) <= 0) continue;
      if (prefixes.some((prefix) => stream.startsWith(prefix))) {
        if (givenWhenFound === asked) leave();
        givenWhenFound = asked;
        return;
      }
      seen = position;
    }
  };
  const watch = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    // A store that does not answer is found out by those who watch the store.
    void look()
      .catch(() => undefined)
      .finally(() => (isLooking = false));
  }, lookEveryMs);

  try {
    for await (const item of reading.follow(after, prefixes, leaving.signal)) {
      given += 1;
      if (item.kind === 'event') seen = item.event.position;
      // A store may tell of a place before what it has given since.
      else if (item.kind === 'checkpoint' && comparePositions(item.position, seen) > 0) seen = item.position;
      isWaiting = false;
      yield item;
      isWaiting = true;
    }
  } catch (error) {
    // A subscription that we leave says no more than that it was cancelled.
    if (signal.aborted || !leaving.signal.aborted) throw error;
  } finally {
    clearInterval(watch);
    signal.removeEventListener('abort', leave);
    leave();
  }
  if (!signal.aborted) throw new LogUnavailable('The subscription fell silent, and the log has more');
}
