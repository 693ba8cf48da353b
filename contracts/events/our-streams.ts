/**
 * Which streams are this application's, and what each kind of them holds: the one list. Beside them a store
 * holds its own (`$…`), and perhaps those of other applications, which are nobody's business here.
 */
import { ACCOUNT_RECOVERY_PREFIX, accountRecoveryEvents } from './account-recovery.js';
import { BANK_ACCOUNTS_PREFIX, bankAccountEvents } from './bank-account.js';
import { CARDS_PREFIX, cardsEvents } from './cards.js';
import { GUEST_PREFIX, guestEvents } from './guest.js';
import { HANDLE_PREFIX, handleEvents } from './handle.js';
import { UnreadableEvent, type DomainEvent } from './index.js';
import { JOURNAL, journalEvents } from './journal.js';
import { occurrenceEvents } from './occurrence.js';
import { PASSKEYS_PREFIX, passkeyEvents } from './passkeys.js';
import { PAYER_PREFIX, payerEvents } from './payer.js';
import { PAYOUT_PREFIX, payoutProcessEvents } from './payout-process.js';
import { QUARANTINE, quarantineEvents } from './quarantine.js';
import { SCHEDULED_PAYMENT_PREFIX, scheduledPaymentEvents } from './schedule.js';
import { SETTINGS_PREFIX, settingsEvents } from './settings.js';
import { SUBSCRIPTION_PREFIX, subscriptionEvents } from './subscription.js';
import { THANKS_PREFIX, thanksEvents } from './thanks.js';
import { TIP_PAGE_PREFIX, tipPageEvents } from './tip-page.js';
import { USER_PREFIX, userEvents } from './user.js';

/** A kind of stream: its name is the prefix and an id, which each of its events holds in one of `ids`. */
interface StreamKind {
  readonly prefix: string;
  readonly events: Readonly<Record<string, unknown>>;
  readonly ids: readonly string[];
}

const KINDS: readonly StreamKind[] = [
  { prefix: ACCOUNT_RECOVERY_PREFIX, events: accountRecoveryEvents, ids: ['userId'] },
  { prefix: BANK_ACCOUNTS_PREFIX, events: bankAccountEvents, ids: ['userId'] },
  { prefix: CARDS_PREFIX, events: cardsEvents, ids: ['userId'] },
  { prefix: GUEST_PREFIX, events: guestEvents, ids: ['guestId'] },
  { prefix: HANDLE_PREFIX, events: handleEvents, ids: ['handleKey'] },
  { prefix: PASSKEYS_PREFIX, events: passkeyEvents, ids: ['userId'] },
  { prefix: PAYER_PREFIX, events: payerEvents, ids: ['userId'] },
  { prefix: PAYOUT_PREFIX, events: payoutProcessEvents, ids: ['payoutId'] },
  {
    prefix: SCHEDULED_PAYMENT_PREFIX,
    events: { ...scheduledPaymentEvents, ...occurrenceEvents },
    ids: ['scheduleId'],
  },
  { prefix: SETTINGS_PREFIX, events: settingsEvents, ids: ['userId'] },
  {
    prefix: SUBSCRIPTION_PREFIX,
    events: { ...subscriptionEvents, ...occurrenceEvents },
    ids: ['subscriptionId', 'scheduleId'],
  },
  { prefix: THANKS_PREFIX, events: thanksEvents, ids: ['paymentId'] },
  { prefix: TIP_PAGE_PREFIX, events: tipPageEvents, ids: ['userId'] },
  { prefix: USER_PREFIX, events: userEvents, ids: ['userId'] },
];

/** Streams of which there is one; `journals-2` is somebody else's. */
const SINGLE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  [JOURNAL]: journalEvents,
  [QUARANTINE]: quarantineEvents,
};

const kindOf = (name: string): StreamKind | undefined => KINDS.find(({ prefix }) => name.startsWith(prefix));

/** The beginnings of the names of all streams that are ours; some others begin so, too. */
export const OUR_PREFIXES: readonly string[] = [...Object.keys(SINGLE), ...KINDS.map(({ prefix }) => prefix)];

/**
 * Whether a stream of this name is ours. We never made one whose name holds a NUL, which no table could keep.
 */
export const isOurStream = (name: string): boolean =>
  Object.hasOwn(SINGLE, name) || (kindOf(name) !== undefined && !name.includes('\u0000'));

/** Whether it is one of the store's own: statistics, users, the metadata of other streams. */
export const isSystemStream = (name: string): boolean => name.startsWith('$');

/** How the names of the streams begin that hold the metadata of ours, and perhaps of others like them. */
export const METADATA_PREFIXES: readonly string[] = OUR_PREFIXES.map((prefix) => `$$${prefix}`);

/** The stream of ours that this one holds the metadata of; undefined where it is none. */
export function ourStreamOfMetadata(name: string): string | undefined {
  const described = name.startsWith('$$') ? name.slice(2) : undefined;
  return described !== undefined && isOurStream(described) ? described : undefined;
}

/**
 * Throws {@link UnreadableEvent} for an event that one of our streams cannot hold: one of another kind of
 * stream, or about somebody or something else than the stream is.
 */
export function assertBelongs(stream: string, { type, data }: DomainEvent): void {
  const kind = Object.hasOwn(SINGLE, stream) ? undefined : kindOf(stream);
  const events = kind?.events ?? SINGLE[stream];
  if (events !== undefined && !Object.hasOwn(events, type))
    throw new UnreadableEvent(`${type} does not belong into ${stream}.`);
  if (!kind) return;
  const given: Readonly<Record<string, unknown>> = data;
  const id = kind.ids.map((name) => given[name]).find((value) => value !== undefined);
  if (id !== stream.slice(kind.prefix.length))
    throw new UnreadableEvent(`${type} is about ${String(id)} and stands in ${stream}.`);
}
