/** What the conformance suites of the event store write and how they read it, with the unmodified client. */
import { randomUUID } from 'node:crypto';
import {
  jsonEvent,
  type AllStreamResolvedEvent,
  type Position,
  type ResolvedEvent,
} from '@eventstore/db-client';

export function newStream(): string {
  return `conformance-${randomUUID()}`;
}

export function numbered(number: number, type = 'Numbered'): ReturnType<typeof jsonEvent> {
  return jsonEvent({ type, data: { number }, metadata: { version: 1 } });
}

export function several(count: number, from = 0): ReturnType<typeof jsonEvent>[] {
  return Array.from({ length: count }, (_, index) => numbered(from + index));
}

export async function collect<E>(events: AsyncIterable<E>): Promise<E[]> {
  const all: E[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** A read or a subscription: something that goes on until it is told to stop. */
export type Ongoing<E> = AsyncIterable<E> & ({ unsubscribe(): Promise<void> } | { cancel(): Promise<void> });

/**
 * Gives each event to `act`, in order, until it answers true. Then it stops and lets the rest run out: a loop
 * left by `break` leaves the client's call open, and disposing of the client waits for it for ever.
 */
export async function follow<E>(
  events: Ongoing<E>,
  act: (event: E) => boolean | Promise<boolean>,
): Promise<void> {
  let enough = false;
  for await (const event of events) {
    if (enough) continue;
    enough = await act(event);
    if (!enough) continue;
    if ('unsubscribe' in events) await events.unsubscribe();
    else await events.cancel();
  }
}

export async function take<E>(events: Ongoing<E>, count: number): Promise<E[]> {
  const taken: E[] = [];
  await follow(events, (event) => taken.push(event) === count);
  return taken;
}

export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('This should have been refused');
    },
    (error: unknown) => error,
  );
}

export function revisionsOf(events: readonly ResolvedEvent[]): (bigint | undefined)[] {
  return events.map(({ event }) => event?.revision);
}

export function numbersOf(events: readonly { event?: { data: unknown } }[]): number[] {
  return events.map(({ event }) => (event!.data as { number: number }).number);
}

export function upTo(count: number, from = 0): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

export function positionOf(event: ResolvedEvent | AllStreamResolvedEvent): Position {
  return event.event!.position!;
}

const TOO_SLOW =
  /Operation timed out: Consumer too slow to handle event while (live|transitioning to live)\. Client resubscription required\.$/;

/** Whether an error is the end of a live subscription that was behind: code 10 has other meanings as well. */
export function isDrop(error: unknown): boolean {
  const { code, message } = error as { code?: number; message?: string };
  return code === 10 && TOO_SLOW.test(message ?? '');
}

/**
 * Follows until so many events came, and subscribes again behind the last one wherever the server drops it.
 * Answers what came and how often it was dropped. Other errors are thrown.
 */
export async function takeThroughDrops<E>(
  subscribe: (last: E | undefined) => Ongoing<E>,
  count: number,
): Promise<{ events: E[]; drops: number }> {
  const events: E[] = [];
  for (let drops = 0; ; drops++) {
    try {
      await follow(subscribe(events.at(-1)), (event) => events.push(event) === count);
      return { events, drops };
    } catch (error) {
      if (!isDrop(error)) throw error;
    }
  }
}
