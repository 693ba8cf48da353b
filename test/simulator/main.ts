/**
 * Many stories, or one again with all that happened in it:
 *
 *     make simulate SEEDS=1000
 *     make simulate SEED=4711
 *     make simulate SEED=4711 LOSS=bare
 */
import { judge } from './judge.js';
import { SimulatedWorld, type StoryOptions } from './world.js';

/** A sign of life now and then. */
const PROGRESS_EVERY = 50;

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

const wanted = (name: string): number | undefined => {
  const text = process.env[name];
  if (text === undefined || text === '') return undefined;
  if (!/^\d{1,9}$/.test(text)) refuse(`${name} is a whole number, such as ${name}=1000, and not "${text}".`);
  return Number(text);
};

/**
 * With LOSS=archive or LOSS=bare each story's log loses its end and is recovered, with an archive or without.
 */
const { LOSS } = process.env;
if (LOSS !== undefined && LOSS !== '' && LOSS !== 'archive' && LOSS !== 'bare')
  refuse(`LOSS is archive or bare, and not "${LOSS}".`);
const options: StoryOptions = LOSS ? { loss: { hasArchive: LOSS === 'archive', kills: 1 } } : {};

async function one(seed: number): Promise<boolean> {
  const world = await SimulatedWorld.live(seed, { ...options, tell: (line) => console.log(line) });
  const { wrongs, counts } = await judge(world);
  console.log();
  for (const [type, times] of [...counts].sort()) console.log(`${String(times).padStart(6)}  ${type}`);
  console.log(
    wrongs.length === 0 ? `\nSeed ${seed}: all is right.` : `\nSeed ${seed}:\n${wrongs.join('\n')}`,
  );
  return wrongs.length === 0;
}

async function many(from: number, seeds: number): Promise<boolean> {
  const began = performance.now();
  const all = new Map<string, number>();
  let wrong = 0;
  for (let seed = from; seed < from + seeds; seed++) {
    let wrongs: readonly string[];
    try {
      const verdict = await judge(await SimulatedWorld.live(seed, options));
      ({ wrongs } = verdict);
      for (const [type, times] of verdict.counts) all.set(type, (all.get(type) ?? 0) + times);
    } catch (error) {
      wrongs = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
    }
    if ((seed - from + 1) % PROGRESS_EVERY === 0) console.log(`${seed - from + 1} told`);
    if (wrongs.length === 0) continue;
    wrong += 1;
    console.log(`Seed ${seed} (make simulate SEED=${seed} tells its story):\n  ${wrongs.join('\n  ')}`);
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(`\nIn ${seeds} stories there were:`);
  for (const [type, times] of [...all].sort()) console.log(`${String(times).padStart(8)}  ${type}`);
  console.log(`\n${seeds - wrong} stories right, ${wrong} wrong, in ${seconds.toFixed(0)} s.`);
  return wrong === 0;
}

const seed = wanted('SEED');
const isRight =
  seed === undefined ? await many(wanted('FROM') ?? 1, wanted('SEEDS') ?? 100) : await one(seed);
process.exitCode = isRight ? 0 : 1;
