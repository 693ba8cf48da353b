/**
 * The tree as tiles (C2SP tlog-tiles): files of up to 256 hashes side by side. A tile of level 0 holds leaf
 * hashes, one of a higher level the roots of full tiles below it. A tree grows here in memory that grows with
 * its height alone.
 */
import { EMPTY_ROOT, nodeHash, type HashReader } from './merkle.js';

export const TILE_WIDTH = 256;
const TILE_LEVELS = 8;
export const HASH_BYTES = 32;

export interface Tile {
  readonly level: number;
  readonly index: number;
  /** How many hashes it has: from 1 to 256. */
  readonly width: number;
}

/** Where a tile is found, as `tile/0/x001/x234/067.p/5`. */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  const groups = padded.match(/\d{3}/g)!;
  const name = groups.map((group, n) => (n < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${level}/${name}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

const TILE_PATH = /^tile\/(0|[1-9]\d?)\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** The tile at a path; undefined for a path that is none. */
export function tileAt(path: string): Tile | undefined {
  const [, level, groups, partial] = TILE_PATH.exec(path) ?? [];
  if (level === undefined || groups === undefined) return undefined;
  const tile = {
    level: Number(level),
    index: Number(groups.replaceAll(/[x/]/g, '')),
    width: partial === undefined ? TILE_WIDTH : Number(partial),
  };
  return tilePath(tile) === path && tile.level <= 63 ? tile : undefined;
}

/** How wide a tile is in a tree of that size; 0 where the tree has no such tile. */
export function tileWidth(level: number, index: number, size: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}

/** The hash over hashes of one level side by side, whose number is a power of two. */
function folded(hashes: readonly Buffer[]): Buffer {
  let level = [...hashes];
  while (level.length > 1)
    level = Array.from({ length: level.length / 2 }, (_, n) => nodeHash(level[2 * n]!, level[2 * n + 1]!));
  return level[0]!;
}

const hashesIn = (tile: Buffer): Buffer[] =>
  Array.from({ length: tile.length / HASH_BYTES }, (_, n) =>
    tile.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES),
  );

/** Reads subtree hashes of the tree of `size` leaves from its tiles, each of which is read once. */
export function hashesFromTiles(readTile: (tile: Tile) => Promise<Buffer>, size: number): HashReader {
  const tiles = new Map<string, Promise<Buffer[]>>();
  const tileOf = (tile: Tile): Promise<Buffer[]> => {
    const path = tilePath(tile);
    const known = tiles.get(path);
    if (known) return known;
    const reading = readTile(tile).then((bytes) => {
      if (bytes.length !== tile.width * HASH_BYTES)
        throw new RangeError(`${path} has ${bytes.length} bytes instead of ${tile.width * HASH_BYTES}.`);
      return hashesIn(bytes);
    });
    tiles.set(path, reading);
    return reading;
  };
  return async (binaryLevel, binaryIndex) => {
    const level = Math.floor(binaryLevel / TILE_LEVELS);
    const count = 2 ** (binaryLevel % TILE_LEVELS);
    const first = binaryIndex * count;
    const index = Math.floor(first / TILE_WIDTH);
    const hashes = await tileOf({ level, index, width: tileWidth(level, index, size) });
    const at = first % TILE_WIDTH;
    return folded(hashes.slice(at, at + count));
  };
}

/** A tree that grows leaf by leaf. */
export class GrowingTree {
  #size = 0;
  /** By level: the hashes of the last tile, which is not full. */
  readonly #edge: Buffer[][] = [];

  get size(): number {
    return this.#size;
  }

  /** Adds the hash of a leaf. Answers the tiles that it has filled. */
  append(leaf: Buffer): { readonly tile: Tile; readonly bytes: Buffer }[] {
    this.#size += 1;
    const filled: { tile: Tile; bytes: Buffer }[] = [];
    let hash = leaf;
    for (let level = 0; ; level += 1) {
      const edge = (this.#edge[level] ??= []);
      edge.push(hash);
      if (edge.length < TILE_WIDTH) return filled;
      const index = Math.floor(this.#size / TILE_WIDTH ** (level + 1)) - 1;
      filled.push({ tile: { level, index, width: TILE_WIDTH }, bytes: Buffer.concat(edge) });
      hash = folded(edge);
      this.#edge[level] = [];
    }
  }

  /** The tiles at the right edge that are not full, as the tree now is. */
  partialTiles(): { readonly tile: Tile; readonly bytes: Buffer }[] {
    return this.#edge.flatMap((edge, level) =>
      edge.length === 0
        ? []
        : [
            {
              tile: {
                level,
                index: Math.floor(this.#size / TILE_WIDTH ** (level + 1)),
                width: edge.length,
              },
              bytes: Buffer.concat(edge),
            },
          ],
    );
  }

  root(): Buffer {
    // Complete subtrees from left to right: those of the highest level come first.
    const peaks = this.#edge.toReversed().flatMap((edge) => peaksOf(edge));
    return (
      peaks.reduceRight<Buffer | undefined>(
        (right, left) => (right === undefined ? left : nodeHash(left, right)),
        undefined,
      ) ?? EMPTY_ROOT
    );
  }
}

/** The largest complete subtrees over hashes side by side, from left to right. */
function peaksOf(hashes: readonly Buffer[]): Buffer[] {
  const peaks: Buffer[] = [];
  for (let [at, width] = [0, TILE_WIDTH / 2]; width >= 1; width /= 2)
    if (hashes.length - at >= width) {
      peaks.push(folded(hashes.slice(at, at + width)));
      at += width;
    }
  return peaks;
}
