/** A user's settings: three switches. Pure. */
import {
  DEFAULT_SETTINGS,
  type SettingName,
  type Settings,
  type SettingsEvent,
  settingsStream,
} from '#contracts/events/settings';
import type { Decider } from '../streams/runner.js';

export interface SwitchSetting {
  readonly type: 'SwitchSetting';
  readonly userId: string;
  readonly setting: SettingName;
  readonly on: boolean;
}

export const settings: Decider<Settings, SwitchSetting, SettingsEvent> = {
  streamOf: settingsStream,
  initial: DEFAULT_SETTINGS,

  decide({ userId, setting, on }, state) {
    if (state[setting] === on) return [];
    return [{ type: on ? 'SettingSwitchedOn' : 'SettingSwitchedOff', data: { userId, setting } }];
  },

  evolve: (state, event) => ({ ...state, [event.data.setting]: event.type === 'SettingSwitchedOn' }),
};
