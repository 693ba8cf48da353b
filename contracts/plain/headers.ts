/** The headers of ours, lower case as Node has them. */

/**
 * One id from the click, through log lines and events, to the projected row; taken from the caller or made,
 * and answered.
 */
export const CORRELATION_HEADER = 'x-correlation-id';
/** A UUIDv7 that the client makes and keeps before it sends: the same key and body are the same request. */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';
/** On a command's answer: its place in the log. */
export const POSITION_HEADER = 'x-encore-position';
/**
 * `true` on a command's answer that lists may not show yet, and on the answer to a GET that may be older than
 * what happened: the event store is away, or the read models are behind.
 */
export const STALE_HEADER = 'x-encore-stale';
/** `true` on the answer to a GET while nothing is written, because the log has lost or hides something. */
export const CLOSED_HEADER = 'x-encore-closed';
/** On a page of a list that has another one after it. */
export const NEXT_CURSOR_HEADER = 'x-encore-next-cursor';
/** On a call that is guarded by a passkey: the proof that POST /api/passkeys/assertion/verify answered. */
export const PASSKEY_PROOF_HEADER = 'x-encore-passkey-proof';
/** On a command at the internal port that an operator sends by hand: who they are, for the security trail. */
export const OPERATOR_HEADER = 'x-encore-operator';
