/**
 * What the identity provider answers: the two forms and their assets itself, everything else through
 * `oidc-provider`.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { errors, type Provider } from 'oidc-provider';
import { Accounts, type AccountSettings, type RefusedForm } from './accounts.js';
import { ASSETS, ASSETS_VERSION } from './assets.js';
import {
  forgottenErrors,
  formValues,
  newPasswordErrors,
  signInErrors,
  signUpErrors,
  type FieldErrors,
  type FormValues,
} from './form-values.js';
import { takesPlainMail } from './mail.js';
import {
  failurePage,
  forgottenPage,
  newPasswordPage,
  signInPage,
  signUpPage,
  type FormPage,
} from './pages.js';
import { PASSWORD_CLASS, PASSWORD_METHODS, type ProviderSettings } from './provider.js';
import type { IdentityStore } from './store.js';

const LARGEST_FORM_BYTES = 16 * 1024;

type HandlerSettings = ProviderSettings & AccountSettings;

/** The forms of one sign-in, by the end of their address. */
type Form = '' | '/sign-up' | '/forgot' | '/new-password';
interface FormKind {
  readonly page: (page: FormPage) => string;
  /** What is wrong with it before anything is looked up. */
  readonly errorsOf: (values: FormValues) => FieldErrors;
  /** What it leads to where it is the wrong one. */
  readonly other: Form;
}
const FORMS: Readonly<Record<Form, FormKind>> = {
  '': { page: signInPage, errorsOf: signInErrors, other: '/sign-up' },
  '/sign-up': { page: signUpPage, errorsOf: signUpErrors, other: '' },
  '/forgot': { page: forgottenPage, errorsOf: forgottenErrors, other: '' },
  '/new-password': { page: newPasswordPage, errorsOf: newPasswordErrors, other: '/forgot' },
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
  const pages = new IdentityPages(provider, new Accounts(store, settings), settings);
  return (request, response) => {
    pages.answer(request, response).catch((failure: unknown) => {
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
}

class IdentityPages {
  readonly #issuer: URL;
  readonly #callback: ReturnType<Provider['callback']>;
  readonly #sendsMail: boolean;

  constructor(
    private readonly provider: Provider,
    private readonly accounts: Accounts,
    settings: HandlerSettings,
  ) {
    this.#issuer = new URL(settings.issuer);
    this.#callback = provider.callback();
    this.#sendsMail = takesPlainMail(settings.smtpUrl);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const mount = this.#issuer.pathname;
    const path = new URL(request.url ?? '/', this.#issuer).pathname;
    if (path === '/healthz') return send(response, 200, 'text/plain; charset=utf-8', 'ok');
    if (path !== mount && !path.startsWith(`${mount}/`)) throw noSuchPage();

    const asset = new RegExp(`^${mount}/assets/([^/]+)/([^/]+)$`).exec(path);
    if (asset) return sendAsset(response, asset[1] ?? '', asset[2] ?? '');
    const form = new RegExp(`^${mount}/interaction/([^/]+)(/sign-up|/forgot|/new-password)?$`).exec(path);
    if (form) return this.#answerForm(request, response, form[1] ?? '', (form[2] ?? '') as Form);
    await this.#passOn(request, response, path);
  }

  /** Everything else is the library's. */
  async #passOn(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    // The library makes its links from what the browser asked for, and that is the issuer, whoever stands in
    // between.
    const { host, protocol, pathname } = this.#issuer;
    request.headers.host = host;
    request.headers['x-forwarded-host'] = host;
    request.headers['x-forwarded-proto'] = protocol.replace(':', '');
    const original = request.url ?? '/';
    Object.assign(request, { originalUrl: original, url: original.slice(pathname.length) || '/' });
    if (path.endsWith('/session/end') || path.includes('/auth')) secureHeaders(response);
    await this.#callback(request, response);
  }

  /** Shows a form of the sign-in `uid`, or takes one that was sent. */
  async #answerForm(
    request: IncomingMessage,
    response: ServerResponse,
    uid: string,
    form: Form,
  ): Promise<void> {
    const { prompt, screen_hint: screenHint, login_hint: hint } = await this.#askedBy(request, response, uid);
    if (!this.#sendsMail && (form === '/forgot' || form === '/new-password')) throw noSuchPage();
    if (request.method === 'GET' || request.method === 'HEAD') {
      if (form === '' && (prompt === 'create' || screenHint === 'sign-up')) {
        response.writeHead(303, { location: `${this.#addressOf(uid)}/sign-up` }).end();
        return;
      }
      const values = typeof hint === 'string' ? { email: hint.slice(0, 254) } : {};
      return this.#show(response, uid, form, values);
    }
    if (request.method !== 'POST') throw new RefusedRequest(405, 'This page takes a form and nothing else.');
    this.#refuseForeign(request);
    const values = formValues(await bodyOf(request));
    const errors = FORMS[form].errorsOf(values);
    if (Object.keys(errors).length > 0)
      return this.#show(response, uid, form, values, { status: 422, errors });
    const outcome = await this.#outcomeOf(form, request, uid, values);
    if (outcome === undefined) return this.#show(response, uid, '/new-password', {});
    if (typeof outcome !== 'string')
      return this.#show(response, uid, form, outcome.isEmptied ? {} : values, outcome);
    await this.provider.interactionFinished(
      request,
      response,
      { login: { accountId: outcome, remember: true, acr: PASSWORD_CLASS, amr: [...PASSWORD_METHODS] } },
      { mergeWithLastSubmission: false },
    );
  }

  /** What the app asked of this sign-in, which is under way in this browser. */
  async #askedBy(
    request: IncomingMessage,
    response: ServerResponse,
    uid: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    const details = await this.provider.interactionDetails(request, response).catch((failure: unknown) => {
      if (failure instanceof errors.SessionNotFound)
        throw new RefusedRequest(
          410,
          'This sign-in page has expired, or cookies are switched off. Start again from the app.',
        );
      throw failure;
    });
    if (details.uid !== uid)
      throw new RefusedRequest(410, 'This sign-in page has expired. Start again from the app.');
    return details.params;
  }

  /**
   * Who is signed in by a form that was sent, by their id, or what is wrong with it; undefined once a code
   * was sent.
   */
  async #outcomeOf(
    form: Form,
    request: IncomingMessage,
    uid: string,
    values: FormValues,
  ): Promise<string | RefusedForm | undefined> {
    switch (form) {
      case '':
        return this.accounts.signIn(values, addressOf(request));
      case '/sign-up':
        return this.accounts.signUp(values);
      case '/forgot':
        return this.accounts.sendCode(values, uid);
      case '/new-password':
        return this.accounts.changePassword(values, uid);
    }
  }

  #show(
    response: ServerResponse,
    uid: string,
    form: Form,
    values: Partial<FormValues>,
    refused?: RefusedForm,
  ): void {
    const { status, errors, notice } = refused ?? { status: 200, errors: {}, notice: undefined };
    const signIn = this.#addressOf(uid);
    page(
      response,
      status,
      FORMS[form].page({
        action: signIn + form,
        other: signIn + FORMS[form].other,
        forgotten: this.#sendsMail ? `${signIn}/forgot` : undefined,
        values,
        errors,
        notice,
      }),
    );
  }

  #addressOf(uid: string): string {
    return `${this.#issuer.pathname}/interaction/${uid}`;
  }

  // The form's address holds a random id that only this browser's signed cookie opens; a post that another
  // site began is refused besides, so that nobody is signed in to a stranger's account.
  #refuseForeign(request: IncomingMessage): void {
    const site = request.headers['sec-fetch-site'];
    const { origin } = request.headers;
    if (
      (site !== undefined && site !== 'same-origin') ||
      (origin !== undefined && origin !== this.#issuer.origin)
    )
      throw new RefusedRequest(403, 'This form was sent from another page. Start again from the app.');
  }
}

const noSuchPage = (): RefusedRequest => new RefusedRequest(404, 'There is no such page.');

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
