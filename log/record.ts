/** Turns a decided event into what is appended: validated, stamped and chained. */
import { recordedFingerprint } from '#contracts/plain/fingerprint';
import { randomUUID } from 'node:crypto';
import { checkEvent, versionOf, type DomainEvent } from '#contracts/events/index';
import type { NewEvent } from './event-log.js';
import { HASH_FIELD_BYTES, hashOf } from './chain.js';

/** Who or what made us act: from the click or the provider's message to the event's metadata. */
export interface Provenance {
  readonly correlationId: string;
  readonly causationId?: string | undefined;
  readonly actorId?: string | undefined;
  /** It is won back by a recovery of the log. */
  readonly recovered?: true | undefined;
}

/** How a repeat of a journal's command is recognised. */
export interface KeyedProvenance extends Provenance {
  /**
   * For what a user asks (OpenPayment, PostTransfer, RequestPayout, OpenWallet, FundWallet, WithdrawWallet):
   * `{userId}:{UUIDv7}`, made by the client and kept before it sends. The ids of what is made derive from it
   * (`idFrom`), so a repeat names the same one. Other commands derive their own.
   */
  readonly key?: string | undefined;
  /** HMAC of the request's body (vault.fingerprint): the same key with another one is refused. */
  readonly fingerprint?: string | undefined;
}

/** The end of a stream: what the next event is chained to. */
export interface Tip {
  readonly revision: number;
  readonly hash: string;
  /** When the last event was recorded, in milliseconds since 1970: the next one is never earlier. */
  readonly recordedAtMs: number;
}

/** An event ready to be appended, how large it is, and the tip that it leaves. */
export interface Recording {
  readonly event: NewEvent;
  /** What the store counts towards an append's limit: data + metadata + 2 × type, in bytes. */
  readonly bytes: number;
  readonly tip: Tip;
}

/**
 * Validates, stamps (`recordedAt = max(now, previous)`) and chains one event after `tip`. Throws
 * UnreadableEvent for an ill-formed one.
 */
export function record(
  stream: string,
  event: DomainEvent,
  provenance: KeyedProvenance,
  tip: Tip,
  nowMs: number,
): Recording {
  checkEvent(event);
  const id = randomUUID();
  const revision = tip.revision + 1;
  const recordedAtMs = Math.max(nowMs, tip.recordedAtMs);
  const stamped = {
    version: versionOf(event.type),
    recordedAt: new Date(recordedAtMs).toISOString(),
    correlationId: provenance.correlationId,
    causationId: provenance.causationId,
    actorId: provenance.actorId,
    key: provenance.key,
    fingerprint:
      provenance.fingerprint === undefined ? undefined : recordedFingerprint(provenance.fingerprint),
    recovered: provenance.recovered,
  };
  const data = JSON.stringify(event.data);
  const metadata = JSON.stringify(stamped);
  const hash = hashOf(tip.hash, { stream, revision, id, type: event.type, data, metadata });
  return {
    event: { id, type: event.type, data: event.data, metadata: { ...stamped, hash } },
    bytes: Buffer.byteLength(data) + Buffer.byteLength(metadata) + HASH_FIELD_BYTES + 2 * event.type.length,
    tip: { revision, hash, recordedAtMs },
  };
}
