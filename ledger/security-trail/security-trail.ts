/**
 * The security trail: who signed in, what was refused, what changed of who may do what, and what operators
 * did. It stands beside the log and is no part of it. It has ids and a few words of fixed lists, never what
 * people write or are called.
 */
import type { FastifyRequest } from 'fastify';
import { seenFrom } from '#edge/seen-from';
import type { TrailAct } from './trail-acts.js';

/** `failed`: neither done nor refused, such as a provider that did not answer. */
export type TrailOutcome = 'done' | 'refused' | 'failed';

export interface TrailEntry {
  readonly what: TrailAct;
  /** Done, unless said. */
  readonly outcome?: TrailOutcome | undefined;
  /** Whose account is concerned. */
  readonly userId?: string | undefined;
  /** The session's public id, never its token. */
  readonly sessionId?: string | undefined;
  /** Such as "Chrome on Android". */
  readonly device?: string | undefined;
  /** The truncated address. */
  readonly network?: string | undefined;
  /** The operator who did it; absent where the user did. */
  readonly operator?: string | undefined;
  readonly correlationId?: string | undefined;
  /** Ids, names of calls, codes: what does not look like one is left out. */
  readonly detail?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
}

/** Notes what has happened. It never waits, never throws, and fails no act: what is lost is counted. */
export abstract class SecurityTrail {
  abstract note(entry: TrailEntry): void;
}

/** What a request tells the trail of itself. */
export function trailOf(
  request: FastifyRequest,
): Pick<TrailEntry, 'userId' | 'sessionId' | 'device' | 'network' | 'correlationId'> {
  const { device, network } = seenFrom(request);
  return {
    userId: request.userId,
    sessionId: request.signedIn?.sessionId,
    device: device.name,
    network,
    correlationId: request.id,
  };
}
