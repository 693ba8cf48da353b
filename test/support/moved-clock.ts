/**
 * The clock that schedules are judged by, in a suite's hand: what is due tomorrow is due when the suite says
 * so. It is ahead of the day's by what a file holds, which production refuses.
 *
 *     const clock = new MovedClock();
 *     const stack = useStack(['all'], { env: { ...clock.env } });
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export class MovedClock {
  readonly #folder = mkdtempSync(join(tmpdir(), 'encore-clock-'));
  readonly #file = join(this.#folder, 'ahead');
  #aheadMs = 0;

  constructor() {
    this.pass(0);
  }

  /** Settings of a stack that goes by it, and looks for what is due twice a second. */
  get env(): Readonly<Record<string, string>> {
    return { SCHEDULES_EVERY_SECONDS: '0.5', TEST_CLOCK_FILE: this.#file };
  }

  /** Lets time pass for what is due. It never goes back. */
  pass(ms: number): void {
    this.#aheadMs += ms;
    writeFileSync(this.#file, String(this.#aheadMs));
  }

  /** The time that schedules are judged by, and some more. */
  fromNow(ms: number): Date {
    return new Date(Date.now() + this.#aheadMs + ms);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
