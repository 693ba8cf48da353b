/** A head over a log in memory, as the process that signs the tree makes it. */
import { isOurStream } from '#contracts/events/our-streams';
import type { RawEvent } from '#log/event-log';
import { leafOf } from '#log/transparency/leaf';
import { leafHash } from '#log/transparency/merkle';
import { GrowingTree } from '#log/transparency/tiles';

/** The root of the tree over a log's events, and how many they are: what a signed head says. */
export interface Head {
  readonly size: number;
  readonly root: string;
}

/** The head over the first `size` events of ours; over all of them where there are fewer. */
export function headOf(all: readonly RawEvent[], size = Infinity): Head {
  const tree = new GrowingTree();
  for (const raw of all) {
    if (!isOurStream(raw.stream)) continue;
    if (tree.size === size) break;
    tree.append(leafHash(leafOf(raw)));
  }
  return { size: tree.size, root: tree.root().toString('base64') };
}
