/** A payout's status and what it waits for, in the words of the screen. Pure. */
import type { Payout } from '#contracts/api/payouts';
import type { PayoutLine } from './payout-reads.js';

/** How the payout provider stands to its owner. */
export interface Standing {
  readonly payoutsEnabled: boolean;
  readonly disabledCode: string | undefined;
}

const STATUS: Readonly<Record<PayoutLine['status'], Payout['status']>> = {
  requested: 'pending',
  transferred: 'processing',
  submitted: 'processing',
  returned: 'processing',
  completed: 'completed',
  failed: 'failed',
};

export const shownStatus = (status: PayoutLine['status']): Payout['status'] => STATUS[status];

const TO_VERIFY = 'Finish verifying your account to receive this payout.';
const NOT_ENABLED =
  'The payment provider does not pay out to you at the moment. Please check your bank accounts.';
const IN_REVIEW = 'The payment provider is still checking your details.';
const REJECTED = 'The payment provider does not pay out to this account. Please contact support.';

/** What an unfinished payout waits for; undefined where it goes its way. */
export function statusReason(
  line: PayoutLine,
  { payoutsEnabled, disabledCode = '' }: Standing,
): string | undefined {
  switch (line.status) {
    case 'completed':
    case 'failed':
    case 'submitted':
      return undefined;
    case 'returned':
      return `${line.reason ?? 'The bank sent this payout back.'} The money is on its way back to your balance.`;
    case 'requested':
    case 'transferred':
      if (payoutsEnabled) return line.delayReason;
      if (/^rejected/.test(disabledCode)) return REJECTED;
      if (/pending_verification|under_review/.test(disabledCode)) return IN_REVIEW;
      return disabledCode === 'not_enabled' ? NOT_ENABLED : TO_VERIFY;
  }
}
