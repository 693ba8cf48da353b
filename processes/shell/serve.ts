/**
 * How every process that serves begins and ends: one line when it is ready, an end in good order when it is
 * told to (SIGTERM, SIGINT) or when whoever started it is gone, and the same exit codes.
 */
import { pino, type Logger } from 'pino';
import { BadSetting } from '#contracts/configuration';
import { EsdbLog } from '#log/esdb';
import { plainMessage } from '#projections/engine/database';

/** Exit codes of a process that serves; docs/how-to/operate.md has them. */
const BAD_SETTING = 2;
const FAILED = 1;

/** An end that takes longer is cut short: what waits is done by the next process, under the same keys. */
const ENDS_WITHIN_MS = 25_000;

export interface RunningProcess {
  readonly log: Logger;
  /** The ports that it listens on, by name, as its first line tells them. */
  readonly ports: Readonly<Record<string, number>>;
  /** Ends in good order. */
  end(): Promise<void>;
}

/** Log lines of a process, as JSON on standard output. */
export const logOf = (name: string, { LOG_LEVEL: level }: { readonly LOG_LEVEL: string }): Logger =>
  pino({ level, base: { name, pid: process.pid } });

/** Starts a process and sees it to its end. `name` is what people call it: "the ledger". */
export async function serve(name: string, start: () => Promise<RunningProcess>): Promise<void> {
  let running: RunningProcess;
  try {
    running = await start();
  } catch (error) {
    const words =
      error instanceof BadSetting
        ? error.message
        : `${name} could not start: ${(await EsdbLog.troubleBehind(error)) ?? plainMessage(error)}`;
    process.stderr.write(`${words[0]!.toUpperCase()}${words.slice(1)}\n`, () =>
      process.exit(error instanceof BadSetting ? BAD_SETTING : FAILED),
    );
    return;
  }
  const { log, ports } = running;
  let isEnding = false;
  const end = (why: string): void => {
    if (isEnding) return;
    isEnding = true;
    log.info({ why }, 'ending');
    setTimeout(() => process.exit(FAILED), ENDS_WITHIN_MS).unref();
    running.end().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'did not end in good order');
        process.exit(FAILED);
      },
    );
  };
  process.once('SIGTERM', () => end('SIGTERM'));
  process.once('SIGINT', () => end('SIGINT'));
  // Whoever started us holds our stdin open: when it is gone, however it went, so are we.
  if (process.env.ENCORE_PARENT) process.stdin.resume().once('end', () => end('the parent is gone'));
  process.stdout.write(`${JSON.stringify({ ready: true, ...ports })}\n`);
}
