/** The identity provider, by OpenID Connect: authorization code with PKCE, state and nonce. */
import { createRemoteJWKSet, customFetch as keysFetch, errors, jwtVerify, type JWTVerifyGetKey } from 'jose';
import * as oidc from 'openid-client';
import { Unavailable } from '../rejection.js';
import type { Claims } from './profile.js';
import { namedIn, type NamedLogout } from './logout-token.js';
import { askedOf, lackingIn, type Assurance } from './assurance.js';
import type { BegunSignIn, FreshSignIn, SignIn } from './sign-ins.js';

interface IdentityProviderOptions {
  readonly issuer: string;
  /** Where we reach it ourselves, when that is elsewhere; browsers always go to the issuer. */
  readonly internalUrl?: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where browsers reach us, without a slash at its end. */
  readonly publicUrl: string;
  /** How strongly people must sign in. */
  readonly assurance: Assurance;
  /** For suites; see {@link ANSWERS_WITHIN_SECONDS}. */
  readonly answersWithinSeconds?: number;
}

/** Who the provider says it is. */
export interface VouchedPerson {
  readonly subject: string;
  readonly claims: Claims;
  readonly idToken: string;
  /** When they last showed the provider who they are; undefined where it does not say. */
  readonly signedInAt: Date | undefined;
  /** The provider's own name for its session (`sid`); undefined where it gives none. */
  readonly providerSid: string | undefined;
}

/** What came as a logout token is none of the provider's, is not for us, or is too old. */
export class LogoutTokenRefused extends Error {
  override readonly name = 'LogoutTokenRefused';
  readonly answer = { status: 400, message: 'This is no logout token of the identity provider’s.' };
}

/** The provider did not vouch: the person gave up, or what came back does not fit what was asked. */
export class SignInFailed extends Error {
  override readonly name = 'SignInFailed';
  readonly answer = { status: 400, message: this.message };
}

/** So long each call of the provider is waited for. */
const ANSWERS_WITHIN_SECONDS = 10;
/** A logout token that is older is not taken: its id is remembered for longer. */
const LOGOUT_TOKEN_SECONDS = 600;
const LOGOUT_SKEW_SECONDS = 60;
const LONGEST_SID = 255;
/** As long as a session of ours lasts at most: older than that nobody is let in by it. */
const LONGEST_SIGN_IN_SECONDS = 90 * 24 * 3600;
/** So far the provider's clock may be behind ours; it tells whole seconds. */
const CLOCK_SKEW_MS = 30_000;
const CALLBACK_PATH = '/api/login/callback';

export class IdentityProvider {
  private discovered: Promise<oidc.Configuration> | undefined;
  private keys: JWTVerifyGetKey | undefined;

  private readonly answersWithinSeconds: number;

  constructor(private readonly options: IdentityProviderOptions) {
    this.answersWithinSeconds = options.answersWithinSeconds ?? ANSWERS_WITHIN_SECONDS;
  }

