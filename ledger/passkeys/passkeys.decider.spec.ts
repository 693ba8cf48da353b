import { describe, expect, it } from '@jest/globals';
import { passkeys, PASSKEYS_MOST, type Passkeys } from './passkeys.decider.js';

const enrol = (n: number) =>
  ({
    type: 'EnrolPasskey',
    userId: 'usr_a',
    passkeyId: `psk_${n}`,
    credential: `sealed:usr_a:${n}`,
  }) as const;
const remove = (n: number) => ({ type: 'RemovePasskey', userId: 'usr_a', passkeyId: `psk_${n}` }) as const;
const after = (...commands: readonly Parameters<typeof passkeys.decide>[0][]): Passkeys =>
  commands.reduce(
    (state, command) => passkeys.decide(command, state).reduce(passkeys.evolve, state),
    passkeys.initial,
  );

describe('passkeys', () => {
  it('are enrolled once, however often one is shown', () => {
    expect(passkeys.decide(enrol(1), after())).toEqual([
      {
        type: 'PasskeyEnrolled',
        data: { userId: 'usr_a', passkeyId: 'psk_1', credential: 'sealed:usr_a:1' },
      },
    ]);
    expect(passkeys.decide(enrol(1), after(enrol(1)))).toEqual([]);
  });

  it('are removed, and can be enrolled again', () => {
    expect([...after(enrol(1), enrol(2), remove(1)).keys()]).toEqual(['psk_2']);
    expect([...after(enrol(1), remove(1), enrol(1)).keys()]).toEqual(['psk_1']);
  });

  it('that are not there cannot be removed', () => {
    expect(() => passkeys.decide(remove(1), after())).toThrow('There is no such passkey.');
    expect(() => passkeys.decide(remove(1), after(enrol(1), remove(1)))).toThrow('There is no such passkey.');
  });

  it('are all taken away when their owner gets the account back without them', () => {
    const all = { type: 'RemoveAllPasskeys', userId: 'usr_a' } as const;
    expect([...after(enrol(1), enrol(2), all).keys()]).toEqual([]);
    expect(passkeys.decide(all, after())).toEqual([]);
  });

  it('are ten at most', () => {
    const full = after(...Array.from({ length: PASSKEYS_MOST }, (_, n) => enrol(n)));
    expect(() => passkeys.decide(enrol(99), full)).toThrow('at most 10 passkeys');
    expect(passkeys.decide(enrol(0), full)).toEqual([]);
  });
});
