/**
 * The pages people see while they sign in: a stage with the sign of the house, and a form under it. They work
 * without JavaScript; with it, a password can be shown and a button says that it is busy. Styles and script
 * are in assets.ts.
 */
import { ASSETS_VERSION } from './assets.js';
import type { Field, FieldErrors, FormValues } from './form-values.js';

/** One input of a form. */
interface Input {
  readonly name: Field;
  readonly label: string;
  readonly type?: 'email' | 'password';
  readonly autocomplete: string;
  readonly help?: string;
  /** Shares a row with the next one where there is room. */
  readonly half?: true;
}

const SIGN_IN_INPUTS: readonly Input[] = [
  { name: 'email', label: 'Email', type: 'email', autocomplete: 'username' },
  { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' },
];
const SIGN_UP_INPUTS: readonly Input[] = [
  { name: 'firstName', label: 'First name', autocomplete: 'given-name', half: true },
  { name: 'lastName', label: 'Last name (optional)', autocomplete: 'family-name', half: true },
  {
    name: 'username',
    label: 'Username',
    autocomplete: 'nickname',
    help: 'Shown with your QR code. Letters, digits, dots and hyphens.',
  },
  { name: 'email', label: 'Email', type: 'email', autocomplete: 'username' },
  {
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'new-password',
    help: 'At least 12 characters.',
  },
];

export interface FormPage {
  /** Where the form is posted to: the address of this page. */
  readonly action: string;
  /** The address of the other form. */
  readonly other: string;
  /** The address of the form for a forgotten password, where there is mail to send its code by. */
  readonly forgotten?: string | undefined;
  readonly values: Partial<FormValues>;
  readonly errors: FieldErrors;
  /** A sentence about the whole form. */
  readonly notice?: string;
}

/** The form for people who have an account. */
export function signInPage(page: FormPage): string {
  return formPage(page, SIGN_IN_INPUTS, {
    title: 'Sign in',
    heading: 'Welcome back',
    line: 'Sign in to see your balance.',
    button: 'Sign in',
    foot: `${page.forgotten === undefined ? '' : `<a href="${escaped(page.forgotten)}">Forgot your password?</a><br>`}New here? <a href="${escaped(page.other)}">Create an account</a>`,
  });
}

const FORGOTTEN_INPUTS: readonly Input[] = [
  { name: 'email', label: 'Email', type: 'email', autocomplete: 'username' },
];
const NEW_PASSWORD_INPUTS: readonly Input[] = [
  { name: 'code', label: 'Code', autocomplete: 'one-time-code', help: 'Eight digits, from the mail.' },
  {
    name: 'password',
    label: 'New password',
    type: 'password',
    autocomplete: 'new-password',
    help: 'At least 12 characters.',
  },
];

/** Asks where the code for a new password is to be sent. */
export function forgottenPage(page: FormPage): string {
  return formPage(page, FORGOTTEN_INPUTS, {
    title: 'Forgotten password',
    heading: 'A new password',
    line: 'We send you a code by mail.',
    button: 'Send the code',
    foot: `<a href="${escaped(page.other)}">Back to sign in</a><br><span class="small">Lost your passkey? Sign in with your password: your profile goes on from there.</span>`,
  });
}

/** Takes the code and the new password. The same page whether the address has an account or not. */
export function newPasswordPage(page: FormPage): string {
  return formPage(page, NEW_PASSWORD_INPUTS, {
    title: 'New password',
    heading: 'Look at your mail',
    line: 'If the address has an account, a code is on its way.',
    button: 'Save and sign in',
    foot: `No mail? <a href="${escaped(page.other)}">Ask for another code</a>`,
  });
}

/** The form for people who have none yet. */
export function signUpPage(page: FormPage): string {
  return formPage(page, SIGN_UP_INPUTS, {
    title: 'Create an account',
    heading: 'Take the stage',
    line: 'One account to be tipped, paid and paid out.',
    button: 'Create account',
    foot: `Have an account? <a href="${escaped(page.other)}">Sign in</a>`,
  });
}

/**
 * Asks somebody who followed a bare link whether they mean to sign out. `form` is the library's, with its
 * secret.
 */
export function signOutPage(form: string): string {
  return layout({
    title: 'Sign out',
    heading: 'Sign out?',
    line: 'Your money and your schedules stay as they are.',
    body: `${form}
      <button class="fill" type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>
      <p class="foot"><a href="/">Stay signed in</a></p>`,
  });
}

interface FailurePage {
  readonly title: string;
  readonly sentence: string;
  readonly again: string;
  /** A word for whoever is asked for help. */
  readonly detail?: string;
}

/** Something did not work that no field can mend. */
export function failurePage({ title, sentence, again, detail }: FailurePage): string {
  return layout({
    title,
    heading: title,
    line: 'Nothing was changed.',
    body: `<p class="sentence" role="alert">${escaped(sentence)}</p>
      <a class="fill" href="${escaped(again)}">Start again</a>
      ${detail === undefined ? '' : `<p class="foot small">Reason: ${escaped(detail)}</p>`}`,
  });
}

interface Words {
  readonly title: string;
  readonly heading: string;
  readonly line: string;
  readonly button: string;
  readonly foot: string;
}

function formPage(page: FormPage, inputs: readonly Input[], words: Words): string {
  const wrong = inputs.find((input) => page.errors[input.name] !== undefined);
  // The first thing to do has the focus: the field that is wrong, or the first that is empty.
  const focus = wrong ?? inputs.find((input) => input.type === 'password' || !page.values[input.name]);
  const rows: string[] = [];
  for (let n = 0; n < inputs.length; n += 1) {
    const [input, next] = [inputs[n], inputs[n + 1]];
    if (!input) continue;
    if (input.half && next?.half) {
      rows.push(`<div class="pair">${field(input, page, focus)}${field(next, page, focus)}</div>`);
      n += 1;
    } else rows.push(field(input, page, focus));
  }
  return layout({
    ...words,
    title: wrong || page.notice ? `Not yet: ${words.title}` : words.title,
    body: `${page.notice ? `<p class="notice" role="alert">${ALERT}<span>${escaped(page.notice)}</span></p>` : ''}
      <form method="post" action="${escaped(page.action)}" novalidate>
        ${rows.join('\n        ')}
        <button class="fill" type="submit"><span class="word">${words.button}</span><span class="busy" hidden><span class="dots" aria-hidden="true"><i></i><i></i></span>Processing</span></button>
      </form>
      <p class="foot">${words.foot}</p>`,
  });
}

function field(input: Input, page: FormPage, focus: Input | undefined): string {
  const { name, label, help, autocomplete } = input;
  const sentence = page.errors[name];
  const isPassword = input.type === 'password';
  const described = [sentence === undefined ? '' : `${name}-error`, help === undefined ? '' : `${name}-help`]
    .join(' ')
    .trim();
  const attributes = [
    `id="${name}" name="${name}" type="${input.type ?? 'text'}" autocomplete="${autocomplete}"`,
    // A password is asked for again rather than sent back.
    isPassword ? '' : `value="${escaped(page.values[name] ?? '')}"`,
    isPassword || name === 'email' || name === 'username' ? 'autocapitalize="none" spellcheck="false"' : '',
    name === 'lastName' ? '' : 'required',
    sentence === undefined ? '' : 'aria-invalid="true"',
    described === '' ? '' : `aria-describedby="${described}"`,
    focus === input ? 'autofocus' : '',
  ];
  return `<div class="field">
          <label for="${name}">${label}</label>
          <div class="control"><input ${attributes.filter((attribute) => attribute !== '').join(' ')}>${
            isPassword
              ? `<button class="show" type="button" hidden aria-pressed="false" aria-label="Show password" aria-controls="${name}">${EYE}</button>`
              : ''
          }</div>
          ${sentence === undefined ? '' : `<p class="error" id="${name}-error">${ALERT}<span>${escaped(sentence)}</span></p>`}
          ${help === undefined ? '' : `<p class="help" id="${name}-help">${help}</p>`}
        </div>`;
}

function layout(page: {
  readonly title: string;
  readonly heading: string;
  readonly line: string;
  readonly body: string;
}): string {
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="theme-color" media="(prefers-color-scheme: light)" content="#4A0D20">
  <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#430B1C">
  <title>${escaped(page.title)} – Encore</title>
  <link rel="icon" type="image/svg+xml" href="/identity/assets/${ASSETS_VERSION}/logo.svg">
  <link rel="preload" as="font" type="font/woff2" crossorigin href="/identity/assets/${ASSETS_VERSION}/archivo-latin-wdth-normal.woff2">
  <link rel="stylesheet" href="/identity/assets/${ASSETS_VERSION}/pages.css">
  <script src="/identity/assets/${ASSETS_VERSION}/pages.js" defer></script>
</head>
<body>
  <div class="page">
    <header class="stage">
      <svg class="light" aria-hidden="true"><path class="beam" d="M380 -70H408L350 134H-50Z"/><ellipse class="pool" cx="150" cy="134" rx="200" ry="56"/></svg>
      <svg class="light wide" aria-hidden="true"><path class="beam" d="M476 -70H512L446 296H-70Z"/><ellipse class="pool" cx="176" cy="296" rx="270" ry="88"/></svg>
      <p class="wordmark">Encore${SIGN}</p>
      <div class="lit">
        <h1>${escaped(page.heading)}</h1>
        <p>${escaped(page.line)}</p>
      </div>
    </header>
    <main>
      ${page.body}
    </main>
    <footer><span>${LOCK}SSL Encrypted</span><span>${SHIELD}Bank Grade Security</span></footer>
  </div>
</body>
</html>
`;
}

const icon = (size: number, stroke: number, paths: string): string =>
  `<svg aria-hidden="true" width="${size}" height="${size}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="${stroke}" stroke-linecap="round" stroke-linejoin="round">${paths}</svg>`;

const SIGN =
  '<svg width="17" height="17" viewBox="2 2 19.6 20" fill="currentColor" aria-hidden="true"><circle class="dot" cx="4.4" cy="8.6" r="2.4"/><circle class="dot" cx="4.4" cy="15.4" r="2.4"/><rect x="9.6" y="2" width="2.4" height="20" rx=".6"/><rect x="15" y="2" width="6.6" height="20" rx="1"/></svg>';
const EYE = icon(
  20,
  1.75,
  '<path d="M2.062 12.348a1 1 0 0 1 0-.696 10.75 10.75 0 0 1 19.876 0 1 1 0 0 1 0 .696 10.75 10.75 0 0 1-19.876 0"/><circle cx="12" cy="12" r="3"/><path class="slash" d="m3 3 18 18"/>',
);
const ALERT = icon(16, 2, '<circle cx="12" cy="12" r="10"/><path d="M12 8v4"/><path d="M12 16h.01"/>');
const LOCK = icon(
  16,
  2,
  '<rect width="18" height="11" x="3" y="11" rx="2" ry="2"/><path d="M7 11V7a5 5 0 0 1 10 0v4"/>',
);
const SHIELD = icon(
  16,
  2,
  '<path d="M20 13c0 5-3.5 7.5-7.66 8.95a1 1 0 0 1-.67-.01C7.5 20.5 4 18 4 13V6a1 1 0 0 1 1-1c2 0 4.5-1.2 6.24-2.72a1.17 1.17 0 0 1 1.52 0C14.51 3.81 17 5 19 5a1 1 0 0 1 1 1z"/><path d="m9 12 2 2 4-4"/>',
);

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
