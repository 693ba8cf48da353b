/**
 * The projector: follows the log from the checkpoint on and projects what comes, for as long as the process
 * lives. A broken connection is taken up again from the checkpoint; an event that cannot be projected stops
 * it for good, loudly: figures that are late can be explained, figures that leave something out cannot.
 */
import type pg from 'pg';
import { LogUnavailable, recorded, type EventLog, type SubscriptionItem } from '#log/event-log';
import { JOURNAL } from '#contracts/events/journal';
import { START, type Position, type RecordedEvent } from '#contracts/log';
import { batched } from './batched.js';
import { least, readCheckpoints } from './checkpoints.js';
import { plainMessage, READ_SCHEMA } from './database.js';
import { connectProjector, projectBatch, type BatchEnd } from './project-batch.js';
import type { ReadModel } from './read-model.js';
import { isOutage } from '#contracts/outage';
import { prefixesOf } from './rebuild.js';

/** Large enough to catch up at full speed; one transaction of this size takes well under a second. */
export const BATCH_LIMIT = 1000;

const RETRY_MS = { first: 100, most: 5000 } as const;

export type ProjectorState =
  | { readonly status: 'starting' }
  /** Following, with a backlog still to be read. */
  | { readonly status: 'catching-up' }
  /** Following, and everything that was there has been projected. */
  | { readonly status: 'live' }
  /** A store cannot be reached; it is tried again. */
  | { readonly status: 'reconnecting'; readonly why: string }
  /** Ended by something that no repeat can mend. */
  | { readonly status: 'stopped'; readonly why: string };

export interface ProjectorOptions {
  readonly log: EventLog;
  readonly databaseUrl: string;
  readonly models: readonly ReadModel[];
  readonly schema?: string;
  /**
   * Makes or rebuilds the tables where needed; before each (re)connection, since read models may be dropped
   * at any time.
   */
  readonly prepare?: () => Promise<unknown>;
  /** Told of each batch after its commit. */
  readonly onBatch?: (events: readonly RecordedEvent[], end: BatchEnd) => void;
  readonly onState?: (state: ProjectorState) => void;
}

export class Projector {
  #state: ProjectorState = { status: 'starting' };
  #position: Position = START;
  #journalRevision = -1;
  /** When the newest projected event was recorded, in milliseconds since 1970. */
  #recordedAtMs: number | undefined;
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;

  constructor(private readonly options: ProjectorOptions) {}

  get state(): ProjectorState {
    return this.#state;
  }

  /** The last event that all read models have passed. */
  get position(): Position {
    return this.#position;
  }

  /** The last journal revision that all read models have passed; -1 before the first. */
  get journalRevision(): number {
    return this.#journalRevision;
  }

