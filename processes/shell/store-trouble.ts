/**
 * While the event store cannot be used, why, where people can do something about it: a sentence in the log,
 * and for whoever asks how the process is.
 */
import type { Logger } from 'pino';
import type { FollowerState } from '#audit/follower-loop';
import type { EsdbLog } from '#log/esdb';

const FIRST_LOOK_MS = 1_000;
const LOOK_EVERY_MS = 30_000;

export class StoreTroubleNote {
  #sentence: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly events: Pick<EsdbLog, 'trouble'>,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** What is to be done; undefined while nothing is known of it. */
  get sentence(): string | undefined {
    return this.#sentence;
  }

  /** The store cannot be used: it is asked why after a moment, and again while that lasts. */
  away(): void {
    this.#timer ??= setTimeout(() => void this.#look(), FIRST_LOOK_MS).unref();
  }

  /** The store can be used, or the process ends. */
  back(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sentence = undefined;
  }

  async #look(): Promise<void> {
    const trouble = await this.events.trouble().catch(() => undefined);
    // It came back meanwhile.
    if (this.#timer === undefined) return;
    if (trouble !== undefined && trouble.sentence !== this.#sentence)
      this.log.warn({ why: trouble.sentence }, 'the event store cannot be used');
    this.#sentence = trouble?.sentence;
    this.#timer = setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }
}

/** Notes each state that a follower of the log enters, and asks what troubles the store while it waits. */
export const notesStates =
  <State extends FollowerState<'catching-up' | 'comparing'>>(
    log: Pick<Logger, 'fatal' | 'warn' | 'info'>,
    storeTrouble: StoreTroubleNote,
    sentenceOf: (state: State) => string,
  ) =>
  (state: State): void => {
    if (state.status === 'waiting') storeTrouble.away();
    else storeTrouble.back();
    if (state.status === 'stopped') log.fatal({ why: state.why }, sentenceOf(state));
    else if (state.status === 'waiting') log.warn({ why: state.why }, sentenceOf(state));
    else log.info({ status: state.status }, sentenceOf(state));
  };
