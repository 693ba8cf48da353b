/**
 * The projector: follows the log from the checkpoint on and projects what comes, for as long as the process
 * lives. A broken connection is taken up again from the checkpoint; an event that cannot be projected stops
 * it for good, loudly: figures that are late can be explained, figures that leave something out cannot.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { assertWhole } from '#log/copy-mark';
import { LogUnavailable, type EventLog, type SubscriptionItem } from '#log/event-log';
import { storedEvent, type StoredEvent } from '#log/stored-event';
import { JOURNAL } from '#contracts/events/journal';
import { isOurStream, OUR_PREFIXES } from '#contracts/events/our-streams';
import { QUARANTINE } from '#contracts/events/quarantine';
import { START, type Position } from '#contracts/log';
import { Backlog } from './backlog.js';
import { batched } from './batched.js';
import { fillLastEvents, least, makeRoomForLastEvent, readCheckpoints } from './checkpoints.js';
import { plainMessage, READ_SCHEMA } from './database.js';
import { compareWithLog } from './last-event.js';
import { LostConnectionWatch, type LostConnectionTimes } from './lost-connection.js';
import {
  connectProjector,
  NotProjected,
  OtherVersion,
  projectEvents,
  type BatchEnd,
} from './project-batch.js';
import type { ReadModel } from './read-model.js';
import { isOutage } from '#contracts/outage';

/** Large enough to catch up at full speed; one transaction of this size takes well under a second. */
export const BATCH_LIMIT = 1000;

/** Each of these tries opens connections; whether the log is back is asked in between. */
const RETRY_MS = { first: 100, most: 1000 } as const;
const ASK_LOG_MS = 100;
/** Making the rows anew costs a whole reading of the log. */
const RELEASE_RETRY_MS = { first: 1_000, most: 60_000 } as const;

/** An event that the log does not know after so long is gone. */
const LOST_AFTER_MS = 30_000;
const ASK_AGAIN_MS = 500;

/** Whoever has projected all that is older than this shows the present. */
const LIVE_WITHIN_MS = 1000;
const LOOK_EVERY_MS = 250;

export type ProjectorState =
  | { readonly status: 'starting' }
  /** Following, with a backlog still to be read. */
  | { readonly status: 'catching-up' }
  /** Following, and everything that was there until a second ago has been projected. */
  | { readonly status: 'live' }
  /** A store cannot be reached; it is tried again. */
  | { readonly status: 'reconnecting'; readonly why: string }
  /** The log has lost something: rows stay as they are until an operator has won it back. */
  | { readonly status: 'recovering'; readonly why: string }
  /** Ended by something that no repeat can mend. */
  | StoppedState;

interface StoppedState {
  readonly status: 'stopped';
  readonly why: string;
  /** The rows are those of another build, which goes on with them: as an old projector beside a new one. */
  readonly areRowsOthers: boolean;
}

/** Whether rows stand still because this projector has stopped. */
export const isStandstill = (state: ProjectorState): state is StoppedState =>
  state.status === 'stopped' && !state.areRowsOthers;

/** The state of a projector that an error has stopped. */
export const stoppedBy = (error: unknown): StoppedState => ({
  status: 'stopped',
  why: plainMessage(error),
  areRowsOthers: error instanceof OtherVersion,
});

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
  readonly onBatch?: (events: readonly StoredEvent[], end: BatchEnd) => void;
  /** An event was taken out, and the rows could not be made anew without it; it is tried again. */
  readonly onReleaseFailure?: (why: string) => void;
  readonly onState?: (state: ProjectorState) => void;
  /** The store dropped this follower, which has been subscribed again: no outage, and no state. */
  readonly onDrop?: (why: string) => void;
  /** Milliseconds that only rise, from any start; the machine's unless told. */
  readonly clock?: () => number;
  /** Why the log is in recovery; undefined while it is not. Never, unless told. */
  readonly recovery?: () => string | undefined;
  /** For how long the log is asked for what the read models have seen and it lacks; 30 s unless told. */
  readonly lostAfterMs?: number;
  readonly lostConnection?: LostConnectionTimes;
}

const monotonic = (): number => performance.now();

export class Projector {
  #state: ProjectorState = { status: 'starting' };
  #position: Position = START;
  #journalRevision = -1;
  readonly #backlog: Backlog;
  /** Since when the log lacks what the read models have seen. */
  #lackingSinceMs: number | undefined;
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  #releasing: Promise<void> = Promise.resolve();

  constructor(private readonly options: ProjectorOptions) {
    this.#backlog = new Backlog(options.clock ?? monotonic);
  }

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

