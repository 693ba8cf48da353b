/**
 * Every event that the log may hold, with its present version. An event is written in its present version and
 * read in any: `readEvent` upcasts step by step and then validates, so no reader ever meets an old shape.
 */
import { z } from 'zod';
import { accountRecoveryEvents, type AccountRecoveryEvent } from './account-recovery.js';
import { cardsEvents, type CardsEvent } from './cards.js';
import { guestEvents, type GuestEvent } from './guest.js';
import { handleEvents, type HandleEvent } from './handle.js';
import { journalEvents, type JournalEvent } from './journal.js';
import { occurrenceEvents, type OccurrenceEvent } from './occurrence.js';
import { scheduledPaymentEvents, type ScheduledPaymentOwnEvent } from './schedule.js';
import { bankAccountEvents, type BankAccountEvent } from './bank-account.js';
import { passkeyEvents, type PasskeyEvent } from './passkeys.js';
import { payerEvents, type PayerEvent } from './payer.js';
import { payoutProcessEvents, type PayoutProcessEvent } from './payout-process.js';
import { quarantineEvents, type QuarantineEvent } from './quarantine.js';
import { settingsEvents, type SettingsEvent } from './settings.js';
import { subscriptionEvents, type SubscriptionOwnEvent } from './subscription.js';
import { thanksEvents, type ThanksEvent } from './thanks.js';
import { tipPageEvents, type TipPageEvent } from './tip-page.js';
import { userEvents, type UserEvent } from './user.js';

export type DomainEvent =
  | JournalEvent
  | UserEvent
  | SettingsEvent
  | SubscriptionOwnEvent
  | ScheduledPaymentOwnEvent
  | OccurrenceEvent
  | CardsEvent
  | BankAccountEvent
  | PayerEvent
  | PayoutProcessEvent
  | PasskeyEvent
  | AccountRecoveryEvent
  | QuarantineEvent
  | HandleEvent
  | TipPageEvent
  | ThanksEvent
  | GuestEvent;
export type DomainEventType = DomainEvent['type'];

const schemas: Readonly<Record<DomainEventType, z.ZodType>> = {
  ...journalEvents,
  ...userEvents,
  ...settingsEvents,
  ...subscriptionEvents,
  ...scheduledPaymentEvents,
  ...occurrenceEvents,
  ...cardsEvents,
  ...bankAccountEvents,
  ...payerEvents,
  ...payoutProcessEvents,
  ...passkeyEvents,
  ...accountRecoveryEvents,
  ...quarantineEvents,
  ...handleEvents,
  ...tipPageEvents,
  ...thanksEvents,
  ...guestEvents,
};

type Upcast = (data: unknown) => unknown;
/**
 * `upcasters[type][n]` turns version n+1 into n+2. An event without an entry is still in its first version.
 */
const upcasters: Partial<Record<DomainEventType, readonly Upcast[]>> = {
  // The first version left a debt where it was.
  AccountClosed: [(data) => ({ ...(data as object), writtenOffMinor: 0, postings: [] })],
  // The first version did not say when the money of a charge can be used.
  ProviderFeeBooked: [(data) => ({ ...(data as object), netMinor: null, availableOn: null })],
};

/** The version in which an event of this type is written today. */
export const versionOf = (type: DomainEventType): number => 1 + (upcasters[type]?.length ?? 0);

/**
 * An event that this build cannot read: newer than it, unknown to it, or not of its own shape. Readers stop
 * on it.
 */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
}

const isKnown = (type: string): type is DomainEventType => Object.hasOwn(schemas, type);

/**
 * Validates an event before it is written. Throws {@link UnreadableEvent}: writing one would stop every
 * reader.
 */
export function checkEvent(event: DomainEvent): void {
  const result = schemas[event.type].safeParse(event.data);
  if (!result.success)
    throw new UnreadableEvent(`${event.type} is not well formed: ${z.prettifyError(result.error)}`);
}

/** An event as stored, of any version, as the present version's. Throws {@link UnreadableEvent}. */
export function readEvent(type: string, version: number, data: unknown): DomainEvent {
  if (!isKnown(type))
    throw new UnreadableEvent(`The log holds an event of type "${type}", which this build does not know.`);
  const present = versionOf(type);
  if (version > present)
    throw new UnreadableEvent(`${type} is of version ${version}; this build reads up to ${present}.`);
  const upcast = (upcasters[type] ?? []).slice(version - 1).reduce((older, step) => step(older), data);
  const result = schemas[type].safeParse(upcast);
  if (!result.success)
    throw new UnreadableEvent(`${type} is not well formed: ${z.prettifyError(result.error)}`);
  return { type, data: result.data } as DomainEvent;
}
