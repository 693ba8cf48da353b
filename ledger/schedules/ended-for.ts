/** Why a schedule ends without its payer's doing. Pure. */

export type EndedFor = 'payer_forgotten' | 'recipient_forgotten';

/** What the payer is told; a payer who is gone is told nothing, and the log says so. */
export const ENDED_BECAUSE: Readonly<Record<EndedFor, string>> = {
  payer_forgotten: 'The payer has closed their account.',
  recipient_forgotten: 'The recipient has closed their account.',
};
