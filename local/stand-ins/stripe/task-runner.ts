/** Does what the provider does by itself, when it is due. */
import { Alarm } from './due.js';
import type { DueKey, Store } from './store.js';
import { runTask, type Task } from './tasks.js';

export class TaskRunner {
  private readonly underWay = new Map<string, Promise<void>>();
  private readonly alarm = new Alarm(() => this.runDue());

  constructor(
    private readonly store: Store,
    private readonly report: (line: string) => void,
  ) {
    store.watch(() => this.alarm.ring());
  }

  start(): void {
    this.alarm.ring();
  }

  async stop(): Promise<void> {
    this.alarm.stop();
    await Promise.all(this.underWay.values());
  }

  private runDue(): number | undefined {
    for (const { key, value } of this.store.tasks.getRange({})) {
      if (this.underWay.has(key.join())) continue;
      if (key[0] > Date.now()) return key[0];
      this.underWay.set(key.join(), this.run(key, value));
    }
    return undefined;
  }

  private async run(key: DueKey, task: Task): Promise<void> {
    try {
      await this.store.change({ requestId: null, idempotencyKey: null }, (transaction) => {
        runTask(transaction, task);
        transaction.removeTask(key);
      });
      this.underWay.delete(key.join());
    } catch (error) {
      // It stays under way in memory, so that it is tried again by a restart and not in a loop.
      this.report(
        `a ${task.kind} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
  }
}
