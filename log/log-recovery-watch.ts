/**
 * Looks once a second whether the log is in recovery, whichever process found it, and whether that has ended.
 */
import { readLogRecovery, type LogRecovery } from './log-recovery.js';

const LOOK_EVERY_MS = 1_000;

interface LogRecoveryWatchOptions {
  readonly db: Parameters<typeof readLogRecovery>[0];
  /** Told when a recovery begins, and of undefined when it has ended. */
  readonly changed: (recovery: LogRecovery | undefined) => void;
}

export class LogRecoveryWatch {
  #recovery: LogRecovery | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(private readonly options: LogRecoveryWatchOptions) {}

  /** What the log has lost, as it was last seen; undefined while it is not in recovery. */
  get recovery(): LogRecovery | undefined {
    return this.#recovery;
  }

  /** Looks, and again and again until `stop`. The first look is over when this resolves. */
  async start(): Promise<void> {
    await this.look();
    if (this.#isOver) return;
    this.#timer = setTimeout(() => void this.start(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** One look; never throws. A database that does not answer changes nothing of what is known. */
  async look(): Promise<void> {
    let recovery: LogRecovery | undefined;
    try {
      recovery = await readLogRecovery(this.options.db);
    } catch {
      return;
    }
    if (!this.#isOver) this.note(recovery);
  }

  /** What is known now: a process that has found it itself waits for no look. */
  note(recovery: LogRecovery | undefined): void {
    const before = this.#recovery;
    this.#recovery = recovery;
    if (before?.foundAt.getTime() !== recovery?.foundAt.getTime()) this.options.changed(recovery);
  }
}
