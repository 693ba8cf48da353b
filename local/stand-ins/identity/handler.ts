/**
 * What the identity provider answers: the two forms and their assets itself, everything else through
 * `oidc-provider`.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { hash, verify } from '@node-rs/argon2';
import { errors, type Provider } from 'oidc-provider';
import {
  forgottenErrors,
  formValues,
  newPasswordErrors,
  signInErrors,
  signUpErrors,
  type FieldErrors,
  type FormValues,
} from './form-values.js';
import { ASSETS, ASSETS_VERSION } from './assets.js';
import { sendMail, takesPlainMail } from './mail.js';
import {
  failurePage,
  forgottenPage,
  newPasswordPage,
  signInPage,
  signUpPage,
  type FormPage,
} from './pages.js';
import { CODE_MINUTES, PasswordResets } from './password-resets.js';
import { PASSWORD_CLASS, PASSWORD_METHODS, type ProviderSettings } from './provider.js';
import type { IdentityStore } from './store.js';
import { TryLimit } from './try-limit.js';

const LARGEST_FORM_BYTES = 16 * 1024;
const TRIES_WITHIN_MS = 10 * 60_000;
/** Codes that one address is sent within ten minutes. */
const MOST_CODES = 3;
// The library's own choice is argon2id; OWASP's parameters for it: 19 MiB, two passes, one lane.
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

interface HandlerSettings extends ProviderSettings {
  /** Failed tries of one email address from one network address, within ten minutes. */
  readonly signInTries: number;
  /** Where codes for forgotten passwords go out; without it, or where it asks for a password, none are offered. */
  readonly smtpUrl: string;
}

/** The forms of one sign-in, by the end of their address. */
type Form = '' | '/sign-up' | '/forgot' | '/new-password';
const PAGES: Readonly<Record<Form, (page: FormPage) => string>> = {
  '': signInPage,
  '/sign-up': signUpPage,
  '/forgot': forgottenPage,
  '/new-password': newPasswordPage,
};
/** What a form leads to where it is the wrong one. */
const OTHER: Readonly<Record<Form, Form>> = {
  '': '/sign-up',
  '/sign-up': '',
  '/forgot': '',
  '/new-password': '/forgot',
};

