/**
 * Which process may do what with which table of the schemas `vault` and `edge`: a line for each table, beside
 * the migrations that make them. What a process does not need, its role may not do. The read models are not
 * here: they belong to the projections, and projections/engine/read-rights.ts says who reads them.
 */
import { READS, WRITES, type TableGrants } from '#log/roles';

/** The ledgers' own, and backed up. */
const LEDGER = { ledger: WRITES, backup: READS } as const;

export const GRANTS: TableGrants = {
  // The projections and the audit open what the ledgers seal; nobody deletes a row: a tombstone stays.
  'vault.data_keys': {
    ledger: 'select, insert, update',
    projections: READS,
    audit: READS,
    backup: READS,
  },
  'edge.sessions': LEDGER,
  'edge.sign_ins': LEDGER,
  'edge.ended_sign_ins': LEDGER,
  'edge.logout_tokens': LEDGER,
  'edge.passkey_tokens': LEDGER,
  'edge.confirmations': LEDGER,
  'edge.passkey_use_counts': LEDGER,
  // Of the version before, which may still run beside this one.
  'edge.passkey_counters': LEDGER,
  'edge.pictures': LEDGER,
  'edge.messages': LEDGER,
  'edge.message_deliveries': LEDGER,
  'edge.mail_addresses': LEDGER,
  'edge.message_marks': LEDGER,
  // Nobody changes what stands in it; what is too old is deleted.
  'edge.security_trail': { ledger: 'select, insert, delete', backup: READS },
  'edge.verified_webhooks': LEDGER,
  'edge.provider_comparison': LEDGER,
  // `audit reconcile` holds the books against what was counted.
  'edge.provider_transactions': { ...LEDGER, audit: READS },
  'edge.provider_balance': { ...LEDGER, audit: READS },
  // What is available at the provider: the workers ask for payouts that it covers.
  'edge.payout_funds': { ...LEDGER, workers: READS },
  // Every process stands still while the log is in recovery.
  'edge.log_recovery': { ...LEDGER, projections: READS, workers: READS },
  'edge.room_probe': { ledger: 'select, insert, truncate', backup: READS },
};
