/**
 * One program of the stack, started as a child in a process group of its own: its output goes straight to a
 * file (so it survives the starter), a line in that file says that it serves, and it can be stopped,
 * killed and started again.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processStamp } from './process-stamp.js';
import { endProcess, killProcess, WATCHED_BY, type ProcessRecord, type WardenNote } from './warden.js';

const LOOK_EVERY_MS = 30;
const KEEP_LOG_BYTES = 5 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;
/**
 * A program that says much says that it serves in the middle of it: a ledger names its two hundred routes
 * right after.
 */
const START_BYTES = 4 * 1024 * 1024;
/** How long a start is tried again while what a killed predecessor left is still in the way. */
const LEFTOVERS_MS = 10_000;

/** What to run and how to know that it serves. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The user and group to run as, when the starter is root and the program refuses to be. */
  readonly uid?: number;
  readonly gid?: number;
  /** The line of output that says it serves. */
  readonly ready: RegExp;
  readonly readyWithinMs: number;
  /** The signal that asks it to end in good order. */
  readonly stopSignal: NodeJS.Signals;
  /**
   * The signal that ends it at once and leaves nothing of the system's behind, such as shared memory; SIGKILL
   * unless told.
   */
  readonly quitSignal?: NodeJS.Signals;
  readonly logFile: string;
  /** What has to be done before each start, such as making a data folder. */
  readonly prepare?: () => Promise<void>;
  /** What has to be done once it serves, such as making a database. */
  readonly afterReady?: () => Promise<void>;
  /** Output of a start that failed only because a killed predecessor is not quite gone. */
  readonly leftovers?: RegExp;
}

/** A program ended, or never began to serve; the message is for whoever started the stack. */
export class ProgramFailed extends Error {
  override readonly name = 'ProgramFailed';
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Keeps what a starter that dies leaves behind from staying; see warden.ts. */
export class Warden {
  readonly #child: ChildProcess;
  readonly #gone: Promise<void>;
  readonly #mark = randomUUID();

  constructor(wardenFile: string) {
    this.#child = spawn(process.execPath, [wardenFile, this.#mark], {
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true,
    });
    // Its end is seen by `dismiss`; a pipe that breaks because it was killed must not end the starter.
    this.#child.stdin?.on('error', () => undefined);
    this.#gone = new Promise((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.unref();
  }

  /** What a child must have in its environment: the starter may be killed before it has noted the child. */
  get environment(): Readonly<Record<string, string>> {
    return { [WATCHED_BY]: this.#mark };
  }

  note(note: WardenNote): void {
    this.#child.stdin?.write(`${JSON.stringify(note)}\n`);
  }

  /** Lets it finish: it ends what is still noted and removes what was lent. */
  async dismiss(): Promise<void> {
    this.#child.ref();
    this.#child.stdin?.end();
    await this.#gone;
  }
}

/** A program that was started, and may be again. */
export class RunningProgram {
  readonly program: Program;
  readonly #warden: Warden;
  #noted: ProcessRecord | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** Settles when the preparation under way is over, however it ends. */
  #prepared: Promise<unknown> = Promise.resolve();
  #wanted = false;
  #offset = 0;
  #readyLine = '';
  /** Called when it ends without having been stopped. */
  onLost: ((how: string) => void) | undefined;

  constructor(program: Program, warden: Warden) {
    this.program = program;
    this.#warden = warden;
  }

  get pid(): number | undefined {
    return this.#noted?.pid;
  }
  get noted(): ProcessRecord | undefined {
    return this.#noted;
  }

