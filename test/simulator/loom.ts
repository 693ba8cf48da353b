/**
 * Time and order in a simulated world. While it is installed, the process's clock, timers and chance are its
 * own: nothing happens by itself. Whatever could go on (an answer that arrives, a timer that is due) waits in
 * one pool, and the dice say which of it is next. The same seed weaves the same threads in the same order.
 */
import { Dice } from './dice.js';

interface Timer {
  readonly id: number;
  at: number;
  readonly run: () => void;
  readonly everyMs: number | undefined;
}

/**
 * What code under simulation gets for a timer: it may be asked to not keep the process alive, which is
 * nothing here.
 */
class Handle {
  constructor(readonly id: number) {}
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return false;
  }
}

/** So many steps without coming to rest: something turns in circles. */
const MOST_STEPS = 400_000;

export class Loom {
  #nowMs: number;
  #ready: (() => void)[] = [];
  #timers: Timer[] = [];
  #made = 0;
  #steps = 0;
  readonly #breathe = globalThis.setImmediate.bind(globalThis);
  readonly #startMs: number;
  readonly #salt: number;

  constructor(
    start: string,
    private readonly dice: Dice,
  ) {
    this.#salt = dice.below(0x7fffffff);
    this.#nowMs = this.#startMs = Date.parse(start);
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  get now(): Date {
    return new Date(this.#nowMs);
  }

  get steps(): number {
    return this.#steps;
  }

  /** Takes the process's clock, timers and chance; what it returns gives them back. */
  install(): () => void {
    const real = {
      Date: globalThis.Date,
      setTimeout: globalThis.setTimeout,
      clearTimeout: globalThis.clearTimeout,
      setInterval: globalThis.setInterval,
      clearInterval: globalThis.clearInterval,
      setImmediate: globalThis.setImmediate,
    };
    const { random } = Math;
    const steady = Object.getOwnPropertyDescriptor(performance, 'now');
    const nowMs = (): number => this.#nowMs;
    const RealDate = Date;
    const SimulatedDate = new Proxy(RealDate, {
      construct: (target, args: [], newTarget) =>
        Reflect.construct(target, args.length === 0 ? [nowMs()] : args, newTarget) as Date,
      get: (target, name, receiver) =>
        name === 'now' ? nowMs : (Reflect.get(target, name, receiver) as unknown),
    });
    const later = (
      run: (...args: unknown[]) => void,
      ms: number | undefined,
      args: unknown[],
      repeats: boolean,
    ): Handle => {
      const wait = Math.max(1, ms ?? 0);
      const timer: Timer = {
        id: (this.#made += 1),
        at: this.#nowMs + wait,
        run: () => run(...args),
        everyMs: repeats ? wait : undefined,
      };
      this.#timers.push(timer);
      return new Handle(timer.id);
    };
    const stop = (handle: unknown): void => {
      if (handle instanceof Handle) this.#timers = this.#timers.filter(({ id }) => id !== handle.id);
    };
    Object.assign(globalThis, {
      Date: SimulatedDate,
      setTimeout: (run: () => void, ms?: number, ...args: unknown[]) => later(run, ms, args, false),
      setInterval: (run: () => void, ms?: number, ...args: unknown[]) => later(run, ms, args, true),
      setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => {
        this.#ready.push(() => run(...args));
        return new Handle((this.#made += 1));
      },
      clearTimeout: stop,
      clearInterval: stop,
    });
    // Not the story's own dice: who else draws from it (a library that keeps a stock of random letters) may
    // do so more or less often, as the stories before this one have left it, and must not change what comes
    // next in this one.
    let drawn = { at: -1, times: 0 };
    Math.random = () => {
      drawn =
        drawn.at === this.#steps ? { at: drawn.at, times: drawn.times + 1 } : { at: this.#steps, times: 0 };
      return new Dice(
        Math.imul(this.#steps + 1, 0x2c1b3c6d) ^ Math.imul(drawn.times + 1, 0x297a2d39) ^ this.#salt,
      ).next();
    };
    Object.defineProperty(performance, 'now', {
      configurable: true,
      writable: true,
      value: () => this.#nowMs - this.#startMs,
    });
    return () => {
      Object.assign(globalThis, real);
      Math.random = random;
      if (steady) Object.defineProperty(performance, 'now', steady);
      else Reflect.deleteProperty(performance, 'now');
    };
  }

  /** Something that can go on from now, whenever the dice say so. */
  offer(run: () => void): void {
    this.#ready.push(run);
  }

  /** Waits for one's turn. */
  turn(isAlive: () => boolean = () => true): Promise<void> {
    // Whoever has died meanwhile is never answered.
    return new Promise((resolve) => this.offer(() => (isAlive() ? resolve() : undefined)));
  }

  /** So many steps, whatever comes of them. */
  async spin(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) if (!(await this.#step(false))) return;
  }

  /** Goes on until something is so. Throws when nothing is left that could bring it about. */
  async until(isSo: () => boolean, what: string): Promise<void> {
    for (let step = 0; step < MOST_STEPS; step++) {
      await this.#rest();
      if (isSo()) return;
      if (!(await this.#step(true))) throw new Error(`Nothing goes on any more, and still not: ${what}.`);
    }
    throw new Error(`After ${MOST_STEPS} steps still not: ${what}.`);
  }

  /**
   * The clock jumps; what was to happen meanwhile is due now, and what repeats has missed all turns but one.
   */
  jump(ms: number): void {
    this.#nowMs += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#nowMs).sort((a, b) => a.at - b.at || a.id - b.id);
    for (const timer of due) this.#fire(timer);
  }

  #fire(timer: Timer): void {
    if (timer.everyMs === undefined) this.#timers = this.#timers.filter(({ id }) => id !== timer.id);
    else timer.at = this.#nowMs + timer.everyMs;
    this.#ready.push(timer.run);
  }

  /** Lets everything come to where it waits for the world. */
  #rest(): Promise<void> {
    return new Promise((resolve) => this.#breathe(resolve));
  }

  /** One thing goes on; false if nothing could. */
  async #step(mayWait: boolean): Promise<boolean> {
    await this.#rest();
    this.#steps += 1;
    const [run] = this.#ready.splice(this.dice.below(this.#ready.length), 1);
    if (run) {
      run();
      return true;
    }
    if (!mayWait) return false;
    const next = this.#timers
      .filter(({ everyMs }) => everyMs === undefined)
      .reduce<Timer | undefined>(
        (first, timer) => (!first || timer.at < first.at ? timer : first),
        undefined,
      );
    if (!next) return false;
    this.#nowMs = Math.max(this.#nowMs, next.at);
    this.#fire(next);
    return true;
  }
}
