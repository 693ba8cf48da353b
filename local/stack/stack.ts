/** The parts that run together: started by name, stopped in order, and never left behind. */
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  appEnvironment,
  databaseRoles,
  programFor,
  stopOrder,
  usesDatabase,
  type Part,
  type StackPlan,
} from './parts.js';
import { ProgramFailed, RunningProgram, Warden } from '../launch/program.js';
import type { ProcessRecord } from '../launch/warden.js';

export class Stack {
  readonly plan: StackPlan;
  readonly warden: Warden;
  readonly #parts = new Map<Part, RunningProgram>();
  #stopped = false;
  #prepared: Promise<void> | undefined;

  constructor(plan: StackPlan) {
    this.plan = plan;
    this.warden = new Warden(join(plan.root, 'dist/local/launch/warden.js'));
  }

  /** Starts a part and waits until it serves. Throws `ProgramFailed` with its last words if it does not. */
  async start(part: Part, before?: (running: RunningProgram) => void): Promise<RunningProgram> {
    const running = new RunningProgram(await programFor(this.plan, part), this.warden);
    if (usesDatabase(part)) await this.prepareDatabase();
    if (this.#stopped) throw new ProgramFailed(`${part} was not started: everything is being stopped.`);
    this.#parts.set(part, running);
    before?.(running);
    await running.start();
    return running;
  }

  /** Makes the tables of this build, and the roles with their rights, once. Throws `ProgramFailed`. */
  prepareDatabase(): Promise<void> {
    this.#prepared ??= this.#migrate().catch((failure: unknown) => {
      this.#prepared = undefined;
      throw failure;
    });
    return this.#prepared;
  }

  async #migrate(): Promise<void> {
    if (this.plan.isDatabasePrepared) return;
    try {
      await promisify(execFile)(process.execPath, [join(this.plan.root, 'dist/processes/migrate.js')], {
        env: { ...appEnvironment(this.plan), ...databaseRoles(this.plan) },
      });
    } catch (failure) {
      const { stderr, message } = failure as Error & { stderr?: string };
      throw new ProgramFailed(stderr?.trim() || message);
    }
  }

  /** A part that was started. */
  part(name: Part): RunningProgram {
    const found = this.#parts.get(name);
    if (!found) throw new Error(`${name} was not started.`);
    return found;
  }

  /** The processes that run now. */
  noted(): ProcessRecord[] {
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

  /** Stops everything: the front first, so that no request is cut off half-way, and the stores last. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const name of stopOrder(this.plan.ledgers)) await this.#parts.get(name)?.stop();
    await this.warden.dismiss();
  }
}
