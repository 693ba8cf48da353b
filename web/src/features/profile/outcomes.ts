/** What a person is told of what they do with saved cards, passkeys and the account itself. */
import type { AccountRecoveryAnswer } from '#contracts/api/account-recovery';
import type { ForgettingAnswer } from '#contracts/api/forgetting';
import type { Outcome } from '../../shared/ui/outcome.js';
import { dateTimeOf } from '../../shared/wording/time.js';

interface Named {
  /** How the page calls it. */
  readonly name?: string;
}

export const chooseCard: Outcome<unknown, Named> = {
  label: 'Change the default card',
  done: (_answer, { name }) => ['Default Card Updated', name && `${name} is charged from now on.`],
  failed: 'Failed to update the default card',
};

export const removeCard: Outcome<unknown, Named> = {
  label: 'Remove a card',
  done: (_answer, { name }) => ['Card Removed', name && `${name} is no longer charged.`],
  failed: 'Failed to remove the card',
};

export const finishEnrolment: Outcome<{ readonly label: string }> = {
  label: 'Add a passkey',
  done: ({ label }) => ['Passkey Added', `${label} is asked for before money moves.`],
  failed: 'Failed to add a passkey',
};

export const removePasskey: Outcome<unknown, Named> = {
  label: 'Remove a passkey',
  done: (_answer, { name }) => ['Passkey Removed', name && `${name} is no longer asked for.`],
  failed: 'Failed to remove the passkey',
};

export const putPicture: Outcome<unknown> = {
  label: 'Change your picture',
  done: () => ['Picture Saved', 'Your picture is on your profile.'],
  failed: 'Failed to save the picture. Please try again.',
  failedTitle: 'Picture Not Saved',
};

export const beginRecovery: Outcome<AccountRecoveryAnswer> = {
  label: 'Recover your account',
  done: ({ completableFrom }) => [
    'Account Recovery Started',
    completableFrom === null ? undefined : `You can finish it from ${dateTimeOf(completableFrom)}.`,
  ],
  failed: 'Failed to start the recovery of your account',
};

export const completeRecovery: Outcome<unknown> = {
  label: 'Finish the recovery',
  done: () => ['Account Recovered', 'The passkeys of before are removed. Add a new one now.'],
  failed: 'Failed to finish the recovery of your account',
};

export const refuseRecovery: Outcome<unknown> = {
  label: 'Stop the recovery',
  done: () => ['Recovery Stopped', 'Your passkeys stay as they are. Change your password where you sign in.'],
  failed: 'Failed to stop the recovery of your account',
};

export const requestForgetting: Outcome<ForgettingAnswer> = {
  label: 'Delete your account',
  done: ({ dueAt }) => [
    'Deletion Requested',
    dueAt === null ? undefined : `Your account will be deleted on ${dateTimeOf(dueAt)}.`,
  ],
  failed: 'Failed to ask for the deletion of your account',
};

export const cancelForgetting: Outcome<unknown> = {
  label: 'Keep your account',
  done: () => ['Account Kept', 'Your account will not be deleted.'],
  failed: 'Failed to keep your account',
};
