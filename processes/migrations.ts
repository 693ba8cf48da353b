/** Whose tables are whose, beside the read models: every migration there is, by schema and in order. */
import { ADDRESSES_OF_GUESTS, ALERTS_LAST, MESSAGE_TABLES } from '#ledger/messages/message-tables';
import { PASSKEY_TABLES, PASSKEY_USE_COUNTS } from '#ledger/passkeys/passkey-tokens';
import { PICTURE_TABLE } from '#ledger/pictures/picture-tables';
import { BALANCE_TABLES } from '#ledger/platform-money/balance-tables';
import { COMPARISON_MARK_TABLE } from '#ledger/start-gate/comparison-mark';
import { VERIFIED_WEBHOOKS_TABLE } from '#ledger/stripe/verified-webhooks';
import { SECURITY_TRAIL_TABLE } from '#ledger/security-trail/trail-table';
import { CONFIRMATION_TABLE } from '#ledger/step-up/confirmations';
import { SESSION_DETAILS, SESSION_FRESHNESS, SESSION_TABLES } from '#ledger/sessions/session-tables';
import { LOG_RECOVERY_TABLE } from '#log/log-recovery';
import { DATA_KEY_TABLE, DATA_KEY_VERSIONS } from '#log/vault-reader';
import { PAYOUT_FUNDS_TABLE } from '#projections/payouts/funds';
import type { SchemaMigrations } from '#log/migrations';
import { ROOM_PROBE_TABLE } from './shell/disk-room.js';

/** Data keys: both sides open what is sealed. Backed up with the log. */
export const VAULT: SchemaMigrations = { schema: 'vault', migrations: [DATA_KEY_TABLE, DATA_KEY_VERSIONS] };

/**
 * What only ledgers read: sessions and sign-ins under way, and the passkeys' tokens, which end with them;
 * what is counted of the balance at the card provider, and since when its objects are to be compared. And
 * what every process reads: whether the log is in recovery.
 */
export const EDGE: SchemaMigrations = {
  schema: 'edge',
  migrations: [
    SESSION_TABLES,
    PASSKEY_TABLES,
    LOG_RECOVERY_TABLE,
    BALANCE_TABLES,
    COMPARISON_MARK_TABLE,
    PAYOUT_FUNDS_TABLE,
    VERIFIED_WEBHOOKS_TABLE,
    MESSAGE_TABLES,
    SESSION_FRESHNESS,
    SECURITY_TRAIL_TABLE,
    ROOM_PROBE_TABLE,
    CONFIRMATION_TABLE,
    PICTURE_TABLE,
    SESSION_DETAILS,
    ADDRESSES_OF_GUESTS,
    PASSKEY_USE_COUNTS,
    ALERTS_LAST,
  ],
};
