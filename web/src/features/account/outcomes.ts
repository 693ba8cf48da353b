/** What a person is told when they change a setting. */
import type { Outcome } from '../../shared/ui/outcome.js';

export const changeSetting = {
  label: 'Change a setting',
  done: () => ['Settings Updated'],
  failed: 'Failed to update settings. Please try again.',
  failedTitle: 'Update Failed',
  plainToast: true,
} as const satisfies Outcome<unknown>;
