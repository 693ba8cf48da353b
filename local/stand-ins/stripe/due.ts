/** Runs work when its time has come, one timer for all of it; what is due is asked of the store each time. */

const LONGEST_TIMER_MS = 60_000;

export class Alarm {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  /**
   * `look` does what is due and returns when to look again (milliseconds since 1970), or undefined when
   * nothing waits.
   */
  constructor(private readonly look: () => number | undefined) {}

  /** Looks soon; called after each change. */
  ring(): void {
    if (this.stopped) return;
    const next = this.look();
    clearTimeout(this.timer);
    if (next === undefined || this.stopped) return;
    this.timer = setTimeout(() => this.ring(), Math.min(Math.max(next - Date.now(), 0), LONGEST_TIMER_MS));
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }
}
