/** What a person is told of what they do with their tip page. */
import type { TipPageAnswer } from '#contracts/api/tip-page';
import type { Outcome } from '../../shared/ui/outcome.js';

export const chooseHandle: Outcome<TipPageAnswer> = {
  label: 'Move your tip page',
  done: ({ handle }) => ['Handle Saved', `Your tip page is at @${handle ?? ''}.`],
  failed: 'Failed to save your tip page. Please try again.',
  failedTitle: 'Handle Not Saved',
};

export const describeTipPage: Outcome<TipPageAnswer> = {
  label: 'Change your tip page',
  done: () => ['Tip Page Saved', 'Payers see the new words from now on.'],
  failed: 'Failed to save your tip page. Please try again.',
  failedTitle: 'Tip Page Not Saved',
};

export const publishTipPage: Outcome<TipPageAnswer> = {
  label: 'Publish your tip page',
  done: () => ['Tip Page Published', 'Any phone’s camera opens it now.'],
  failed: 'Failed to save your tip page. Please try again.',
  failedTitle: 'Not Published',
};