/** A page instead of a form: what happened and with which status. */
class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Answers every request under the issuer's path. */
export function identityHandler(
  provider: Provider,
  store: IdentityStore,
  settings: HandlerSettings,
): RequestListener {
  const issuer = new URL(settings.issuer);
  const mount = issuer.pathname;
  const callback = provider.callback();
  const tries = new TryLimit(settings.signInTries, TRIES_WITHIN_MS);
  const codes = new TryLimit(MOST_CODES, TRIES_WITHIN_MS);
  const resets = new PasswordResets();
  const sendsMail = takesPlainMail(settings.smtpUrl);
  // Compared with when the address is unknown, so that an answer takes as long as for one that is known.
  const hashOfNoPassword = hash(randomBytes(16), ARGON2);

  return (request, response) => {
    answer(request, response).catch((failure: unknown) => {
      if (!(failure instanceof RefusedRequest)) console.error(failure);
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const refused =
        failure instanceof RefusedRequest
          ? failure
          : new RefusedRequest(500, 'Something went wrong here. Start again from the app.');
      page(
        response,
        refused.status,
        failurePage({
          title: 'Signing in did not work',
          sentence: refused.message,
          again: `${settings.publicUrl}/api/login`,
        }),
      );
    });
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', issuer).pathname;
    if (path === '/healthz') return send(response, 200, 'text/plain; charset=utf-8', 'ok');
    if (path !== mount && !path.startsWith(`${mount}/`))
      throw new RefusedRequest(404, 'There is no such page.');

    const asset = new RegExp(`^${mount}/assets/([^/]+)/([^/]+)$`).exec(path);
    if (asset) return sendAsset(response, asset[1] ?? '', asset[2] ?? '');
    const form = new RegExp(`^${mount}/interaction/([^/]+)(/sign-up|/forgot|/new-password)?$`).exec(path);
    if (form) return answerForm(request, response, form[1] ?? '', (form[2] ?? '') as Form);

    // The library makes its links from what the browser asked for, and that is the issuer, whoever stands in
    // between.
    request.headers.host = issuer.host;
    request.headers['x-forwarded-host'] = issuer.host;
    request.headers['x-forwarded-proto'] = issuer.protocol.replace(':', '');
    const original = request.url ?? '/';
    Object.assign(request, { originalUrl: original, url: original.slice(mount.length) || '/' });
    if (path.endsWith('/session/end') || path.includes('/auth')) secureHeaders(response);
    await callback(request, response);
  }

  async function answerForm(
    request: IncomingMessage,
    response: ServerResponse,
    uid: string,
    form: Form,
  ): Promise<void> {
    const details = await provider.interactionDetails(request, response).catch((failure: unknown) => {
      if (failure instanceof errors.SessionNotFound)
        throw new RefusedRequest(
          410,
          'This sign-in page has expired, or cookies are switched off. Start again from the app.',
        );
      throw failure;
    });
    if (details.uid !== uid)
      throw new RefusedRequest(410, 'This sign-in page has expired. Start again from the app.');
    const signIn = `${mount}/interaction/${uid}`;
    const signUp = `${signIn}/sign-up`;
    if (!sendsMail && (form === '/forgot' || form === '/new-password'))
      throw new RefusedRequest(404, 'There is no such page.');
    const show = (status: number, values: Partial<FormValues>, errors: FieldErrors, notice?: string): void =>
      showForm(form, status, values, errors, notice);
    const showForm = (
      shown: Form,
      status: number,
      values: Partial<FormValues>,
      errors: FieldErrors,
      notice?: string,
    ): void =>
      page(
        response,
        status,
        PAGES[shown]({
          action: signIn + shown,
          other: signIn + OTHER[shown],
          forgotten: sendsMail ? `${signIn}/forgot` : undefined,
          values,
          errors,
          notice,
        }),
      );

    if (request.method === 'GET' || request.method === 'HEAD') {
      if (form === '' && (details.params.prompt === 'create' || details.params.screen_hint === 'sign-up')) {
        response.writeHead(303, { location: signUp }).end();
        return;
      }
      const hint = details.params.login_hint;
      return show(200, typeof hint === 'string' ? { email: hint.slice(0, 254) } : {}, {});
    }
    if (request.method !== 'POST') throw new RefusedRequest(405, 'This page takes a form and nothing else.');
    refuseForeign(request);
    const values = formValues(await bodyOf(request));

    if (form === '/forgot') {
      if (sendCode(uid, values, show)) showForm('/new-password', 200, {}, {});
      return;
    }
    const accountId = await signedInBy(form, request, uid, values, show);
    if (accountId === undefined) return;
    await provider.interactionFinished(
      request,
      response,
      { login: { accountId, remember: true, acr: PASSWORD_CLASS, amr: [...PASSWORD_METHODS] } },
      { mergeWithLastSubmission: false },
    );
  }

  /** Who is signed in by a form that was sent; undefined after it was shown again, with what is wrong. */
  function signedInBy(
    form: Exclude<Form, '/forgot'>,
    request: IncomingMessage,
    uid: string,
    values: FormValues,
    show: Show,
  ): Promise<string | undefined> {
    if (form === '/sign-up') return addPerson(values, show);
    return form === '' ? knownPerson(request, values, show) : withNewPassword(uid, values, show);
  }

  type Show = (status: number, values: Partial<FormValues>, errors: FieldErrors, notice?: string) => void;

  async function addPerson(values: FormValues, show: Show): Promise<string | undefined> {
    const errors = signUpErrors(values);
    if (Object.keys(errors).length > 0) {
      show(422, values, errors);
      return undefined;
    }
    const { email, username, firstName, lastName } = values;
    const id = randomBytes(16).toString('base64url');
    const passwordHash = await hash(values.password, ARGON2);
    const taken = await store.add({
      id,
      email,
      username,
      firstName,
      lastName,
      passwordHash,
      signedUpAt: Date.now(),
    });
    if (taken === undefined) return id;
    show(
      422,
      values,
      taken === 'email'
        ? { email: 'There is an account with this email address already. Sign in instead.' }
        : { username: `The username ${username} is taken. Choose another.` },
    );
    return undefined;
  }

  async function knownPerson(
    request: IncomingMessage,
    values: FormValues,
    show: Show,
  ): Promise<string | undefined> {
    const errors = signInErrors(values);
    if (Object.keys(errors).length > 0) {
      show(422, values, errors);
      return undefined;
    }
    const key = `${values.email} ${addressOf(request)}`;
    const waitMs = tries.waitMs(key, Date.now());
    if (waitMs > 0) {
      const minutes = Math.ceil(waitMs / 60_000);
      show(
        429,
        values,
        {},
        `Too many tries. Wait ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, then try again.`,
      );
      return undefined;
    }
    // Counted before the slow comparison, so that many tries at once are not many more tries.
    tries.failed(key, Date.now());
    const person = store.personByEmail(values.email);
    const right = await verify(person?.passwordHash ?? (await hashOfNoPassword), values.password);
    if (person && right) {
      tries.succeeded(key);
      return person.id;
    }
    show(422, values, { password: 'The email address or the password is not right. Try again.' });
    return undefined;
  }

  /** Sends a code to an address that has an account; answers the same for one that has none. False if it is shown again. */
  function sendCode(uid: string, values: FormValues, show: Show): boolean {
    const errors = forgottenErrors(values);
    if (Object.keys(errors).length > 0) {
      show(422, values, errors);
      return false;
    }
    const now = Date.now();
    if (codes.waitMs(values.email, now) > 0) {
      show(429, values, {}, 'This address has been sent several codes. Wait ten minutes, then try again.');
      return false;
    }
    codes.failed(values.email, now);
    const person = store.personByEmail(values.email);
    if (!person) {
      resets.end(uid);
      return true;
    }
    const code = resets.begin(uid, person.id, now);
    // Not waited for: the answer takes as long as for an address without an account.
    sendMail(settings.smtpUrl, {
      to: person.email,
      subject: 'Your code for a new password',
      lines: [
        `Your code is ${code}.`,
        `It is good for ${CODE_MINUTES} minutes, in the browser that asked for it.`,
        'If you did not ask for it, do nothing: your password stays as it is.',
      ],
    }).catch((failure: unknown) => console.error(failure));
    return true;
  }

  async function withNewPassword(uid: string, values: FormValues, show: Show): Promise<string | undefined> {
    const errors = newPasswordErrors(values);
    if (Object.keys(errors).length > 0) {
      show(422, values, errors);
      return undefined;
    }
    const personId = resets.personOf(uid, values.code, Date.now());
    if (personId === undefined) {
      show(
        422,
        {},
        { code: 'This code is not right, or no longer good. Look at the newest mail, or ask for another.' },
      );
      return undefined;
    }
    resets.end(uid);
    await store.changePassword(personId, await hash(values.password, ARGON2));
    return personId;
  }

  // The form's address holds a random id that only this browser's signed cookie opens; a post that another
  // site began is refused besides, so that nobody is signed in to a stranger's account.
  function refuseForeign(request: IncomingMessage): void {
    const site = request.headers['sec-fetch-site'];
    const { origin } = request.headers;
    if ((site !== undefined && site !== 'same-origin') || (origin !== undefined && origin !== issuer.origin))
      throw new RefusedRequest(403, 'This form was sent from another page. Start again from the app.');
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_FORM_BYTES)
      throw new RefusedRequest(413, 'That is more than this form takes. Start again from the app.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

// The front appends the address it saw itself; what stands before it was written by the browser.
function addressOf(request: IncomingMessage): string {
  return String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)!
    .trim();
}

function sendAsset(response: ServerResponse, version: string, name: string): void {
  const asset = ASSETS.get(name);
  if (!asset || version !== ASSETS_VERSION)
    return send(response, 404, 'text/plain; charset=utf-8', 'There is no such file.');
  response.writeHead(200, {
    'content-type': asset.type,
    'content-length': asset.body.length,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  });
  response.end(asset.body);
}

function secureHeaders(response: ServerResponse): void {
  response.setHeader(
    'content-security-policy',
    "default-src 'none'; style-src 'self'; script-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('referrer-policy', 'same-origin');
  response.setHeader('cross-origin-opener-policy', 'same-origin');
}

function page(response: ServerResponse, status: number, html: string): void {
  secureHeaders(response);
  response.setHeader('cache-control', 'no-store');
  send(response, status, 'text/html; charset=utf-8', html);
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
