/** How every command ends: with its last word on standard output, or with one sentence that says why not. */
import { BadSetting } from '#contracts/configuration';
import { EsdbLog } from '#log/esdb';
import { NotWrappedByIt, WrappedByOthers } from '#log/rewrap';
import { plainMessage } from '#projections/engine/database';

/** Exit code of a command that was called wrongly or could not be done. */
const NOT_DONE = 2;

/** The last word of a command that was done: 0 when all is as it should be, 1 when it is not. */
export interface Verdict {
  readonly status: 0 | 1;
  readonly lines: readonly string[];
}

/** The command cannot be done as it was called; the message is a whole sentence on its own. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}

/** Connections are not closed one by one: the last word is written, and the process ends. */
const endWith = (status: number, to: NodeJS.WriteStream, text: string): void =>
  void to.write(`${text}\n`, () => process.exit(status));

/**
 * Runs a command to its end. `failed` begins the sentence on a failure that is nobody's mistake in calling.
 */
export async function runCommand(
  failed: string,
  run: (words: readonly string[]) => Promise<Verdict>,
): Promise<void> {
  // A command that ends without its last word, for whatever reason, has not been done.
  process.exitCode = NOT_DONE;
  try {
    const { status, lines } = await run(process.argv.slice(2));
    endWith(status, process.stdout, lines.join('\n'));
  } catch (error) {
    const isPlain = [CannotRun, BadSetting, NotWrappedByIt, WrappedByOthers].some(
      (kind) => error instanceof kind,
    );
    const words = (await EsdbLog.troubleBehind(error)) ?? plainMessage(error);
    endWith(NOT_DONE, process.stderr, `${isPlain ? '' : `${failed}: `}${words}`);
  }
}
