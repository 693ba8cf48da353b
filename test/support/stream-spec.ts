/**
 * Given / when / then for stream deciders, with a clock that the spec sets:
 *
 *     new StreamStory(subscription).at('2026-03-01').do(create).at('2026-03-02').then(claim, 'OccurrenceClaimed')
 */
import { expect } from '@jest/globals';
import type { DomainEvent } from '#contracts/events/index';
import { checkEvent } from '#contracts/events/index';
import { Rejected, type RejectionReason } from '#ledger/rejection';
import type { Decider } from '#ledger/streams/runner';

export class StreamStory<State, Command, Event extends DomainEvent> {
  state: State;
  now = new Date(0);
  readonly events: Event[] = [];

  constructor(private readonly decider: Decider<State, Command, Event>) {
    this.state = decider.initial;
  }

  /** Moves the clock: to a time (ISO text), or on by milliseconds. */
  at(when: string | number): this {
    this.now = typeof when === 'string' ? new Date(when) : new Date(this.now.getTime() + when);
    return this;
  }

  /** Executes a command, which is taken, and returns the events that it caused. */
  cause(command: (now: Date) => Command): readonly Event[] {
    const events = this.decider.decide(command(this.now), this.state);
    for (const event of events) {
      // As the log would give it back: a decider may not count on anything that is not in the event.
      checkEvent(event);
      this.state = this.decider.evolve(this.state, structuredClone(event));
      this.events.push(event);
    }
    return events;
  }

  do(...commands: readonly ((now: Date) => Command)[]): this {
    for (const command of commands) this.cause(command);
    return this;
  }

  /** Executes a command that causes exactly these events, by type. */
  then(command: (now: Date) => Command, ...types: readonly Event['type'][]): this {
    expect(this.cause(command).map(({ type }) => type)).toEqual(types);
    return this;
  }

  thenNothing(command: (now: Date) => Command): this {
    return this.then(command);
  }

  thenRejects(command: (now: Date) => Command, reason: RejectionReason): this {
    let refusal: unknown;
    try {
      this.decider.decide(command(this.now), this.state);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(Rejected);
    expect((refusal as Rejected).reason).toBe(reason);
    return this;
  }

  /** The latest event of a type. Throws when there is none. */
  last<T extends Event['type']>(type: T): Extract<Event, { type: T }> {
    const found = this.events.findLast((event): event is Extract<Event, { type: T }> => event.type === type);
    if (!found) throw new Error(`There is no ${type}.`);
    return found;
  }
}
