/** The identity provider, by OpenID Connect: authorization code with PKCE, state and nonce. */
import * as oidc from 'openid-client';
import { Unavailable } from '../rejection.js';
import type { Claims } from './profile.js';
import type { SignIn } from './sign-ins.js';

export interface IdentityProviderOptions {
  readonly issuer: string;
  /** Where we reach it ourselves, when that is elsewhere; browsers always go to the issuer. */
  readonly internalUrl?: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where browsers reach us, without a slash at its end. */
  readonly publicUrl: string;
}

/** Who the provider says it is. */
export interface VouchedPerson {
  readonly subject: string;
  readonly claims: Claims;
  readonly idToken: string;
}

/** The provider did not vouch: the person gave up, or what came back does not fit what was asked. */
export class SignInFailed extends Error {
  override readonly name = 'SignInFailed';
  readonly answer = { status: 400, message: this.message };
}

const TIMEOUT_SECONDS = 10;
export const CALLBACK_PATH = '/api/login/callback';

export class IdentityProvider {
  private discovered: Promise<oidc.Configuration> | undefined;

  constructor(private readonly options: IdentityProviderOptions) {}

  /** Where to send the browser, and what to keep until it comes back. Throws Unavailable. */
  async begin(returnTo: string): Promise<{ url: URL; signIn: SignIn }> {
    const configuration = await this.configuration();
    const signIn = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      returnTo,
    };
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.options.publicUrl + CALLBACK_PATH,
      scope: 'openid email profile',
      state: signIn.state,
      nonce: signIn.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(signIn.verifier),
      code_challenge_method: 'S256',
    });
    return { url, signIn };
  }

  /**
   * Exchanges the code. `query` is the callback's, with its `?`. Throws {@link SignInFailed} and Unavailable.
   */
  async finish(query: string, signIn: SignIn): Promise<VouchedPerson> {
    const configuration = await this.configuration();
    try {
      const tokens = await oidc.authorizationCodeGrant(
        configuration,
        new URL(this.options.publicUrl + CALLBACK_PATH + query),
        {
          pkceCodeVerifier: signIn.verifier,
          expectedState: signIn.state,
          expectedNonce: signIn.nonce,
          idTokenExpected: true,
        },
      );
      const claims = tokens.claims();
      if (!claims || tokens.id_token === undefined)
        throw new SignInFailed('The identity provider sent no ID token.');
      const info = configuration.serverMetadata().userinfo_endpoint
        ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : {};
      return { subject: claims.sub, claims: { ...claims, ...info }, idToken: tokens.id_token };
    } catch (error) {
      if (error instanceof SignInFailed) throw error;
      if (isUnreachable(error)) throw unavailable(error);
      throw new SignInFailed('Sign-in was not completed.', { cause: error });
    }
  }

  /**
   * Where the browser ends the provider's session; undefined where the provider has no such page. Throws
   * Unavailable.
   */
  async signOutUrl(idToken: string | undefined): Promise<URL | undefined> {
    const configuration = await this.configuration();
    if (!configuration.serverMetadata().end_session_endpoint) return undefined;
    return oidc.buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: `${this.options.publicUrl}/`,
      ...(idToken === undefined ? { client_id: this.options.clientId } : { id_token_hint: idToken }),
    });
  }

  /**
   * Found at the first sign-in and kept; a failure is not, so that the ledger may start before the provider.
   */
  private configuration(): Promise<oidc.Configuration> {
    this.discovered ??= this.discover().catch((error: unknown) => {
      this.discovered = undefined;
      throw unavailable(error);
    });
    return this.discovered;
  }

  private discover(): Promise<oidc.Configuration> {
    const { issuer, internalUrl, clientId, clientSecret } = this.options;
    const isPlain = issuer.startsWith('http:');
    return oidc.discovery(new URL(issuer), clientId, undefined, oidc.ClientSecretBasic(clientSecret), {
      timeout: TIMEOUT_SECONDS,
      // The two libraries' types of a body differ by whose memory it may lie in: a copy lies in its own.
      [oidc.customFetch]: (url, { body, ...asked }) =>
        fetch(reachedAt(url, issuer, internalUrl), {
          ...asked,
          body: body instanceof Uint8Array ? new Uint8Array(body) : body,
        }),
      // Production refuses a plain-http issuer before it comes to this.
      execute: isPlain ? [oidc.allowInsecureRequests] : [],
    });
  }
}

/**
 * The address to call for an address of the provider's; one that is not the issuer's own is called as it is.
 */
export function reachedAt(url: string, issuer: string, internalUrl: string | undefined): string {
  const from = issuer.replace(/\/+$/, '');
  if (internalUrl === undefined || !(url === from || url.startsWith(`${from}/`))) return url;
  return internalUrl.replace(/\/+$/, '') + url.slice(from.length);
}

const unavailable = (cause: unknown): Unavailable =>
  new Unavailable('Sign-in is not available right now. Please try again in a moment.', { cause });

/** A network that failed or a provider that broke, as against one that said no. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')) return true;
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Response && cause.status >= 500;
}
