/** The calls about a user's preferences. */
import { z } from 'zod';
import { SettingName } from '../events/settings.js';

/** GET /api/settings, and what PUT answers. */
export const SettingsAnswer = z.object({
  biometricEnabled: z.boolean(),
  privacyModeEnabled: z.boolean(),
  transactionAlertsEnabled: z.boolean(),
  notice: z
    .string()
    .optional()
    .describe('Only where they cannot be read: what guards is on, and none can be changed.'),
});
export type SettingsAnswer = z.infer<typeof SettingsAnswer>;

const ONE_SETTING = `Send exactly one setting, true or false: ${SettingName.options.join(', ')}.`;

/** PUT /api/settings: exactly one key. */
export const PutSettings = z
  .partialRecord(SettingName, z.boolean({ error: ONE_SETTING }), { error: ONE_SETTING })
  .refine((body) => Object.keys(body).length === 1, ONE_SETTING);
export type PutSettings = z.infer<typeof PutSettings>;
