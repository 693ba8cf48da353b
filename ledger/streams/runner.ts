/**
 * Runs a stream decider: load one stream, decide, append at the revision that was read, again on a conflict.
 * For what moves no money: users, settings, subscriptions, bank accounts and their like.
 */
import type { DomainEvent } from '#contracts/events/index';
import { START, type Position, type RecordedEvent } from '#contracts/log';
import {
  AppendDenied,
  OutcomeUnknown,
  ReadRefused,
  WrongExpectedRevision,
  type AppendResult,
  type EventLog,
  type RawEvent,
} from '#log/event-log';
import { ChainVerifier } from '#log/chain';
import { NOTHING_QUARANTINED, readQuarantine, type Quarantined } from '#log/quarantine';
import { DELETED_FOR_GOOD, parkingReason, storedEvent } from '#log/stored-event';
import { record, type Provenance, type Tip } from '#log/record';
import { RecordingClock } from '../journal/clock.js';
import { Patience, WRITE_WAITS_MS } from '../patience.js';
import { OutcomeOpen, Rejected, StoreAway, StreamParked, Unavailable, WritesClosed } from '../rejection.js';

/** The rules of one kind of stream, pure: time, ids and rates arrive in the command. */
export interface Decider<State, Command, Event extends DomainEvent> {
  /** The name of the stream of this id: a user's, or that of the thing itself. */
  readonly streamOf: (id: string) => string;
  readonly initial: State;
  /** The events that the command causes; none for a repeat. Throws Rejected. */
  decide(command: Command, state: State): readonly Event[];
  evolve(state: State, event: Event): State;
}

/**
 * What a command left behind. `position` is that of the stream's last event, also for a repeat; START for an
 * empty stream.
 */
export interface Outcome<State, Event> {
  readonly state: State;
  readonly events: readonly Event[];
  readonly revision: number;
  readonly position: Position;
}

/**
 * Streams whose state is kept, so that only what came since is read: a daily subscription's is long after
 * some years.
 */
const KEPT_STREAMS = 2_000;
const APPEND_TIMEOUT_MS = 5_000;
/**
 * So old may our knowledge of what was taken out be where a stream reads well: an event that only the rows
 * refuse is taken out so much later here. One that cannot be read is asked about at once.
 */
const QUARANTINE_KNOWN_FOR_MS = 10_000;
const CONFLICTS = 10;
/** A quarter of a second less than anybody is let wait. */
const ANSWER_WITHIN_MS = WRITE_WAITS_MS - 250;
/** Between two tries to learn what became of an append. */
const RESEND_MS = { first: 25, most: 1_000 } as const;

interface LoadedStream<State> {
  readonly state: State;
  readonly tip: Tip;
  readonly position: Position;
}

type Appends = Parameters<EventLog['append']>[1];

export class StreamRunner {
  /**
   * By stream: appends of which the log has not said what became of them. Each is sent again, unchanged,
   * until it does; until then nothing else is decided on that stream.
   */
  readonly #open = new Map<string, Promise<unknown>>();
  /** By decider, then stream; the one that was used longest ago is dropped first. */
  readonly #kept = new Map<object, Map<string, LoadedStream<unknown>>>();

