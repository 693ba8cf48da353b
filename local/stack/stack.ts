/** The parts that run together: started by name, stopped in order, and never left behind. */
import { join } from 'node:path';
import { programFor, stopOrder, type Part, type StackPlan } from './parts.js';
import { ProgramFailed, Running, Warden } from '../launch/program.js';
import type { Noted } from '../launch/warden.js';

export class Stack {
  readonly plan: StackPlan;
  readonly warden: Warden;
  readonly #parts = new Map<Part, Running>();
  #stopped = false;

  constructor(plan: StackPlan) {
    this.plan = plan;
    this.warden = new Warden(join(plan.root, 'dist/local/launch/warden.js'));
  }

  /** Starts a part and waits until it serves. Throws `ProgramFailed` with its last words if it does not. */
  async start(part: Part, before?: (running: Running) => void): Promise<Running> {
    const running = new Running(await programFor(this.plan, part), this.warden);
    if (this.#stopped) throw new ProgramFailed(`${part} was not started: everything is being stopped.`);
    this.#parts.set(part, running);
    before?.(running);
    await running.start();
    return running;
  }

  /** A part that was started. */
  part(name: Part): Running {
    const found = this.#parts.get(name);
    if (!found) throw new Error(`${name} was not started.`);
    return found;
  }

  /** The processes that run now. */
  noted(): Noted[] {
    return [...this.#parts.values()].flatMap((running) => (running.noted ? [running.noted] : []));
  }

  /**
   * Ends everything at once, for somebody who asked twice or has no use for the data. The stores lose nothing
   * that they acknowledged.
   */
  async quit(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#parts.values()].map((running) => running.quit()));
    await this.warden.dismiss();
  }

  /** Stops everything: the front first, so that nobody is cut off half-way, and the stores last. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const name of stopOrder(this.plan.ledgers)) await this.#parts.get(name)?.stop();
    await this.warden.dismiss();
  }
}
