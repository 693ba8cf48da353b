/** What shows a tampering: the checks of verify that fail, and a head that was signed over the honest log. */
import { isOurStream } from '#contracts/events/our-streams';
import type { RawEvent } from '#log/event-log';
import { leafOf } from '#log/transparency/leaf';
import { leafHash } from '#log/transparency/merkle';
import { GrowingTree } from '#log/transparency/tiles';
import { verifyEvents } from '#audit/verify';
import type { Forger } from './forger.js';

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

export interface Shown {
  /** The checks that fail, in their order. */
  readonly checks: readonly string[];
  /** What they say. */
  readonly findings: readonly string[];
  /** Whether the log no longer fits the head of the honest one. */
  readonly byHead: boolean;
}

export async function shownOf({ log }: Forger, honest: Head): Promise<Shown> {
  log.reindex();
  const failed = (await verifyEvents(log)).filter(({ findings }) => findings.length > 0);
  const now = headOf(log.all, honest.size);
  return {
    checks: failed.map(({ name }) => name),
    findings: failed.flatMap(({ findings }) => findings),
    byHead: now.size !== honest.size || now.root !== honest.root,
  };
}