  /** How old the oldest event is that has not been projected, in seconds; 0 when there is none. */
  secondsBehind(nowMs: number): number {
    return this.#backlog.ageMs(nowMs) / 1000;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends after the batch in hand. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
    await this.#releasing;
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
        this.#backlog.unsubscribed();
        const why = plainMessage(error);
        if (!isOutage(error)) {
          const isInRecovery = error instanceof OtherLog && this.options.recovery?.() !== undefined;
          if (!isInRecovery) this.#become(stoppedBy(error));
          if (!(error instanceof OtherLog)) return;
          await this.#recovered();
          continue;
        }
        this.#become({ status: 'reconnecting', why });
        await pause(retryMs, undefined, { signal }).catch(() => undefined);
        retryMs = Math.min(retryMs * 2, RETRY_MS.most);
        await this.#logAnswers();
      }
    }
  }

  /**
   * A log that does not belong to the rows may have lost something: then it is won back, or the rows are let
   * go, and either way they are compared anew.
   */
  async #recovered(): Promise<void> {
    const { signal } = this.#ending;
    let isRecovering = false;
    while (!signal.aborted) {
      const why = this.options.recovery?.();
      if (why !== undefined) this.#become({ status: 'recovering', why });
      else if (isRecovering) return;
      isRecovering = why !== undefined;
      await pause(ASK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * After a long outage people wait for the first event: the log is asked often, at little cost to anybody.
   */
  async #logAnswers(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted)
      try {
        await this.options.log.lastOf(JOURNAL);
        return;
      } catch (error) {
        if (!isOutage(error)) return;
        await pause(ASK_LOG_MS, undefined, { signal }).catch(() => undefined);
      }
  }

  /** One life of the connections: until one of them breaks, or the projector is told to stop. */
  async #follow(progressed: () => void): Promise<void> {
    const { databaseUrl, log, schema = READ_SCHEMA, prepare } = this.options;
    await assertWhole(log);
    await prepare?.();
    const client = await connectProjector(databaseUrl, schema);
    let watch: LostConnectionWatch | undefined;
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
      watch = await LostConnectionWatch.over(client, databaseUrl, this.options.lostConnection);
      const from = await this.#startingPlace(client, leaving.signal);
      if (!leaving.signal.aborted)
        await this.#projectFrom(
          { client, watch },
          this.#decoded(log.follow(from, OUR_PREFIXES, leaving.signal)),
          progressed,
        );
      if (lost)
        throw new LogUnavailable(`The connection to Postgres broke: ${lost.message}`, { cause: lost });
      if (!this.#ending.signal.aborted) throw new LogUnavailable('The subscription to the log ended');
    } finally {
      this.#ending.signal.removeEventListener('abort', leave);
      leave();
      watch?.stop();
      await client.end().catch(() => undefined);
    }
  }

  /**
   * Where the read models stand, once it is certain that this log is the one that they were made from. What a
   * node does not know of may come yet: it is asked again for a while.
   */
  async #startingPlace(client: pg.Client, leaving: AbortSignal): Promise<Position> {
    const { log, clock = monotonic, lostAfterMs = LOST_AFTER_MS } = this.options;
    await makeRoomForLastEvent(client);
    for (;;) {
      const checkpoints = await readCheckpoints(client);
      const from = least(checkpoints);
      this.#position = from;
      this.#journalRevision = Math.max(...checkpoints.map(({ journalRevision }) => journalRevision));
      const leader = log.witness();
      const compared = await compareWithLog(log, checkpoints);
      if (compared.kind === 'same') {
        this.#lackingSinceMs = undefined;
        await fillLastEvents(client, compared.filled);
        return from;
      }
      await leader.confirm();
      this.#lackingSinceMs ??= clock();
      // What a ledger has found too is not asked for any longer.
      const isFound = this.options.recovery?.() !== undefined;
      if (isFound || compared.kind === 'other' || clock() - this.#lackingSinceMs >= lostAfterMs)
        throw new OtherLog(compared.why);
      this.#become({ status: 'reconnecting', why: `The log is asked again, it may lag. ${compared.why}` });
      await pause(ASK_AGAIN_MS, undefined, { signal: leaving }).catch(() => undefined);
      if (leaving.aborted) return from;
    }
  }

  async #projectFrom(
    { client, watch }: { readonly client: pg.Client; readonly watch: LostConnectionWatch },
    source: AsyncIterable<Followed>,
    progressed: () => void,
  ): Promise<void> {
    this.#backlog.subscribed();
    let live = false;
    const look = (): void => {
      if (live) this.#become({ status: this.#backlog.lateMs() <= LIVE_WITHIN_MS ? 'live' : 'catching-up' });
    };
    // An event that waits is noticed also while nothing else comes.
    const looking = setInterval(look, LOOK_EVERY_MS);
    try {
      for await (const batch of batched(source, BATCH_LIMIT, bytesOf)) {
        const events = batch.flatMap((item) => (item === CAUGHT_UP ? [] : [item.stored]));
        if (events.length > 0) await watch.during(() => this.#project(client, events));
        this.#backlog.projected(events.length);
        progressed();
        live ||= batch.length > events.length;
        look();
        if (this.#ending.signal.aborted) return;
      }
    } finally {
      clearInterval(looking);
    }
  }

  /** What follows from the log, read as far ahead as {@link batched} lets it. */
  async *#decoded(source: AsyncIterable<SubscriptionItem>): AsyncGenerator<Followed, void> {
    let isFirst = true;
    for await (const item of source) {
      // Until the store gives something, it is still what it waits for.
      if (isFirst) this.#become({ status: 'catching-up' });
      isFirst = false;
      if (item.kind === 'event') {
        if (!isOurStream(item.event.stream)) continue;
        const stored = decode(item.event);
        const { raw, event } = stored;
        this.#backlog.received(event ? Date.parse(event.metadata.recordedAt) : raw.createdAt.getTime());
        yield { stored, bytes: raw.data.bytes.length + raw.metadata.bytes.length };
      } else if (item.kind === 'caught-up') {
        this.#backlog.caughtUp();
        yield CAUGHT_UP;
      } else if (item.kind === 'dropped') {
        this.#backlog.dropped();
        this.options.onDrop?.(item.why);
      }
    }
  }

  async #project(client: pg.Client, events: readonly StoredEvent[]): Promise<void> {
    const { models, schema = READ_SCHEMA, onBatch } = this.options;
    await projectEvents(client, events, { schema, models, announce: true }, (batch, end) => {
      this.#position = end.position;
      this.#journalRevision = end.journalRevision;
      onBatch?.(batch, end);
    });
    if (events.some(({ raw }) => raw.stream === QUARANTINE)) this.#release();
  }

  /**
   * An operator took an event out: the rows are made anew without it, beside the live ones, which go on
   * meanwhile. One after the other, as often as something was taken out.
   */
  #release(): void {
    this.#releasing = this.#releasing.then(async () => {
      const { signal } = this.#ending;
      for (let pauseMs: number = RELEASE_RETRY_MS.first; !signal.aborted;) {
        try {
          await this.options.prepare?.();
          return;
        } catch (error) {
          this.options.onReleaseFailure?.(plainMessage(error));
        }
        await pause(pauseMs, undefined, { signal }).catch(() => undefined);
        pauseMs = Math.min(pauseMs * 2, RELEASE_RETRY_MS.most);
      }
    });
  }
}

