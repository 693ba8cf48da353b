/**
 * Which streams are this application's: the one list. Beside them a store holds its own (`$…`), and perhaps
 * those of other applications, which are nobody's business here.
 */
import { BANK_ACCOUNTS_PREFIX } from './bank-account.js';
import { CARDS_PREFIX } from './cards.js';
import { JOURNAL } from './journal.js';
import { PASSKEYS_PREFIX } from './passkeys.js';
import { PAYOUT_PREFIX } from './payout-course.js';
import { SCHEDULED_PAYMENT_PREFIX } from './schedule.js';
import { SETTINGS_PREFIX } from './settings.js';
import { SUBSCRIPTION_PREFIX } from './subscription.js';
import { USER_PREFIX } from './user.js';

const PREFIXES = [
  BANK_ACCOUNTS_PREFIX,
  CARDS_PREFIX,
  PASSKEYS_PREFIX,
  PAYOUT_PREFIX,
  SCHEDULED_PAYMENT_PREFIX,
  SETTINGS_PREFIX,
  SUBSCRIPTION_PREFIX,
  USER_PREFIX,
];

/** Whether a stream of this name is ours. Only the journal is one stream; `journals-2` is somebody else's. */
export const isOurStream = (name: string): boolean =>
  name === JOURNAL || PREFIXES.some((prefix) => name.startsWith(prefix));

/** Whether it is one of the store's own: statistics, users, the metadata of other streams. */
export const isSystemStream = (name: string): boolean => name.startsWith('$');

/** How the names of the streams begin that hold the metadata of ours, and perhaps of others like them. */
export const METADATA_PREFIXES: readonly string[] = [JOURNAL, ...PREFIXES].map((prefix) => `$$${prefix}`);

/** The stream of ours that this one holds the metadata of; undefined where it is none. */
export function ourStreamOfMetadata(name: string): string | undefined {
  const described = name.startsWith('$$') ? name.slice(2) : undefined;
  return described !== undefined && isOurStream(described) ? described : undefined;
}
