/**
 * Whether the ledger takes commands, asked every second. While it does not, no job asks it anything; when it
 * does again, the jobs run at once, so that what fell due in an outage waits no longer for its next regular
 * tick.
 */

const LOOK_EVERY_MS = 1_000;
/** One look may meet a ledger that is just being started. */
const LOOKS_UNTIL_AWAY = 2;

interface LedgerWatchOptions {
  /** Whether writes are open now; false too where no ledger answers. */
  readonly areWritesOpen: () => Promise<boolean>;
  /** Told once when the ledger is away, and once when it is back. */
  readonly changed: (isAway: boolean) => void;
}

export class LedgerWatch {
  #closedLooks = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(private readonly options: LedgerWatchOptions) {}

  get isAway(): boolean {
    return this.#closedLooks >= LOOKS_UNTIL_AWAY;
  }

  /** Looks at once, and again and again until `stop`. */
  start(): void {
    void this.look().finally(() => {
      if (this.#isOver) return;
      this.#timer = setTimeout(() => this.start(), LOOK_EVERY_MS);
      this.#timer.unref();
    });
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** One look; never throws. */
  async look(): Promise<void> {
    const isOpen = await this.options.areWritesOpen().catch(() => false);
    if (this.#isOver) return;
    const wasAway = this.isAway;
    this.#closedLooks = isOpen ? 0 : this.#closedLooks + 1;
    if (this.isAway !== wasAway) this.options.changed(this.isAway);
  }
}