  /**
   * Where to send the browser, and what to keep until it comes back. A fresh sign-in asks the person again,
   * however long they have been signed in at the provider. Throws Unavailable.
   */
  async begin(returnTo: string, fresh?: FreshSignIn): Promise<{ url: URL; signIn: SignIn }> {
    const configuration = await this.configuration();
    const signIn = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      returnTo,
      fresh,
    };
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.options.publicUrl + CALLBACK_PATH,
      scope: 'openid email profile',
      state: signIn.state,
      nonce: signIn.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(signIn.verifier),
      code_challenge_method: 'S256',
      ...askedOf(this.options.assurance, configuration.serverMetadata().claims_parameter_supported === true),
      // With max_age the ID token must hold auth_time (OpenID Connect Core §2), and with 0 the person is
      // asked.
      ...(fresh ? { prompt: 'login', max_age: '0' } : { max_age: String(LONGEST_SIGN_IN_SECONDS) }),
    });
    return { url, signIn };
  }

  /**
   * Exchanges the code. `query` is the callback's, with its `?`. Throws {@link SignInFailed} and Unavailable.
   */
  async finish(query: string, signIn: BegunSignIn): Promise<VouchedPerson> {
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
      const lacking = lackingIn(this.options.assurance, claims);
      if (lacking !== undefined) throw new SignInFailed(lacking);
      const info = configuration.serverMetadata().userinfo_endpoint
        ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : {};
      const signedInAt = timeOf(claims.auth_time);
      if (signIn.fresh) assertFresh(signedInAt, signIn.begunAt);
      const { sid } = claims;
      return {
        subject: claims.sub,
        claims: { ...claims, ...info },
        idToken: tokens.id_token,
        signedInAt,
        providerSid: typeof sid === 'string' && sid.length <= LONGEST_SID ? sid : undefined,
      };
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
   * Reads a logout token (OpenID Connect Back-Channel Logout 1.0, §2.6): signed by the provider, for us, of
   * these minutes, an order to log out, and of somebody. Throws {@link LogoutTokenRefused} and Unavailable.
   */
  async readLogoutToken(token: string): Promise<NamedLogout> {
    const configuration = await this.configuration();
    const {
      issuer,
      jwks_uri: keysAt,
      id_token_signing_alg_values_supported: algorithms = ['RS256'],
    } = configuration.serverMetadata();
    if (keysAt === undefined) throw new LogoutTokenRefused('The identity provider publishes no keys.');
    this.keys ??= createRemoteJWKSet(new URL(keysAt), {
      timeoutDuration: this.answersWithinSeconds * 1000,
      [keysFetch]: (url, asked) =>
        fetch(reachedAt(url, this.options.issuer, this.options.internalUrl), asked),
    });
    try {
      const { payload } = await jwtVerify(token, this.keys, {
        issuer,
        audience: this.options.clientId,
        // A secret that two sides have signs nothing here, and `none` signs nothing anywhere.
        algorithms: algorithms.filter((name) => /^(?:RS|PS|ES)(?:256|384|512)$|^Ed/.test(name)),
        clockTolerance: LOGOUT_SKEW_SECONDS,
        maxTokenAge: LOGOUT_TOKEN_SECONDS,
      });
      return namedIn(payload);
    } catch (error) {
      if (isUnreachable(error) || areNoKeys(error)) throw unavailable(error);
      throw new LogoutTokenRefused('The logout token does not hold.', { cause: error });
    }
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
      timeout: this.answersWithinSeconds,
      // The two libraries' types of a body differ by whose memory it may lie in: a copy lies in its own.
      [oidc.customFetch]: (url, { body, ...asked }) =>
        fetch(reachedAt(url, issuer, internalUrl), {
          ...asked,
          body: body instanceof Uint8Array ? new Uint8Array(body) : body,
        }),
      // Production refuses a plain-http issuer before it comes to this.
      execute: [
        // The library leaves signatures to TLS; the provider may be reached over plain http within a network.
        oidc.enableNonRepudiationChecks,
        ...(isPlain ? [oidc.allowInsecureRequests] : []),
      ],
    });
  }
}

/** A time of an ID token, in seconds. */
const timeOf = (seconds: unknown): Date | undefined =>
  typeof seconds === 'number' && Number.isFinite(seconds) ? new Date(seconds * 1000) : undefined;

/**
 * Checks that the person was asked after the sign-in was begun: a provider that passes over prompt=login
 * answers with the time of a sign-in before. Throws {@link SignInFailed}.
 */
function assertFresh(signedInAt: Date | undefined, begunAt: Date): void {
  if (signedInAt === undefined)
    throw new SignInFailed('The identity provider did not say when you signed in. Nothing was confirmed.');
  if (signedInAt.getTime() < begunAt.getTime() - CLOCK_SKEW_MS)
    throw new SignInFailed('The identity provider did not ask you to sign in again. Nothing was confirmed.');
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

/**
 * A network that failed, or a provider that is broken or too busy, as against one that said no: by the first
 * of an error's causes that tells. The libraries wrap what they met in errors of their own.
 */
function isUnreachable(error: unknown): boolean {
  if (error instanceof Response) return error.status >= 500 || error.status === 429;
  if (typeof error !== 'object' || error === null) return false;
  const { name, cause } = error as { readonly name?: unknown; readonly cause?: unknown };
  // What `fetch` throws has the network's failure as its cause; another TypeError is about what was sent us.
  return name === 'TimeoutError' || (name === 'TypeError' && cause !== undefined) || isUnreachable(cause);
}

/** What came in place of the provider's keys says nothing of the token. */
const areNoKeys = (error: unknown): boolean =>
  error instanceof errors.JWKSInvalid ||
  (error instanceof errors.JOSEError && error.code === errors.JOSEError.code);
