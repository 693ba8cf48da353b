/** The tree over a log, built anew from its events and from nothing that was published. */
import { isOurStream, OUR_PREFIXES } from '#contracts/events/our-streams';
import { START } from '#contracts/log';
import type { LogSource, RawEvent } from '#log/event-log';
import { leafOf } from '#log/transparency/leaf';
import { leafHash, type HashReader } from '#log/transparency/merkle';
import {
  GrowingTree,
  hashesFromTiles,
  TILE_WIDTH,
  tilePath,
  HASH_BYTES,
  type Tile,
} from '#log/transparency/tiles';

/** Our events in the order of the whole log. */
export async function* ourEvents(source: LogSource): AsyncGenerator<RawEvent, void> {
  for await (const raw of source.readAll(START, OUR_PREFIXES)) if (isOurStream(raw.stream)) yield raw;
}

/** A tree with the hashes that its proofs need. */
export interface LogTree {
  readonly size: number;
  /** Reads hashes of the tree of the first `size` leaves. */
  hashes(size: number): HashReader;
}

/** Reads the whole log; 32 bytes of each event are kept. `seen` is told of each event and its place. */
export async function treeOf(
  source: LogSource,
  seen: (raw: RawEvent, index: number) => void = () => undefined,
): Promise<LogTree> {
  const tree = new GrowingTree();
  const tiles = new Map<string, Buffer>();
  for await (const raw of ourEvents(source)) {
    seen(raw, tree.size);
    for (const { tile, bytes } of tree.append(leafHash(leafOf(raw)))) tiles.set(tilePath(tile), bytes);
  }
  const edge = new Map(tree.partialTiles().map(({ tile, bytes }) => [`${tile.level}/${tile.index}`, bytes]));
  const readTile = (tile: Tile): Promise<Buffer> => {
    const bytes =
      tiles.get(tilePath({ ...tile, width: TILE_WIDTH })) ?? edge.get(`${tile.level}/${tile.index}`);
    return bytes
      ? Promise.resolve(bytes.subarray(0, tile.width * HASH_BYTES))
      : Promise.reject(new RangeError(`A tree of ${tree.size} leaves has no ${tilePath(tile)}.`));
  };
  return { size: tree.size, hashes: (size) => hashesFromTiles(readTile, size) };
}
