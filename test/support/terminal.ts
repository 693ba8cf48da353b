/** A program of local/ in a terminal of its own: what it shows, and how it ended. */
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { repositoryRoot } from '#local/launch/program';

export class Terminal {
  readonly #child: ChildProcess;
  shown = '';
  ended: number | NodeJS.Signals | undefined;

  constructor(program: 'up' | 'reset' | 'backup' | 'restore' | 'recover', env: Record<string, string>) {
    this.#child = spawn(process.execPath, [`dist/local/${program}.js`], {
      cwd: repositoryRoot(),
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_OPTIONS: process.env.NODE_OPTIONS,
        LOG_LEVEL: 'warn',
        NODE_ENV: 'test',
        ...env,
      },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (text) => (this.shown += String(text)));
    this.#child.once('exit', (code, signal) => (this.ended = code ?? signal ?? undefined));
  }

  get pid(): number {
    return Number(this.#child.pid);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Waits until it shows this. Throws when it ends before. */
  async until(words: RegExp): Promise<void> {
    while (!words.test(this.shown) && this.ended === undefined) await pause(25);
    if (!words.test(this.shown))
      throw new Error(`It ended (${this.ended}) after it had shown: ${this.shown}`);
  }

  /** Its exit code, or the signal that ended it. */
  async end(): Promise<number | NodeJS.Signals> {
    while (this.ended === undefined) await pause(25);
    return this.ended;
  }
}
