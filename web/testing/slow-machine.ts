/**
 * A slow machine, for component tests (`make prove PART=slow-components`): answers of the server, timers,
 * frames and parts of the app that are loaded on demand come late, each by a random time, so that they come
 * in other orders than on a machine with nothing else to do. `SLOW_SEED` gives the delays; what else the
 * machine does still decides part of the order. While a test has the clock in its own hands nothing is late.
 */
import { expect } from '@jest/globals';

/** How many of a hundred come late, and by how much at the most. */
const LATE = {
  answer: { ofHundred: 60, mostMs: 300 },
  timer: { ofHundred: 15, mostMs: 60 },
  frame: { ofHundred: 30, mostMs: 60 },
  part: { ofHundred: 60, mostMs: 300 },
} as const;

const { setTimeout: after, requestAnimationFrame: onFrame, cancelAnimationFrame: cancelFrame } = window;

/** A small generator of random numbers (mulberry32), begun anew for each suite. */
function randomsFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
const suite = (expect.getState().testPath ?? '').replace(process.cwd(), '');
const random = randomsFrom(
  [...suite].reduce(
    (hash, letter) => Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0),
    Number(process.env.SLOW_SEED ?? 1),
  ),
);

const lateByMs = (what: keyof typeof LATE): number => {
  const { ofHundred, mostMs } = LATE[what];
  return random() * 100 < ofHundred ? Math.round(random() * mostMs) : 0;
};
const isClockReal = (): boolean => window.setTimeout === slowTimeout;
const pause = async (what: keyof typeof LATE): Promise<void> => {
  const ms = lateByMs(what);
  if (ms > 0 && isClockReal()) await new Promise((resolve) => after(resolve, ms));
};

const slowTimeout = Object.assign(
  (act: TimerHandler, ms = 0, ...args: unknown[]) => after(act, ms + lateByMs('timer'), ...args),
  after,
);
window.setTimeout = slowTimeout;

const lateFrames = new Map<number, number>();
window.requestAnimationFrame = (act) => {
  const id = onFrame((at) => {
    const ms = lateByMs('frame');
    if (ms === 0 || !isClockReal()) act(at);
    else
      lateFrames.set(
        id,
        after(() => act(at), ms),
      );
  });
  return id;
};
window.cancelAnimationFrame = (id) => {
  cancelFrame(id);
  window.clearTimeout(lateFrames.get(id));
};

let server = window.fetch;
Object.defineProperty(window, 'fetch', {
  configurable: true,
  get: () => server,
  set(answers: typeof fetch) {
    server = new Proxy(answers, {
      apply: async (asked, self, args) => {
        const answer: unknown = await Reflect.apply(asked, self, args);
        await pause('answer');
        return answer;
      },
    });
  },
});

/** What `slow-imports.mjs` puts around each `import()` of the app. */
async function comeLate<T>(part: Promise<T>): Promise<T> {
  const loaded = await part;
  await pause('part');
  return loaded;
}
Object.assign(window, { comeLate });
