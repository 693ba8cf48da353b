/** What is told of each command that may wait for a confirmation, by the name of its mutation. */
import * as account from '../account/outcomes.js';
import * as bankAccounts from '../bank-accounts/outcomes.js';
import * as payments from '../payments/outcomes.js';
import * as profile from '../profile/outcomes.js';
import * as schedules from '../schedules/outcomes.js';
import * as tipPage from '../tip-page/outcomes.js';
import * as treasury from '../treasury/outcomes.js';
import type { SentCall } from '../../shared/api/confirmations.js';
import type { Outcome } from '../../shared/ui/outcome.js';

// An outcome is only ever asked about the answer of its own mutation.
type AnyOutcome = Outcome<never, never>;

const { transfer, withdraw, ...wallets } = treasury;
const OUTCOMES: Readonly<Record<string, AnyOutcome>> = {
  ...account,
  ...bankAccounts,
  ...payments,
  ...profile,
  ...schedules,
  ...tipPage,
  ...wallets,
};

/** For a command that has none of its own. */
const OTHER: AnyOutcome = {
  done: () => ['Done', 'What you confirmed is done.'],
  failed: 'This could not be done. Please try again.',
};

export function outcomeOf(endpoint: string, { path }: SentCall): AnyOutcome {
  if (endpoint === 'moveFunds') return path.endsWith('/withdraw') ? withdraw : transfer;
  return (Object.hasOwn(OUTCOMES, endpoint) ? OUTCOMES[endpoint] : undefined) ?? OTHER;
}

/**
 * Commands whose answer the page itself goes on with, such as the options for a new passkey: after a sign-in
 * they are pressed once more.
 */
export const FIRST_STEPS: ReadonlySet<string> = new Set([
  'beginEnrolment',
  'beginSetup',
  'beginOnboarding',
  // The answer may be a decline, or that the payer's bank asks for them: the checkout goes on with it.
  'payAtOnce',
  'openPayment',
  // A photo is not kept in the browser while its owner signs in: it is chosen once more.
  'putPicture',
  'downloadOwnData',
  'generatePass',
  'generateQrPass',
]);
