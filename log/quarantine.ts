/**
 * The events that an operator took out, read from their own stream. It is small: it is read whole, and before
 * anything that it may be about.
 */
import { randomUUID } from 'node:crypto';
import { QUARANTINE, type QuarantineEvent } from '#contracts/events/quarantine';
import type { RecordedEvent } from '#contracts/log';
import { ChainVerifier } from './chain.js';
import { eventAt } from './event-at.js';
import { WrongExpectedRevision, type EventLog, type RawEvent } from './event-log.js';
import { record, type Tip } from './record.js';
import { parkingReason, storedEvent } from './stored-event.js';

/** One event that was taken out. */
export interface QuarantinedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly eventId: string;
  /** The operator's words. */
  readonly because: string;
  readonly quarantinedAt: string;
  /** The revision at which the quarantine's own stream says so. */
  readonly place: number;
}

/** What stands at a place of a log. */
type StoredPlace = Pick<RawEvent, 'stream' | 'revision' | 'id'>;

/** A set of events that were taken out. */
export class Quarantined {
  readonly #byPlace = new Map<string, QuarantinedEvent>();

  constructor(readonly events: readonly QuarantinedEvent[]) {
    for (const event of events) this.#byPlace.set(`${event.revision}@${event.stream}`, event);
  }

  /** Whether this very event was taken out: another one at its place was not. */
  has({ stream, revision, id }: StoredPlace): boolean {
    return this.#byPlace.get(`${revision}@${stream}`)?.eventId === id;
  }

  /** Whether anything of a stream was taken out. */
  concerns(stream: string): boolean {
    return this.events.some((event) => event.stream === stream);
  }
}

export const NOTHING_QUARANTINED = new Quarantined([]);

/** The quarantine's stream, as it was read. */
interface QuarantineStream {
  readonly quarantined: Quarantined;
  /** Its end, to which the next event is chained. */
  readonly tip: Tip;
  /** The event that cannot be read at which it stands, if there is one: what comes after it has no effect. */
  readonly standsAt: RawEvent | undefined;
}

const quarantinedEventOf = ({ revision: place, data }: RecordedEvent<QuarantineEvent>): QuarantinedEvent => ({
  stream: data.stream,
  revision: data.revision,
  eventId: data.eventId,
  because: data.because,
  quarantinedAt: data.at,
  place,
});

/**
 * Reads which events were taken out. An event of this stream itself that cannot be read holds up those after
 * it, until one of them takes it out. Throws LogUnavailable.
 */
export async function readQuarantine(log: Pick<EventLog, 'readStream'>): Promise<QuarantineStream> {
  const chain = new ChainVerifier(QUARANTINE);
  let recordedAtMs = 0;
  const said: QuarantinedEvent[] = [];
  const unreadable: RawEvent[] = [];
  for await (const raw of log.readStream(QUARANTINE, 0)) {
    const stored = storedEvent(raw);
    const event = parkingReason(chain, stored) ? undefined : stored.event;
    if (event?.type === 'EventQuarantined') {
      said.push(quarantinedEventOf(event));
      recordedAtMs = Math.max(recordedAtMs, Date.parse(event.metadata.recordedAt));
    } else unreadable.push(raw);
    if (chain.revision < raw.revision) chain.skip(raw);
  }
  const ofItself = new Quarantined(said.filter(({ stream }) => stream === QUARANTINE));
  const standsAt = unreadable.find((raw) => !ofItself.has(raw));
  const inEffect = said.filter(({ place }) => standsAt === undefined || place < standsAt.revision);
  return {
    quarantined: new Quarantined(inEffect),
    tip: { revision: chain.revision, hash: chain.hash, recordedAtMs },
    standsAt,
  };
}

const APPEND_TIMEOUT_MS = 10_000;
const CONFLICTS = 10;

/**
 * Takes one event out, in the operator's words. A repeat writes nothing. Throws RangeError where the log has
 * no such event, OutcomeUnknown and LogUnavailable: the same may be done again.
 */
export async function takeOut(
  log: Pick<EventLog, 'readStream' | 'append'>,
  { stream, revision, because }: Pick<QuarantinedEvent, 'stream' | 'revision' | 'because'>,
  now: Date,
): Promise<void> {
  const raw = await eventAt(log, stream, revision);
  if (!raw) throw new RangeError(`The log has no revision ${revision} of ${stream}.`);
  for (let conflict = 0; ; conflict++) {
    const { quarantined, tip } = await readQuarantine(log);
    if (quarantined.has(raw)) return;
    const data = { stream, revision, eventId: raw.id, because, at: now.toISOString() };
    const provenance = { correlationId: `operate-${randomUUID()}` };
    const said = record(QUARANTINE, { type: 'EventQuarantined', data }, provenance, tip, now.getTime());
    try {
      await log.append(QUARANTINE, [said.event], tip.revision, APPEND_TIMEOUT_MS);
      return;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision) || conflict === CONFLICTS) throw error;
    }
  }
}

/** Where a stream cannot be read any further, and why; undefined for one that can. Throws LogUnavailable. */
export async function unreadableEventOf(
  log: Pick<EventLog, 'readStream'>,
  stream: string,
): Promise<{ readonly raw: RawEvent; readonly why: string } | undefined> {
  const { quarantined, standsAt } = await readQuarantine(log);
  if (stream === QUARANTINE) return standsAt && { raw: standsAt, why: 'It cannot be read.' };
  const chain = new ChainVerifier(stream);
  for await (const raw of log.readStream(stream, 0)) {
    if (quarantined.has(raw)) chain.skip(raw);
    else {
      const reason = parkingReason(chain, storedEvent(raw));
      if (reason) return { raw, why: reason.why };
    }
  }
  return undefined;
}
