/** When the last epoch of the log began: what was made before it has been looked at by a recovery. */
import { JOURNAL } from '#contracts/events/journal';
import type { EventLog } from '#log/event-log';
import type { Epoch } from '../journal/state.js';

/** In milliseconds since 1970; undefined for a log without an epoch. Throws LogUnavailable. */
export async function epochBeganMs(
  log: Pick<EventLog, 'readStream'>,
  epoch: Epoch | undefined,
): Promise<number | undefined> {
  if (epoch === undefined) return undefined;
  for await (const { type, metadata } of log.readStream(JOURNAL, epoch.commonRevision + 1))
    if (type === 'EpochBegun') return Date.parse((metadata.value as { recordedAt: string }).recordedAt);
  return undefined;
}
