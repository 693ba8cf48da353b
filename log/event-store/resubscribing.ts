/**
 * Following through drops. The store keeps two places of 32 events for each live subscription and ends the
 * one whose places are full: at group commit that happens many times a minute, and nothing is lost by it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { comparePositions, type Position } from '#contracts/log';
import { FollowerDropped, type SubscriptionItem } from '../event-log.js';
import type { Reading } from './reading.js';
import { followWhileHeard } from './silence.js';

/** A store that drops a follower before it has given it an event is not asked again without a pause. */
const IDLE_PAUSE_MS = { first: 10, most: 1_000 } as const;

/**
 * Like {@link followWhileHeard}, and when the store drops the subscription it is made again at once behind
 * the last event, or behind what the store has passed over since. Says `dropped` at that place.
 */
export async function* followThroughDrops(
  reading: Pick<Reading, 'follow' | 'read'>,
  after: Position,
  prefixes: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<SubscriptionItem> {
  let last = after;
  let pauseMs: number = IDLE_PAUSE_MS.first;
  for (;;) {
    const before = last;
    try {
      for await (const item of followWhileHeard(reading, last, prefixes, signal)) {
        if (item.kind === 'event') last = item.event.position;
        // What others wrote is passed over: beside a busy application there is much of it.
        else if (item.kind === 'checkpoint' && comparePositions(item.position, last) > 0)
          last = item.position;
        yield item;
      }
      return;
    } catch (error) {
      if (!(error instanceof FollowerDropped)) throw error;
      yield { kind: 'dropped', why: error.message };
    }
    if (last !== before) pauseMs = IDLE_PAUSE_MS.first;
    else {
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, IDLE_PAUSE_MS.most);
    }
  }
}
