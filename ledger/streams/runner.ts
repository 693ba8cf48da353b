/**
 * Runs a stream decider: load one stream, decide, append at the revision that was read, again on a conflict.
 * For what moves no money: users, settings, subscriptions, bank accounts and their like.
 */
import type { DomainEvent } from '#contracts/events/index';
import { START, type Position } from '#contracts/log';
import { NO_STREAM, OutcomeUnknown, recorded, WrongExpectedRevision, type EventLog } from '#log/event-log';
import { ChainVerifier } from '#log/chain';
import { record, type Provenance, type Tip } from '#log/record';
import { Patience } from '../patience.js';
import { Unavailable } from '../rejection.js';

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
const CONFLICTS = 10;
const RESENDS = 3;

interface LoadedStream<State> {
  readonly state: State;
  readonly tip: Tip;
  readonly position: Position;
}

export class StreamRunner {
  /** By decider, then stream; the one that was used longest ago is dropped first. */
  readonly #kept = new Map<object, Map<string, LoadedStream<unknown>>>();

  readonly #patience: Patience;

  constructor(
    private readonly log: EventLog,
    private readonly clock: () => Date = () => new Date(),
  ) {
    this.#patience = new Patience(log.health);
  }

  /**
   * Decides a command against a stream and appends what it causes. Throws Rejected when a rule says no,
   * Unavailable when the log does not answer: the same command may be sent again.
   */
  async execute<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    command: Command,
    provenance: Provenance,
  ): Promise<Outcome<State, Event>> {
    const stream = decider.streamOf(id);
    for (let conflict = 0; conflict < CONFLICTS; conflict++) {
      const { state, tip, position } = await this.#load(decider, stream);
      const events = decider.decide(command, state);
      if (events.length === 0) return { state, events, revision: tip.revision, position };

      const appends = [];
      let end = tip;
      for (const event of events) {
        const recording = record(stream, event, provenance, end, this.clock().getTime());
        appends.push(recording.event);
        end = recording.tip;
      }
      try {
        const appended = await this.#append(stream, appends, tip.revision);
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

  /** What a stream says now. Throws StoreAway. */
  async read<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
  ): Promise<State> {
    const { state } = await this.#patience.for(() => this.#load(decider, decider.streamOf(id)));
    return state;
  }

  async #load<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    stream: string,
  ): Promise<LoadedStream<State>> {
    // What a decider's map holds is that decider's state: it is written in #keep only.
    const kept = this.#kept.get(decider)?.get(stream) as LoadedStream<State> | undefined;
    let { state, position } = kept ?? { state: decider.initial, position: START };
    let recordedAtMs = kept?.tip.recordedAtMs ?? 0;
    const chain = new ChainVerifier(stream, kept?.tip);
    for await (const raw of this.log.readStream(stream, chain.revision + 1)) {
      chain.next(raw);
      const event = recorded(raw);
      // A stream holds its own kind of events only; the registry has validated the shape.
      state = decider.evolve(state, event as unknown as Event);
      position = event.position;
      recordedAtMs = Date.parse(event.metadata.recordedAt);
    }
    const tip: Tip = { revision: chain.revision, hash: chain.hash, recordedAtMs };
    const loaded = { state, tip, position };
    this.#keep(decider, stream, loaded);
    return loaded;
  }

  #keep<State>(decider: object, stream: string, loaded: LoadedStream<State>): void {
    let streams = this.#kept.get(decider);
    if (!streams) this.#kept.set(decider, (streams = new Map()));
    streams.delete(stream);
    if (loaded.tip.revision < 0) return;
    streams.set(stream, loaded);
    if (streams.size > KEPT_STREAMS) streams.delete(streams.keys().next().value!);
  }

  /**
   * An append whose outcome is unknown is sent again unchanged: same ids, same revision, and so at most once.
   */
  async #append(stream: string, events: Parameters<EventLog['append']>[1], revision: number) {
    for (let resend = 0; ; resend++) {
      try {
        return await this.log.append(
          stream,
          events,
          revision === -1 ? NO_STREAM : revision,
          APPEND_TIMEOUT_MS,
        );
      } catch (error) {
        if (!(error instanceof OutcomeUnknown)) throw error;
        if (resend === RESENDS)
          throw new Unavailable('The ledger does not answer at the moment. Please try again.', {
            cause: error,
          });
      }
    }
  }
}
