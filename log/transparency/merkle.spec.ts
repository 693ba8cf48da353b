/**
 * The tree's hashes and proofs, against the definition of RFC 6962 written down again, and the RFC's known
 * vectors.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  checkConsistency,
  consistencyProof,
  EMPTY_ROOT,
  inclusionProof,
  leafHash,
  ProofRefused,
  rootFromInclusion,
  rootOf,
  type TreeHead,
} from './merkle.js';
import { GrowingTree, HASH_BYTES, hashesFromTiles, tileAt, tilePath, tileWidth, type Tile } from './tiles.js';

const sha = (...parts: Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

/** MTH of RFC 6962, section 2.1, word for word. */
function rootByDefinition(entries: readonly Buffer[]): Buffer {
  if (entries.length === 0) return sha();
  if (entries.length === 1) return sha(Buffer.of(0), entries[0]!);
  let k = 1;
  while (k * 2 < entries.length) k *= 2;
  return sha(Buffer.of(1), rootByDefinition(entries.slice(0, k)), rootByDefinition(entries.slice(k)));
}

const entriesOf = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, n) => sha(Buffer.from(`entry ${n}`)));

/** A tree with its tiles, as a folder would hold them after the last head. */
function treeOf(entries: readonly Buffer[]): {
  tree: GrowingTree;
  readTile: (tile: Tile) => Promise<Buffer>;
} {
  const tree = new GrowingTree();
  const tiles = new Map<string, Buffer>();
  const keep = ({ tile, bytes }: { tile: Tile; bytes: Buffer }): void =>
    void tiles.set(tilePath(tile), bytes);
  for (const entry of entries) tree.append(leafHash(entry)).forEach(keep);
  tree.partialTiles().forEach(keep);
  return {
    tree,
    readTile(tile) {
      const found = tiles.get(tilePath(tile)) ?? tiles.get(tilePath({ ...tile, width: 256 }));
      if (!found) throw new Error(`no ${tilePath(tile)}`);
      return Promise.resolve(found.subarray(0, tile.width * HASH_BYTES));
    },
  };
}

