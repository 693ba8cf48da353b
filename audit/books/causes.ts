/**
 * What an entry says of where it came from, by ids: who asked, what caused it, which of the provider's
 * objects proves it.
 */
import type { Entry } from '../derivation/entries.js';

/** The fields of entries that name an object of the card provider's, in the order in which they are told. */
const PROVIDER_FIELDS = [
  'intentId',
  'chargeId',
  'refundId',
  'disputeId',
  'attemptId',
  'balanceTransactionId',
  'sourceId',
  'providerTransferId',
  'providerPayoutId',
  'reversalId',
  'connectAccountId',
] as const;

/** The fields that say what an entry is about, the narrowest first. */
const SUBJECT_FIELDS = ['transferId', 'movementId', 'payoutId', 'itemId', 'paymentId', 'walletId'] as const;

export interface Cause {
  /** The user whose request it was; null for what the provider, time or an operator did. */
  readonly actorId: string | null;
  readonly causationId: string | null;
  readonly correlationId: string;
  /** Ids of the provider's objects, by the field's name. */
  readonly provider: Readonly<Record<string, string>>;
  /** The schedule and due time that it collects. */
  readonly schedule: string | null;
  /** It was written by a recovery of the log. */
  readonly isRecovered: boolean;
}

const textIn = (data: object, field: string): string | undefined => {
  const value: unknown = Object.entries(data).find(([name]) => name === field)?.[1];
  return typeof value === 'string' ? value : undefined;
};

/** Where an entry came from. */
export function causeOf({ data, metadata }: Entry): Cause {
  const provider = PROVIDER_FIELDS.flatMap((field): [string, string][] => {
    const id = textIn(data, field);
    return id === undefined ? [] : [[field, id]];
  });
  const occurrence = 'occurrence' in data ? data.occurrence : undefined;
  return {
    actorId: metadata.actorId ?? null,
    causationId: metadata.causationId ?? null,
    correlationId: metadata.correlationId,
    provider: Object.fromEntries(provider),
    schedule: occurrence ? `${occurrence.scheduleId} ${occurrence.dueAt}` : null,
    isRecovered: metadata.recovered === true,
  };
}

/** What an entry is about, by id; null where it is about nothing that has one. */
export function subjectOf({ data }: Entry): string | null {
  for (const field of SUBJECT_FIELDS) {
    const id = textIn(data, field);
    if (id !== undefined) return id;
  }
  return textIn(data, 'chargeId') ?? textIn(data, 'balanceTransactionId') ?? null;
}
