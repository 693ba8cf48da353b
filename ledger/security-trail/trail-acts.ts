/**
 * What the security trail notes, in the words that an operator reads and searches for. One that is no longer
 * noted stays here: its lines are there for a year.
 */
export const TRAIL_ACTS = [
  'signed_in',
  'sign_in_failed',
  'signed_out',
  'session_ended',
  'sessions_ended',
  'refused',
  'confirmed',
  'passkey_added',
  'passkey_removed',
  'passkey_switch',
  'recovery_started',
  'recovery_refused',
  'recovery_completed',
  'bank_account_added',
  'bank_account_removed',
  'bank_account_made_primary',
  'payout_asked',
  'saved_card_removed',
  'data_downloaded',
  'forgetting_asked',
  'forgetting_cancelled',
  'logout_token_refused',
  'internal_command',
  'operator_act',
] as const;
export type TrailAct = (typeof TRAIL_ACTS)[number];