describe('the tree', () => {
  it('has the roots of the vectors that every implementation of RFC 6962 is held against', () => {
    const inputs = [
      '',
      '00',
      '10',
      '2021',
      '3031',
      '40414243',
      '5051525354555657',
      '606162636465666768696a6b6c6d6e6f',
    ];
    const roots = [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ];
    const tree = new GrowingTree();
    const found = inputs.map((input) => {
      tree.append(leafHash(Buffer.from(input, 'hex')));
      return tree.root().toString('hex');
    });
    expect(found).toEqual(roots);
    expect(new GrowingTree().root()).toEqual(EMPTY_ROOT);
  });

  it.each([1, 2, 3, 7, 255, 256, 257, 513])(
    'of %i leaves has the root of the definition, in memory and from its tiles',
    async (count) => {
      const entries = entriesOf(count);
      const { tree, readTile } = treeOf(entries);
      const root = rootByDefinition(entries);
      expect(tree.root()).toEqual(root);
      expect(await rootOf(hashesFromTiles(readTile, count), count)).toEqual(root);
    },
  );

  it('proves each leaf of each size, and no other leaf', async () => {
    const entries = entriesOf(40);
    const wrong: string[] = [];
    for (let size = 1; size <= 40; size += 1) {
      const read = hashesFromTiles(treeOf(entries.slice(0, size)).readTile, size);
      const root = await rootOf(read, size);
      for (let index = 0; index < size; index += 1) {
        const path = await inclusionProof(read, index, size);
        const leadsTo = (leaf: Buffer): boolean => rootFromInclusion(leaf, index, size, path).equals(root);
        if (!leadsTo(leafHash(entries[index]!)) || leadsTo(leafHash(sha())))
          wrong.push(`${index} of ${size}`);
      }
    }
    expect(wrong).toEqual([]);
    await expect(inclusionProof(() => Promise.resolve(EMPTY_ROOT), 5, 5)).rejects.toThrow(/has no leaf 5/);
  });

  it('proves that each size extends each smaller one, and refuses the proof of another history', async () => {
    const entries = entriesOf(34);
    const roots = Array.from({ length: 35 }, (_, size) => rootByDefinition(entries.slice(0, size)));
    const holds = (old: TreeHead, now: TreeHead, path: readonly Buffer[]): boolean => {
      try {
        checkConsistency(old, now, path);
        return true;
      } catch (error) {
        if (error instanceof ProofRefused) return false;
        throw error;
      }
    };
    const wrong: string[] = [];
    for (let size = 1; size <= 34; size += 1) {
      const read = hashesFromTiles(treeOf(entries.slice(0, size)).readTile, size);
      const now = { size, root: roots[size]! };
      for (let oldSize = 0; oldSize <= size; oldSize += 1) {
        const path = await consistencyProof(read, oldSize, size);
        const old = { size: oldSize, root: roots[oldSize]! };
        const isRight =
          holds(old, now, path) &&
          !holds(old, now, [...path, sha()]) &&
          (path.length === 0 || !holds(old, now, path.slice(1))) &&
          (oldSize === 0 || !holds({ size: oldSize, root: sha(Buffer.of(oldSize)) }, now, path));
        if (!isRight) wrong.push(`${oldSize} in ${size}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(() => checkConsistency({ size: 9, root: roots[9]! }, { size: 8, root: roots[8]! }, [])).toThrow(
      /of 8 leaves cannot extend one of 9/,
    );
  });

  it('proves across tiles of three levels', async () => {
    const entries = entriesOf(66_000);
    const { readTile, tree } = treeOf(entries);
    const read = hashesFromTiles(readTile, entries.length);
    const root = tree.root();
    expect(root.equals(rootByDefinition(entries))).toBe(true);
    for (const index of [0, 255, 256, 65_535, 65_536, 65_999]) {
      const path = await inclusionProof(read, index, 66_000);
      expect(rootFromInclusion(leafHash(entries[index]!), index, 66_000, path).equals(root)).toBe(true);
    }
    const old = { size: 65_537, root: rootByDefinition(entries.slice(0, 65_537)) };
    checkConsistency(old, { size: 66_000, root }, await consistencyProof(read, 65_537, 66_000));
  });

  it('refuses a path that is too short or too long', async () => {
    const entries = entriesOf(5);
    const read = hashesFromTiles(treeOf(entries).readTile, 5);
    const path = await inclusionProof(read, 2, 5);
    expect(() => rootFromInclusion(leafHash(entries[2]!), 2, 5, path.slice(1))).toThrow(
      /ends before the root/,
    );
    expect(() => rootFromInclusion(leafHash(entries[2]!), 2, 5, [...path, sha()])).toThrow(
      /longer than the way/,
    );
    expect(() => rootFromInclusion(leafHash(entries[2]!), 5, 5, path)).toThrow(/has no leaf 5/);
  });
});

describe('a tile', () => {
  it('is found where C2SP tlog-tiles says', () => {
    expect(tilePath({ level: 0, index: 0, width: 256 })).toBe('tile/0/000');
    expect(tilePath({ level: 3, index: 1_234_067, width: 5 })).toBe('tile/3/x001/x234/067.p/5');
    expect(tileAt('tile/3/x001/x234/067.p/5')).toEqual({ level: 3, index: 1_234_067, width: 5 });
    for (const path of [
      'tile/0/1',
      'tile/00/001',
      'tile/0/x000/001',
      'tile/0/001.p/256',
      'tile/0/001.p/0',
      'tile/64/000',
      '../tile/0/000',
    ])
      expect(tileAt(path)).toBeUndefined();
  });

  it('is as wide as the tree is large', () => {
    // The example of tlog-tiles: 70,000 leaves.
    expect([tileWidth(0, 272, 70_000), tileWidth(0, 273, 70_000), tileWidth(0, 274, 70_000)]).toEqual([
      256, 112, 0,
    ]);
    expect([tileWidth(1, 0, 70_000), tileWidth(1, 1, 70_000), tileWidth(2, 0, 70_000)]).toEqual([256, 17, 1]);
    expect(tileWidth(1, 0, 256)).toBe(1);
  });
});
