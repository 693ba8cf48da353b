/** What the sign-in forms take and what they say. */
import { describe, expect, it } from '@jest/globals';
import { forgottenErrors, formValues, newPasswordErrors, signInErrors, signUpErrors } from './form-values.js';
import { CODE_MINUTES, PasswordResets } from './password-resets.js';
import { TryLimit } from './try-limit.js';

const good = {
  firstName: 'Juno',
  lastName: 'Valastro',
  username: 'juno',
  email: 'juno@valastro.example',
  password: 'a password of mine',
};
const judged = (change: Record<string, string>): ReturnType<typeof signUpErrors> =>
  signUpErrors(formValues(new URLSearchParams({ ...good, ...change }).toString()));

describe('the sign-up form', () => {
  it('takes a person with a first name, a username, an email address and a password of 12 characters', () => {
    expect(judged({})).toEqual({});
    expect(judged({ lastName: '', password: 'twelve chars' })).toEqual({});
  });

  it('takes names of any script and with any accent', () => {
    expect(judged({ firstName: 'Zoë', lastName: "O'Brien-Łukasiewicz" })).toEqual({});
    expect(judged({ firstName: '美咲', lastName: '' })).toEqual({});
  });

  it('counts characters of a password, not bytes, and keeps its blanks', () => {
    expect(judged({ password: '🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷' }).password).toBe(
      'Use at least 12 characters. This one has 11.',
    );
    expect(formValues('password=+twelve++ch+').password).toBe(' twelve  ch ');
  });

  it('says a sentence for each field that is missing', () => {
    expect(signUpErrors(formValues(''))).toEqual({
      firstName: 'Enter your first name.',
      username: 'Choose a username.',
      email: 'Enter your email address.',
      password: 'Choose a password of at least 12 characters.',
    });
  });

  it.each(['jo', '.juno', 'juno valastro', 'juno@home', 'j'.repeat(31)])(
    'refuses %s as a username',
    (username) => {
      expect(judged({ username }).username).toMatch(/^Use 3 to 30 letters/);
    },
  );

  it('reads an address in capitals and a username with an @ as what is meant', () => {
    expect(formValues('email=+Juno%40Valastro.Example+&username=%40juno')).toMatchObject({
      email: 'juno@valastro.example',
      username: 'juno',
    });
  });
});

describe('the sign-in form', () => {
  it('asks for both fields', () => {
    expect(signInErrors(formValues(''))).toEqual({
      email: 'Enter your email address.',
      password: 'Enter your password.',
    });
  });
});

describe('the forms for a forgotten password', () => {
  it('ask for an address, then for a code and a new password', () => {
    expect(forgottenErrors(formValues(''))).toEqual({ email: 'Enter your email address.' });
    expect(newPasswordErrors(formValues('password=short'))).toEqual({
      code: 'Enter the code of the mail.',
      password: 'Use at least 12 characters. This one has 5.',
    });
    expect(newPasswordErrors(formValues('code=1234+5678&password=twelve+chars'))).toEqual({});
    expect(formValues('code=1234+5678').code).toBe('12345678');
  });
});

describe('a code', () => {
  const wrong = (code: string): string => (code === '00000000' ? '00000001' : '00000000');

  it('is good at the page that asked for it, once, and for a quarter of an hour', () => {
    const resets = new PasswordResets();
    const code = resets.begin('page', 'juno', 0);
    expect(code).toMatch(/^\d{8}$/);
    expect(resets.personOf('another', code, 1)).toBeUndefined();
    expect(resets.personOf('page', code, CODE_MINUTES * 60_000 - 1)).toBe('juno');
    expect(resets.personOf('page', code, CODE_MINUTES * 60_000)).toBeUndefined();
    resets.end('page');
    expect(resets.personOf('page', code, 1)).toBeUndefined();
  });

  it('is worth nothing after five wrong ones, and after a newer one', () => {
    const resets = new PasswordResets();
    const code = resets.begin('page', 'juno', 0);
    for (let n = 0; n < 5; n += 1) expect(resets.personOf('page', wrong(code), 1)).toBeUndefined();
    expect(resets.personOf('page', code, 1)).toBeUndefined();
    const newer = resets.begin('page', 'juno', 2);
    expect(resets.personOf('page', newer, 3)).toBe('juno');
  });
});

describe('tries', () => {
  it('run out for one key, come back with time, and are forgiven by a success', () => {
    const tries = new TryLimit(2, 1_000);
    tries.failed('juno', 0);
    expect(tries.waitMs('juno', 10)).toBe(0);
    tries.failed('juno', 100);
    expect(tries.waitMs('juno', 200)).toBe(800);
    expect(tries.waitMs('vala', 200)).toBe(0);
    expect(tries.waitMs('juno', 1_000)).toBe(0);
    tries.failed('juno', 1_000);
    expect(tries.waitMs('juno', 1_001)).toBeGreaterThan(0);
    tries.succeeded('juno');
    expect(tries.waitMs('juno', 1_002)).toBe(0);
  });
});