  readonly #patience: Patience;
  readonly #recordingClock: RecordingClock;
  #quarantined: Quarantined = NOTHING_QUARANTINED;
  #quarantineReadMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly log: EventLog,
    private readonly clock: () => Date = () => new Date(),
    private readonly answerWithinMs = ANSWER_WITHIN_MS,
  ) {
    this.#patience = new Patience(log.health);
    this.#recordingClock = new RecordingClock(log, clock);
  }

  /**
   * Decides a command against a stream and appends what it causes. Throws Rejected when a rule says no,
   * OutcomeOpen when the log has not said in time what became of the append, LogUnavailable or Unavailable
   * when nothing was decided: the same command may be sent again. Throws StreamParked where the stream holds
   * an event that cannot be read.
   */
  async execute<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    command: Command,
    provenance: Provenance,
  ): Promise<Outcome<State, Event>> {
    const stream = decider.streamOf(id);
    const answerBy = performance.now() + this.answerWithinMs;
    await this.#recordingClock.readIfDue();
    for (let conflict = 0; conflict < CONFLICTS; conflict++) {
      await this.#noneOpen(stream, answerBy);
      const witness = this.log.witness();
      const { state, tip, position } = await this.#load(decider, stream);
      let events;
      try {
        events = decider.decide(command, state);
      } catch (error) {
        // A no is no more than what it was decided on.
        if (error instanceof Rejected) await witness.confirm();
        throw error;
      }
      if (events.length === 0) {
        await witness.confirm();
        return { state, events, revision: tip.revision, position };
      }
      if (this.#recordingClock.leadProblem !== undefined) {
        // It may have been set right meanwhile.
        await this.#recordingClock.read();
        if (this.#recordingClock.leadProblem !== undefined)
          throw new Unavailable(this.#recordingClock.leadProblem);
        continue;
      }
      const { appends, end } = this.#record(stream, events, provenance, tip);
      try {
        const appended = await this.#append(stream, appends, tip.revision, answerBy);
        const after = events.reduce(decider.evolve, state);
        this.#keep(decider, stream, { state: after, tip: end, position: appended.position });
        return { state: after, events, revision: appended.revision, position: appended.position };
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error;
        this.#kept.get(decider)?.delete(stream);
      }
    }
    throw new Unavailable('Too many changes at once. Please try again.');
  }

  #record(stream: string, events: readonly DomainEvent[], provenance: Provenance, tip: Tip) {
    const appends = [];
    let end = tip;
    for (const event of events) {
      const recording = record(stream, event, provenance, end, this.clock().getTime());
      appends.push(recording.event);
      end = recording.tip;
    }
    return { appends, end };
  }

  /** What a stream says now. Throws StoreAway and StreamParked. */
  async read<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
  ): Promise<State> {
    const stream = decider.streamOf(id);
    const answerBy = performance.now() + this.answerWithinMs;
    const { state } = await this.#patience.for(async () => {
      await this.#noneOpen(stream, answerBy);
      const witness = this.log.witness();
      const loaded = await this.#load(decider, stream);
      await witness.confirm();
      return loaded;
    });
    return state;
  }

  /**
   * What a stream holds. One that was deleted for good is parked: nobody waits for the store on its behalf.
   */
  async #load<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    stream: string,
  ): Promise<LoadedStream<State>> {
    try {
      return await this.#loadShown(decider, stream);
    } catch (error) {
      if (!(error instanceof ReadRefused) || error.because !== 'deleted') throw error;
      throw new StreamParked(stream, Number.MAX_SAFE_INTEGER, DELETED_FOR_GOOD);
    }
  }

  async #loadShown<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    stream: string,
  ): Promise<LoadedStream<State>> {
    const knownForMs = Math.abs(this.clock().getTime() - this.#quarantineReadMs);
    if (knownForMs > QUARANTINE_KNOWN_FOR_MS) await this.#readQuarantine();
    // What a decider's map holds is that decider's state: it is written in #keep only.
    const kept = this.#kept.get(decider)?.get(stream) as LoadedStream<State> | undefined;
    let { state, position } = kept ?? { state: decider.initial, position: START };
    let recordedAtMs = kept?.tip.recordedAtMs ?? 0;
    const chain = new ChainVerifier(stream, kept?.tip);
    for await (const raw of this.log.readStream(stream, chain.revision + 1)) {
      position = raw.position;
      if (this.#quarantined.has(raw)) {
        chain.skip(raw);
        continue;
      }
      const read = taken(chain, raw, (event) => decider.evolve(state, event as unknown as Event));
      if ('why' in read) {
        await this.#readQuarantine();
        if (!this.#quarantined.has(raw)) throw new StreamParked(stream, raw.revision, read.why);
        chain.skip(raw);
        continue;
      }
      ({ state, recordedAtMs } = read);
    }
    const tip: Tip = { revision: chain.revision, hash: chain.hash, recordedAtMs };
    const loaded = { state, tip, position };
    this.#keep(decider, stream, loaded);
    return loaded;
  }

  /** What of our streams operators took out. What is kept of a stream of which more was is read again. */
  async #readQuarantine(): Promise<void> {
    const { quarantined } = await readQuarantine(this.log);
    const more = quarantined.events.slice(this.#quarantined.events.length);
    for (const { stream } of more) for (const streams of this.#kept.values()) streams.delete(stream);
    this.#quarantined = quarantined;
    this.#quarantineReadMs = this.clock().getTime();
  }

  #keep<State>(decider: object, stream: string, loaded: LoadedStream<State>): void {
    let streams = this.#kept.get(decider);
    if (!streams) this.#kept.set(decider, (streams = new Map()));
    streams.delete(stream);
    if (loaded.tip.revision < 0) return;
    streams.set(stream, loaded);
    if (streams.size > KEPT_STREAMS) streams.delete(streams.keys().next().value!);
  }

  /** Waits until the log has said what became of all that was appended to a stream. Throws StoreAway. */
  async #noneOpen(stream: string, answerBy: number): Promise<void> {
    for (let open = this.#open.get(stream); open; open = this.#open.get(stream))
      await within(answerBy, open, () => new StoreAway());
  }

  /** Throws WrongExpectedRevision, or OutcomeOpen at the end of the caller's time. */
  async #append(stream: string, events: Appends, revision: number, answerBy: number): Promise<AppendResult> {
    try {
      return await this.log.append(stream, events, revision, APPEND_TIMEOUT_MS);
    } catch (error) {
      // Of one stream alone: no outage, which would hold up whoever asks for others.
      if (error instanceof AppendDenied) throw new Error(error.message, { cause: error });
      if (!(error instanceof OutcomeUnknown)) throw error;
      const resending = this.#resend(stream, events, revision);
      const answered = Promise.allSettled([this.#open.get(stream), resending]).then(() => {
        if (this.#open.get(stream) === answered) this.#open.delete(stream);
      });
      this.#open.set(stream, answered);
      return within(answerBy, resending, () => new OutcomeOpen({ cause: error }));
    }
  }

  /**
   * Sends an append again, unchanged, until the log says what became of it: same ids, same revision, and so
   * it is written at most once.
   */
  async #resend(stream: string, events: Appends, revision: number): Promise<AppendResult> {
    for (let pauseMs: number = RESEND_MS.first; ; pauseMs = Math.min(pauseMs * 2, RESEND_MS.most)) {
      // A process that ends does not wait for it: whoever reads the stream next finds it, or does not.
      await new Promise<void>((resolve) => setTimeout(resolve, pauseMs).unref());
      try {
        return await this.log.append(stream, events, revision, APPEND_TIMEOUT_MS);
      } catch (error) {
        // A gate that has closed meanwhile says nothing of what was sent before.
        if (!(error instanceof OutcomeUnknown) && !(error instanceof WritesClosed)) throw error;
      }
    }
  }
}

/** The state after the next event of a stream, or why that event cannot be taken. */
function taken<State>(
  chain: ChainVerifier,
  raw: RawEvent,
  evolve: (event: RecordedEvent) => State,
): { readonly state: State; readonly recordedAtMs: number } | { readonly why: string } {
  const stored = storedEvent(raw);
  const reason = parkingReason(chain, stored);
  const { event } = stored;
  if (reason || !event) return { why: reason?.why ?? 'It cannot be read.' };
  try {
    // A stream holds its own kind of events only; the registry has validated the shape.
    return { state: evolve(event), recordedAtMs: Date.parse(event.metadata.recordedAt) };
  } catch (error) {
    return { why: `It does not follow from what came before: ${String(error)}` };
  }
}

/** What a promise comes to by then; throws `late` where it has not. It goes on by itself. */
async function within<T>(atMs: number, promise: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(0, atMs - performance.now()));
  });
  try {
    return await Promise.race([promise, end]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => undefined);
  }
}
