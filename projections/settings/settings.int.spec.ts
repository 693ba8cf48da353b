/** Settings, switch by switch. Each event is fed twice; a replay yields the same rows. */
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_SETTINGS } from '#contracts/events/settings';
import { JUNO, MILO } from '#test/support/journal-spec';
import { useReadSides } from '#test/support/read-side';
import { settingsOf } from './queries.js';

const sides = useReadSides();

const UNTOUCHED = { ...DEFAULT_SETTINGS, isParked: false };

describe('settings', () => {
  it('are the defaults until somebody touches one', async () => {
    const side = await sides.open();
    expect(await settingsOf(side.db, JUNO)).toEqual(UNTOUCHED);
  });

  it('change one by one, and each user’s alone', async () => {
    const side = await sides.open();
    side.story.switch(JUNO, 'biometricEnabled', true);
    side.story.switch(MILO, 'transactionAlertsEnabled', false);
    await side.feed();
    expect(await settingsOf(side.db, JUNO)).toEqual({ ...UNTOUCHED, biometricEnabled: true });
    expect(await settingsOf(side.db, MILO)).toEqual({ ...UNTOUCHED, transactionAlertsEnabled: false });
    side.story.switch(JUNO, 'privacyModeEnabled', true);
    side.story.switch(JUNO, 'biometricEnabled', false);
    await side.feed();
    expect(await settingsOf(side.db, JUNO)).toEqual({ ...UNTOUCHED, privacyModeEnabled: true });
  });
});
