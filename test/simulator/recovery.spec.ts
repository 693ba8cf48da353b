/** Stories in which the log loses any of its end and is recovered: with an archive, and without. */
import { describe, expect, it } from '@jest/globals';
import { sampled } from '#test/support/sample';
import { judge } from './judge.js';
import { SimulatedWorld } from './world.js';

/** A sample of the thousand that `make prove PART=recovery` lives through. */
const SEEDS = Array.from({ length: Number(process.env['STORIES'] ?? 1) }, (_, n) => n + 1);

const WAYS: readonly (readonly [words: string, hasArchive: boolean])[] = [
  ['with an archive', true],
  ['without an archive', false],
];

describe.each(WAYS)('a story whose log lost its end, %s', (_, hasArchive) => {
  it.each(SEEDS)('is right again from seed %i', async (seed) => {
    const world = await SimulatedWorld.live(seed, { loss: { hasArchive } });
    expect(world.loss).toBeDefined();
    expect((await judge(world)).wrongs).toEqual([]);
  });
});

/**
 * The seed of a story that loses much: its recovery is killed at each of its writes, and there must be many.
 */
const LOSES_MUCH = 13;

describe.each(sampled(WAYS, WAYS.slice(1)))('a recovery %s', (_, hasArchive) => {
  it('that is killed at any of its writes and run again ends the same, with nothing written twice', async () => {
    const world = await SimulatedWorld.live(LOSES_MUCH, { loss: { hasArchive, kills: Infinity } });
    expect(world.recoveriesKilled).toBeGreaterThan(10);
    expect((await judge(world)).wrongs).toEqual([]);
  });
});