  /** How old the newest projected event is while a backlog remains, in seconds; 0 when there is none. */
  secondsBehind(nowMs: number): number {
    if (this.#state.status === 'live' || this.#recordedAtMs === undefined) return 0;
    return Math.max(0, (nowMs - this.#recordedAtMs) / 1000);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends after the batch in hand. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  #become(state: ProjectorState): void {
    const whyOf = (told: ProjectorState): string | undefined => ('why' in told ? told.why : undefined);
    const before = this.#state;
    this.#state = state;
    if (before.status !== state.status || whyOf(before) !== whyOf(state)) this.options.onState?.(state);
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    let retryMs: number = RETRY_MS.first;
    while (!signal.aborted) {
      try {
        await this.#follow(() => (retryMs = RETRY_MS.first));
      } catch (error) {
        if (signal.aborted) return;
        const why = plainMessage(error);
        if (!isOutage(error)) {
          this.#become({ status: 'stopped', why });
          return;
        }
        this.#become({ status: 'reconnecting', why });
        await pause(retryMs, signal);
        retryMs = Math.min(retryMs * 2, RETRY_MS.most);
      }
    }
  }

  /** One life of the connections: until one of them breaks, or the projector is told to stop. */
  async #follow(progressed: () => void): Promise<void> {
    const { databaseUrl, log, models, schema = READ_SCHEMA, prepare } = this.options;
    await prepare?.();
    const client = await connectProjector(databaseUrl, schema);
    // Ends this subscription only; the projector's own end is one reason for it among others.
    const leaving = new AbortController();
    const leave = (): void => leaving.abort();
    this.#ending.signal.addEventListener('abort', leave, { once: true });
    // Without events nothing would find out that the connection is gone, and the next answer would wait for
    // the retry.
    let lost: Error | undefined;
    client.on('error', (error) => {
      lost = error;
      leave();
    });
    try {
      if (this.#ending.signal.aborted) return;
      const checkpoints = await readCheckpoints(client);
      const from = least(checkpoints);
      this.#position = from;
      this.#journalRevision = Math.max(...checkpoints.map(({ journalRevision }) => journalRevision));
      await assertLogHolds(log, this.#journalRevision);
      this.#become({ status: 'catching-up' });
      for await (const batch of batched(
        decoded(log.follow(from, prefixesOf(models), leaving.signal)),
        BATCH_LIMIT,
      )) {
        const events = batch.filter((item) => item !== CAUGHT_UP);
        if (events.length > 0) await this.#project(client, events);
        progressed();
        if (batch.length > events.length) this.#become({ status: 'live' });
        if (this.#ending.signal.aborted) return;
      }
      if (lost)
        throw new LogUnavailable(`The connection to Postgres broke: ${lost.message}`, { cause: lost });
      if (!this.#ending.signal.aborted) throw new LogUnavailable('The subscription to the log ended');
    } finally {
      this.#ending.signal.removeEventListener('abort', leave);
      leave();
      await client.end().catch(() => undefined);
    }
  }

  async #project(client: pg.Client, events: readonly RecordedEvent[]): Promise<void> {
    const { models, schema = READ_SCHEMA, onBatch } = this.options;
    try {
      const end = await projectBatch(client, events, { schema, models, announce: true });
      this.#position = end.position;
      this.#journalRevision = end.journalRevision;
      this.#recordedAtMs = Date.parse(events.at(-1)!.metadata.recordedAt);
      onBatch?.(events, end);
    } catch (error) {
      if (isOutage(error)) throw error;
      const [only] = events;
      if (events.length === 1 && only)
        throw new Stopped(
          `${only.type} at revision ${only.revision} of ${only.stream} cannot be projected: ${plainMessage(error)}`,
          { cause: error },
        );
      // All that is before the bad event is good: halve until it stands alone, so that the rows are whole up
      // to it.
      const half = Math.ceil(events.length / 2);
      await this.#project(client, events.slice(0, half));
      await this.#project(client, events.slice(half));
    }
  }
}

/**
 * A log that was restored from an old backup, or is another one altogether, gives out positions that the read
 * models have passed already: they would stand still for ever, or skip what is new.
 */
async function assertLogHolds(log: EventLog, journalRevision: number): Promise<void> {
  const held = (await log.lastOf(JOURNAL))?.revision ?? -1;
  if (held < journalRevision)
    throw new Stopped(
      `The read models have seen journal revision ${journalRevision} and the log ends at ${held}: it lacks what they have seen. Restore the log, or drop the schema of the read models if this log is the right one.`,
    );
}

/** What no repeat can mend stopped the projector; the message names it. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

const CAUGHT_UP = Symbol('caught up');

async function* decoded(
  source: AsyncIterable<SubscriptionItem>,
): AsyncGenerator<RecordedEvent | typeof CAUGHT_UP, void> {
  for await (const item of source) {
    if (item.kind === 'event') yield decode(item.event);
    else if (item.kind === 'caught-up') yield CAUGHT_UP;
  }
}

function decode(raw: Parameters<typeof recorded>[0]): RecordedEvent {
  try {
    return recorded(raw);
  } catch (error) {
    throw new Stopped(
      `${raw.type} at revision ${raw.revision} of ${raw.stream} cannot be read: ${plainMessage(error)}`,
      {
        cause: error,
      },
    );
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}

/**
 * Whether the log's journal holds more than has been projected, and how much; undefined when the log cannot
 * be asked.
 */
export async function eventsBehind(log: EventLog, projector: Projector): Promise<number | undefined> {
  try {
    const last = await log.lastOf(JOURNAL);
    return last === undefined ? 0 : Math.max(0, last.revision - projector.journalRevision);
  } catch {
    return undefined;
  }
}