  /** Starts it and waits until it serves; throws {@link ProgramFailed} with its last words if it does not. */
  async start(): Promise<void> {
    const until = Date.now() + LEFTOVERS_MS;
    this.#wanted = true;
    for (;;) {
      try {
        const preparing = this.program.prepare?.();
        this.#prepared = Promise.allSettled([preparing]);
        await preparing;
        // Stopped while it was being prepared: there is no process yet that the stop could have ended.
        if (!this.#wanted) throw new ProgramFailed(`${this.program.name} was stopped before it served.`);
        await this.#spawn();
        await this.program.afterReady?.();
        return;
      } catch (failure) {
        const output = this.output();
        await this.#end();
        if (!this.#wanted || !(this.program.leftovers?.test(output) && Date.now() < until)) throw failure;
        await pause(100);
      }
    }
  }

  async #spawn(): Promise<void> {
    const { name, command, args, env, cwd, uid, gid, logFile } = this.program;
    mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
    if (existsSync(logFile) && statSync(logFile).size > KEEP_LOG_BYTES) renameSync(logFile, `${logFile}.1`);
    const log = openSync(logFile, 'a');
    this.#offset = fstatSync(log).size;
    const child = spawn(command, [...args], {
      env: { ...env, ...this.#warden.environment },
      cwd,
      uid,
      gid,
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    let how: string | undefined;
    this.#ended = new Promise((resolve) => {
      const end = (words: string): void => {
        if (how !== undefined) return;
        how = words;
        if (this.#noted) this.#warden.note({ ended: this.#noted.pid });
        this.#noted = undefined;
        resolve();
        if (this.#wanted && this.#readyLine !== '') this.onLost?.(words);
      };
      child.once('exit', (code, signal) =>
        end(signal ? `was ended by ${signal}` : `ended with code ${code}`),
      );
      child.once('error', (error) => end(`could not be started: ${error.message}`));
    });
    this.#readyLine = '';
    const stamp = child.pid === undefined ? undefined : processStamp(child.pid);
    if (child.pid !== undefined && stamp !== undefined) {
      this.#noted = { name, pid: child.pid, stamp, signal: this.program.stopSignal };
      this.#warden.note({ started: this.#noted });
    }
    const until = Date.now() + this.program.readyWithinMs;
    for (;;) {
      const found = this.program.ready.exec(this.output(START_BYTES));
      if (found) {
        this.#readyLine = found[0];
        return;
      }
      if (how !== undefined) throw new ProgramFailed(`${name} ${how}. ${this.lastWords()}`);
      if (Date.now() > until)
        throw new ProgramFailed(
          `${name} does not serve after ${this.program.readyWithinMs / 1000} s. ${this.lastWords()}`,
        );
      await pause(LOOK_EVERY_MS);
    }
  }

  /** What it has written since its last start, or so many bytes of its end. */
  output(most = TAIL_BYTES): string {
    if (!existsSync(this.program.logFile)) return '';
    const file = openSync(this.program.logFile, 'r');
    try {
      const size = fstatSync(file).size;
      const from = Math.max(this.#offset, size - most);
      const bytes = Buffer.alloc(Math.max(0, size - from));
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, from));
    } finally {
      closeSync(file);
    }
  }

  /** Its last lines and where the rest is, for a message to people. */
  lastWords(): string {
    const lines = this.output().trim().split('\n').slice(-6).join('\n  ');
    return lines === ''
      ? `It wrote nothing to ${this.program.logFile}.`
      : `Its last words (${this.program.logFile}):\n  ${lines}`;
  }

  /**
   * Asks it to end and waits; after a while it is killed with its group. Does nothing if it does not run.
   * Waits for its preparation too, which may run a process such as initdb.
   */
  async stop(): Promise<void> {
    this.#wanted = false;
    await this.#prepared;
    await this.#end();
  }

  async #end(): Promise<void> {
    if (this.#noted) await endProcess(this.#noted);
    await this.#ended;
  }

  /** Ends it at once, as a power cut would, and waits until it is gone. */
  async kill9(): Promise<void> {
    this.#wanted = false;
    if (this.#noted) await killProcess(this.#noted);
    await this.#ended;
  }

  /** Ends it at once, its work unfinished, and waits until it is gone. */
  async quit(): Promise<void> {
    this.#wanted = false;
    const { quitSignal } = this.program;
    if (this.#noted && quitSignal) await endProcess({ ...this.#noted, signal: quitSignal });
    else if (this.#noted) await killProcess(this.#noted);
    await this.#ended;
  }

  /** Stops it (unless it is gone already) and starts it again, on the same port and data. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }
}

/** The repository's root, seen from the sources and from dist/ alike. */
export function repositoryRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(`${folder}/package.json`)) folder = dirname(folder);
  return folder;
}
