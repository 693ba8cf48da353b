/** How a command of the laptop's stack ends: what a person can put right is one sentence, and exit code 1. */
import { AlreadyRuns } from './launch/lock.js';
import { ProgramFailed } from './launch/program.js';
import { BadLocalSetting } from './settings.js';

/** Runs it; the number that it answers is the exit code. */
export async function runLocalCommand(command: () => Promise<number | void>): Promise<void> {
  try {
    process.exitCode = (await command()) ?? 0;
  } catch (failure) {
    const known = [BadLocalSetting, AlreadyRuns, ProgramFailed].some((kind) => failure instanceof kind);
    if (!known) throw failure;
    console.error((failure as Error).message);
    process.exit(1);
  }
}
