/** A user's preferences, stream `settings-{userId}`. */
import { z } from 'zod';

export const SETTINGS_PREFIX = 'settings-';
export const settingsStream = (userId: string): string => `${SETTINGS_PREFIX}${userId}`;

/** The settings and what they are before anyone touches them (spec §3). */
export const DEFAULT_SETTINGS = {
  biometricEnabled: false,
  privacyModeEnabled: false,
  transactionAlertsEnabled: true,
} as const;
export const SettingName = z.enum(['biometricEnabled', 'privacyModeEnabled', 'transactionAlertsEnabled']);
export type SettingName = z.infer<typeof SettingName>;
export type Settings = Record<SettingName, boolean>;

export const settingsEvents = {
  /** The user switched a preference on. */
  SettingSwitchedOn: z.object({ userId: z.string(), setting: SettingName }),
  /** The user switched a preference off. */
  SettingSwitchedOff: z.object({ userId: z.string(), setting: SettingName }),
} as const;

type SettingsEventType = keyof typeof settingsEvents;
export type SettingsEvent = {
  [T in SettingsEventType]: { type: T; data: z.infer<(typeof settingsEvents)[T]> };
}[SettingsEventType];