/** What no repeat can mend stopped the projector; the message names it. */
class Stopped extends Error {
  override readonly name: string = 'Stopped';
}

/** The log is not the one that the rows were made from, or has lost what they have seen. */
class OtherLog extends Stopped {
  override readonly name = 'OtherLog';
}

const CAUGHT_UP = Symbol('caught up');

/** What is read ahead: an event and how large it is as stored, or word that all of the past has been read. */
type Followed = { readonly stored: StoredEvent; readonly bytes: number } | typeof CAUGHT_UP;

const bytesOf = (item: Followed): number => (item === CAUGHT_UP ? 0 : item.bytes);

/** Throws {@link NotProjected} for a journal entry that cannot be read: nothing passes over one. */
function decode(raw: Parameters<typeof storedEvent>[0]): StoredEvent {
  const stored = storedEvent(raw);
  if (raw.stream === JOURNAL && !stored.event)
    throw new NotProjected(
      `${raw.type} at revision ${raw.revision} of ${raw.stream} cannot be read: ${stored.unreadable}`,
    );
  return stored;
}

/** More than so many are not counted: whoever is told has to look in any case. */
const COUNTED_AT_MOST = 10_000;

/**
 * How many events of ours the log holds behind what the read models have passed, 10,000 at most; undefined
 * when the log cannot be asked.
 */
export async function eventsBehind(
  log: EventLog,
  projector: Pick<Projector, 'position'>,
): Promise<number | undefined> {
  let count = 0;
  try {
    for await (const { stream } of log.readAll(projector.position, OUR_PREFIXES)) {
      if (isOurStream(stream)) count += 1;
      if (count === COUNTED_AT_MOST) break;
    }
    return count;
  } catch {
    return undefined;
  }
}
