/** The values of the forms, and what is wrong with them: one sentence for each field. */

/** The fields of the sign-up form, by the names they are posted under. `lastName` may be empty. */
const SIGN_UP_FIELDS = ['firstName', 'lastName', 'username', 'email', 'password'] as const;

/** `code` is of the mail to somebody who has forgotten their password. */
export type Field = (typeof SIGN_UP_FIELDS)[number] | 'code';
export type FormValues = Readonly<Record<Field, string>>;
export type FieldErrors = Partial<Record<Field, string>>;

const SHORTEST_PASSWORD = 12;
const LONGEST_PASSWORD = 200;

/** The posted body as text; a password keeps its blanks, everything else loses those around it. */
export function formValues(body: string): FormValues {
  const form = new URLSearchParams(body);
  const text = (name: Field): string => (form.get(name) ?? '').normalize('NFC').trim();
  return {
    firstName: text('firstName'),
    lastName: text('lastName'),
    username: text('username').replace(/^@/, ''),
    email: text('email').toLowerCase(),
    password: (form.get('password') ?? '').normalize('NFC'),
    code: text('code').replace(/\D/g, ''),
  };
}

/** What is wrong with a sign-in before anything is looked up. */
export function signInErrors(values: FormValues): FieldErrors {
  const errors: FieldErrors = {};
  const email = emailError(values.email);
  if (email) errors.email = email;
  if (values.password === '') errors.password = 'Enter your password.';
  return errors;
}

/** What is wrong with an address that a code is to be sent to. */
export function forgottenErrors({ email }: FormValues): FieldErrors {
  const error = emailError(email);
  return error === undefined ? {} : { email: error };
}

/** What is wrong with a code and a new password before the code is looked at. */
export function newPasswordErrors({ code, password }: FormValues): FieldErrors {
  const errors: FieldErrors = {};
  if (code === '') errors.code = 'Enter the code of the mail.';
  const wrong = passwordError(password);
  if (wrong !== undefined) errors.password = wrong;
  return errors;
}

/** What is wrong with a sign-up before anything is looked up. */
export function signUpErrors(values: FormValues): FieldErrors {
  const errors: FieldErrors = {};
  const set = (field: Field, sentence: string | undefined): void => {
    if (sentence !== undefined) errors[field] = sentence;
  };
  set('firstName', nameError(values.firstName, true));
  set('lastName', nameError(values.lastName, false));
  set('username', usernameError(values.username));
  set('email', emailError(values.email));
  set('password', passwordError(values.password));
  return errors;
}

function nameError(name: string, needed: boolean): string | undefined {
  if (name === '') return needed ? 'Enter your first name.' : undefined;
  if (name.length > 60 || /[\u0000-\u001f<>]/.test(name)) return 'Use at most 60 letters, without < and >.';
  return undefined;
}

function usernameError(username: string): string | undefined {
  if (username === '') return 'Choose a username.';
  if (!/^[a-z0-9][a-z0-9._-]{2,29}$/i.test(username))
    return 'Use 3 to 30 letters, digits, dots, hyphens or underscores, and begin with a letter or a digit.';
  return undefined;
}

function emailError(email: string): string | undefined {
  if (email === '') return 'Enter your email address.';
  if (email.length > 254 || !/^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>".]+$/.test(email))
    return 'Enter an email address such as name@example.com.';
  return undefined;
}

function passwordError(password: string): string | undefined {
  const characters = [...password].length;
  if (characters === 0) return `Choose a password of at least ${SHORTEST_PASSWORD} characters.`;
  if (characters < SHORTEST_PASSWORD)
    return `Use at least ${SHORTEST_PASSWORD} characters. This one has ${characters}.`;
  if (characters > LONGEST_PASSWORD)
    return `Use at most ${LONGEST_PASSWORD} characters. This one has ${characters}.`;
  return undefined;
}
