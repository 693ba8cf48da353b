/** A ledger’s first look at the vault: empty it may be before anybody’s text was sealed, and never after. */
import { describe, expect, it } from '@jest/globals';
import { BadSetting } from '#contracts/configuration';
import { JOURNAL } from '#contracts/events/journal';
import { ChainedLog } from '#test/support/chained-log';
import { assertVaultNotLost } from './lost-vault.js';

const EMPTY = { hasUsersKeys: () => Promise.resolve(false) };
const logWith = (...events: readonly [stream: string, data: object][]): ChainedLog => {
  const log = new ChainedLog();
  for (const [stream, data] of events) log.add(stream, 'X', data);
  return log;
};
const FOUNDED = [JOURNAL, { timeZone: 'Europe/Berlin' }] as const;
const SIGNED_UP = ['user-usr_juno', { profile: 'sealed:usr_juno:1.abc' }] as const;

describe('an empty vault', () => {
  it.each([
    ['no log', logWith()],
    ['a log without users', logWith([...FOUNDED])],
    ['what others wrote', logWith([...FOUNDED], ['others-1', { text: 'sealed:usr_juno:1.abc' }])],
  ])('is right beside %s', async (_, log) => {
    await expect(assertVaultNotLost(log, EMPTY)).resolves.toBeUndefined();
  });

  it('is a lost one beside a log with sealed texts', async () => {
    const lost = assertVaultNotLost(logWith([...FOUNDED], [...SIGNED_UP]), EMPTY);
    await expect(lost).rejects.toThrow(BadSetting);
    await expect(lost).rejects.toThrow(/^The vault is empty, .* Restore it before/);
  });

  it('is no lost one where another ledger sealed the first text meanwhile', async () => {
    const answers = [false, true];
    const filling = { hasUsersKeys: () => Promise.resolve(answers.shift()!) };
    await expect(assertVaultNotLost(logWith([...SIGNED_UP]), filling)).resolves.toBeUndefined();
  });
});

it('does not read the log where the vault has a key', async () => {
  const full = { hasUsersKeys: () => Promise.resolve(true) };
  const unread = {
    readAll() {
      throw new Error('The log was read.');
    },
  };
  await expect(assertVaultNotLost(unread, full)).resolves.toBeUndefined();
});
