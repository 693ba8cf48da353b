/**
 * The OpenID Connect side: one issuer, one client, authorization code with PKCE, and a sign-out that ends the
 * session and goes straight back. The protocol is `oidc-provider`'s; what is here is configuration and two
 * pages' worth of taste.
 *
 * No mail is sent to check an address on a laptop, so every address counts as verified: `email_verified` is
 * always true here.
 */
import { Provider, type KoaContextWithOIDC } from 'oidc-provider';
import { failurePage, signOutPage } from './pages.js';
import type { IdentityStore, Person } from './store.js';

const DAY_S = 86_400;
const SCOPES = 'openid email profile';
/** How people sign in here, as `acr` and `amr` (RFC 8176) say it: by a password, and by nothing more. */
export const PASSWORD_CLASS = 'password';
export const PASSWORD_METHODS = ['pwd'];

export interface ProviderSettings {
  /** `PUBLIC_URL` + `/identity`. */
  readonly issuer: string;
  /** The app's origin. */
  readonly publicUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface ClientToTell {
  backchannelLogout(accountId: string, sid?: string): Promise<void>;
}

/** The provider, to be mounted under the path of its issuer. */
export async function identityProvider(store: IdentityStore, settings: ProviderSettings): Promise<Provider> {
  const { signing, cookies } = await store.keys();
  const { issuer, publicUrl } = settings;
  const mount = new URL(issuer).pathname;
  const secure = issuer.startsWith('https:');
  const provider: Provider = new Provider(issuer, {
    adapter: (model: string) => store.adapter(model),
    jwks: { keys: [signing] },
    clients: [
      {
        client_id: settings.clientId,
        client_secret: settings.clientSecret,
        redirect_uris: [`${publicUrl}/api/login/callback`],
        // It is told by this of sign-outs that it did not begin, and of whose: it finds its sessions by
        // "sid".
        backchannel_logout_uri: `${publicUrl}/api/backchannel-logout`,
        backchannel_logout_session_required: true,
        post_logout_redirect_uris: [publicUrl, `${publicUrl}/`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    cookies: {
      keys: [cookies],
      names: { session: 'encore_identity', interaction: 'encore_sign_in', resume: 'encore_sign_in_resume' },
      long: { httpOnly: true, sameSite: 'lax', signed: true, path: mount, secure },
      short: { httpOnly: true, sameSite: 'lax', signed: true, secure },
    },
    scopes: ['openid'],
    acrValues: [PASSWORD_CLASS],
    claims: {
      openid: ['sub', 'acr', 'amr'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'given_name', 'family_name', 'picture'],
    },
    // The app asks for its claims once, with the code; it has no use for an access token.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    findAccount: (_ctx, sub) => {
      const person = store.person(sub);
      return person && { accountId: sub, claims: () => claimsOf(person) };
    },
    // There is one client and it is ours: nobody is asked whether it may know their name.
    loadExistingGrant: async (ctx) => {
      const { client, session } = ctx.oidc;
      if (!client || !session?.accountId) return undefined;
      const known = session.grantIdFor(client.clientId);
      const found = known === undefined ? undefined : await provider.Grant.find(known);
      if (found) return found;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(SCOPES);
      await grant.save();
      return grant;
    },
    interactions: { url: (_ctx, interaction) => `${mount}/interaction/${interaction.uid}` },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => signOut(ctx, form),
        postLogoutSuccessSource: (ctx) => ctx.redirect(`${publicUrl}/`),
      },
    },
    // The library lets no call go to this machine, where the one client is: nobody else can name an address
    // here.
    fetch: (url, options) => {
      const { dispatcher: _guarded, ...plain } = options as RequestInit & { dispatcher?: unknown };
      return fetch(url, plain);
    },
    ttl: {
      AccessToken: 3_600,
      AuthorizationCode: 60,
      Grant: 14 * DAY_S,
      IdToken: 3_600,
      // Somebody who looks for a password for an hour still comes back to where they were.
      Interaction: DAY_S,
      Session: 14 * DAY_S,
    },
    renderError: (ctx, out) => {
      ctx.type = 'html';
      ctx.body = failurePage({
        title: 'Signing in did not work',
        sentence: 'This sign-in link is incomplete or out of date. Start again from the app.',
        detail: out.error,
        again: `${publicUrl}/api/login`,
      });
    },
  });
  provider.proxy = true;
  provider.on('server_error', (_ctx, error: Error) => console.error(error));
  provider.on('backchannel.error', (_ctx, error: Error) => console.error(error));
  provider.use(async (ctx, next) => {
    await next();
    // Nobody is signed in here: the library would answer with a page that posts itself, which is a page too
    // many.
    const { oidc } = ctx as KoaContextWithOIDC;
    const back =
      oidc?.route === 'end_session' && !oidc.session?.accountId && oidc.params?.post_logout_redirect_uri;
    if (typeof back === 'string' && ctx.status === 200) goBack(ctx as KoaContextWithOIDC, back);
  });
  return provider;

  /**
   * The library does this where it asks the person; an app that cannot be told signs nobody out less here.
   */
  async function tellOfLogout(clientId: string, accountId: string, sid?: string): Promise<void> {
    // The package's types leave the method out.
    const client = (await provider.Client.find(clientId)) as ClientToTell | undefined;
    await client?.backchannelLogout(accountId, sid).catch((failure: unknown) => console.error(failure));
  }

  async function signOut(ctx: KoaContextWithOIDC, form: string): Promise<void> {
    const { session, entities, params } = ctx.oidc;
    // Only the app that signed this very person in may end their session unasked: it shows their id token.
    // Anything else is a link that somebody followed, and asks.
    const hint = entities.IdTokenHint?.payload.sub;
    if (!session?.accountId || hint !== session.accountId) {
      ctx.body = signOutPage(form);
      return;
    }
    for (const [clientId, { grantId }] of Object.entries(session.authorizations ?? {})) {
      await tellOfLogout(clientId, session.accountId, session.sidFor(clientId));
      if (grantId === undefined) continue;
      await store.adapter('AccessToken').revokeByGrantId(grantId);
      await store.adapter('Grant').destroy(grantId);
    }
    await session.destroy();
    ctx.oidc.cookies.set(provider.cookieName('session'), null, {
      path: mount,
      httpOnly: true,
      sameSite: 'lax',
      signed: true,
    });
    const back = params?.post_logout_redirect_uri;
    goBack(ctx, typeof back === 'string' ? back : `${publicUrl}/`);
  }
}

function goBack(ctx: KoaContextWithOIDC, to: string): void {
  const url = new URL(to);
  const state = ctx.oidc.params?.state;
  if (typeof state === 'string') url.searchParams.set('state', state);
  ctx.status = 303;
  ctx.redirect(url.href);
}

function claimsOf(person: Person): { sub: string; [claim: string]: unknown } {
  return {
    sub: person.id,
    email: person.email,
    email_verified: true,
    preferred_username: person.username,
    given_name: person.firstName,
    family_name: person.lastName === '' ? undefined : person.lastName,
  };
}
