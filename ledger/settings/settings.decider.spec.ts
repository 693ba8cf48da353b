import { describe, expect, it } from '@jest/globals';
import type { SettingName, SettingsEvent } from '#contracts/events/settings';
import { settings } from './settings.decider.js';

const on = (setting: SettingName): SettingsEvent => ({
  type: 'SettingSwitchedOn',
  data: { userId: 'usr_a', setting },
});
const off = (setting: SettingName): SettingsEvent => ({
  type: 'SettingSwitchedOff',
  data: { userId: 'usr_a', setting },
});
const decide = (history: SettingsEvent[], setting: SettingName, wanted: boolean) =>
  settings.decide(
    { type: 'SwitchSetting', userId: 'usr_a', setting, on: wanted },
    history.reduce(settings.evolve, settings.initial),
  );

describe('preferences', () => {
  it('switch on what was off', () =>
    expect(decide([], 'biometricEnabled', true)).toEqual([on('biometricEnabled')]));
  it('switch off what is on by default', () =>
    expect(decide([], 'transactionAlertsEnabled', false)).toEqual([off('transactionAlertsEnabled')]));
  it('say nothing when it is so already', () => {
    expect(decide([], 'privacyModeEnabled', false)).toEqual([]);
    expect(decide([on('privacyModeEnabled')], 'privacyModeEnabled', true)).toEqual([]);
  });
  it('change one switch and leave the others', () =>
    expect(
      [on('biometricEnabled'), off('transactionAlertsEnabled')].reduce(settings.evolve, settings.initial),
    ).toEqual({
      biometricEnabled: true,
      privacyModeEnabled: false,
      transactionAlertsEnabled: false,
    }));
});
