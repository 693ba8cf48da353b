/**
 * The local identity provider as the app and a browser meet it: `openid-client` on one side, plain HTTP with
 * a cookie jar on the other, through the front, as real processes.
 */
import { describe, expect, it } from '@jest/globals';
import * as client from 'openid-client';
import { CookieJar } from 'tough-cookie';
import type { Assurance } from '#ledger/identity/assurance';
import { IdentityProvider, type VouchedPerson } from '#ledger/identity/identity-provider';
import { useStack } from '#test/support/stack';

interface Page {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly headers: Headers;
}

/**
 * A browser without JavaScript: cookies are kept, redirects are followed while they stay with the identity
 * provider.
 */
class Browser {
  readonly jar = new CookieJar();

  async open(
    url: string,
    form?: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Page> {
    let [at, body] = [url, form === undefined ? undefined : new URLSearchParams(form).toString()];
    for (let hops = 0; hops < 10; hops += 1) {
      const answer = await fetch(at, {
        method: body === undefined ? 'GET' : 'POST',
        body,
        redirect: 'manual',
        headers: {
          ...headers,
          accept: 'text/html',
          cookie: await this.jar.getCookieString(at),
          ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        },
      });
      for (const cookie of answer.headers.getSetCookie()) await this.jar.setCookie(cookie, at);
      const location = answer.headers.get('location');
      const next = location === null ? undefined : new URL(location, at).href;
      if (next === undefined || !new URL(next).pathname.startsWith('/identity'))
        return { status: answer.status, url: next ?? at, text: await answer.text(), headers: answer.headers };
      [at, body] = [next, undefined];
    }
    throw new Error(`Redirected in circles at ${at}`);
  }
}

const stack = useStack(['identity', 'front', 'mail']);

let discovered: client.Configuration | undefined;
async function provider(): Promise<client.Configuration> {
  const { OIDC_ISSUER = '', OIDC_CLIENT_ID = '', OIDC_CLIENT_SECRET } = stack().env;
  discovered ??= await client.discovery(new URL(OIDC_ISSUER), OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, undefined, {
    execute: [client.allowInsecureRequests],
  });
  return discovered;
}

const callback = (): string => `${stack().url}/api/login/callback`;

/** The app's half of a sign-in: where it sends the browser, and what it makes of the answer. */
async function begin(more: Record<string, string> = {}): Promise<{
  url: string;
  finish: (answer: string) => Promise<client.TokenEndpointResponse & client.TokenEndpointResponseHelpers>;
}> {
  const config = await provider();
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: callback(),
    scope: 'openid email profile',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...more,
  });
  return {
    url: url.href,
    finish: (answer) =>
      client.authorizationCodeGrant(config, new URL(answer), {
        pkceCodeVerifier: verifier,
        expectedState: state,
      }),
  };
}

let people = 0;
function somebody(): Record<string, string> {
  people += 1;
  return {
    firstName: 'Juno',
    lastName: 'Valastro',
    username: `juno.${people}`,
    email: `juno.${people}@valastro.example`,
    password: 'correct horse battery',
  };
}

/** The code of the newest mail to this address. */
async function mailedCode(email: string): Promise<string> {
  const inbox = `${stack().url}/inbox/mails.json?to=${encodeURIComponent(email)}`;
  for (;;) {
    const code = /Your code is (\d{8})/.exec(await (await fetch(inbox)).text())?.[1];
    if (code !== undefined) return code;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function signUp(browser: Browser, person: Record<string, string>): Promise<Page> {
  const form = await browser.open((await begin()).url);
  return browser.open(`${form.url}/sign-up`, person);
}

describe('signing up', () => {
  it('brings a new person back to the app with everything the app asks for', async () => {
    const browser = new Browser();
    const { url, finish } = await begin();
    const form = await browser.open(url);
    expect(form.status).toBe(200);
    const person = somebody();
    const back = await browser.open(`${form.url}/sign-up`, person);
    expect(back.url).toContain(`${callback()}?`);
    const claims = (await finish(back.url)).claims();
    expect(claims).toMatchObject({
      iss: stack().env.OIDC_ISSUER,
      aud: stack().env.OIDC_CLIENT_ID,
      email: person.email,
      email_verified: true,
      preferred_username: person.username,
      given_name: 'Juno',
      family_name: 'Valastro',
      acr: 'password',
      amr: ['pwd'],
    });
    // Opaque: nothing of the person is in it.
    expect(claims?.sub).toMatch(/^[\w-]{22}$/);
  });

  it('says in words what is not right, keeps what was written, and never sends a password back', async () => {
    const answer = await signUp(new Browser(), {
      ...somebody(),
      username: 'j',
      email: 'juno at valastro',
      password: 'short "one"',
    });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('Use at least 12 characters. This one has 11.');
    expect(answer.text).toContain('Enter an email address such as name@example.com.');
    expect(answer.text).toContain('Use 3 to 30 letters');
    expect(answer.text).toMatch(/name="email"[^>]*value="juno at valastro"/);
    expect(answer.text).toMatch(
      /name="username"[^>]*aria-invalid="true"[^>]*aria-describedby="username-error username-help"/,
    );
    expect(answer.text).not.toContain('short');
    expect(answer.text).toContain('<title>Not yet: Create an account – Encore</title>');
  });

  it('gives a username and an email address to one person only, however they are written', async () => {
    const first = somebody();
    expect((await signUp(new Browser(), first)).url).toContain(callback());
    const sameName = await signUp(new Browser(), {
      ...somebody(),
      username: String(first.username).toUpperCase(),
    });
    expect(sameName.status).toBe(422);
    expect(sameName.text).toContain('is taken. Choose another.');
    const sameMail = await signUp(new Browser(), { ...somebody(), email: String(first.email).toUpperCase() });
    expect(sameMail.status).toBe(422);
    expect(sameMail.text).toContain('There is an account with this email address already.');
  });

  it('gives one of two who want a username in the same moment', async () => {
    const [one, two] = [somebody(), somebody()];
    const username = 'the-only-one';
    const answers = await Promise.all(
      [one, two].map((person) => signUp(new Browser(), { ...person, username })),
    );
    expect(answers.map((answer) => answer.url.startsWith(callback())).sort()).toEqual([false, true]);
  });

  it('shows what was written as text, never as markup', async () => {
    const answer = await signUp(new Browser(), { ...somebody(), email: '"><script>alert(1)</script>' });
    expect(answer.text).not.toContain('<script>alert');
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'");
  });
});

describe('signing in', () => {
  it('works with the right password and says no to a wrong one without saying which half was wrong', async () => {
    const person = somebody();
    await signUp(new Browser(), person);
    const browser = new Browser();
    const { url, finish } = await begin();
    const form = await browser.open(url);
    const wrong = await browser.open(form.url, {
      email: String(person.email),
      password: 'correct horse batterY',
    });
    const unknown = await browser.open(form.url, {
      email: 'nobody@valastro.example',
      password: 'correct horse battery',
    });
    for (const answer of [wrong, unknown]) {
      expect(answer.status).toBe(422);
      expect(answer.text).toContain('The email address or the password is not right. Try again.');
    }
    const back = await browser.open(form.url, {
      email: String(person.email).toUpperCase(),
      password: String(person.password),
    });
    expect((await finish(back.url)).claims()).toMatchObject({ preferred_username: person.username });
  });

  it('is got back with a code that is mailed, good once and where it was asked for', async () => {
    const person = somebody();
    const elsewhere = new Browser();
    await signUp(elsewhere, person);
    const browser = new Browser();
    const { url } = await browser.open((await begin()).url);
    expect((await browser.open(url)).text).toContain(`${new URL(url).pathname}/forgot`);
    const asked = await browser.open(`${url}/forgot`, { email: person.email! });
    expect(asked.text).toContain('If the address has an account, a code is on its way.');
    const code = await mailedCode(person.email!);
    const changed = { code, password: 'another horse battery' };

    const wrong = { ...changed, code: code === '00000000' ? '00000001' : '00000000' };
    expect((await browser.open(`${url}/new-password`, wrong)).text).toContain('This code is not right');
    const stranger = new Browser();
    const other = (await stranger.open((await begin()).url)).url;
    expect((await stranger.open(`${other}/new-password`, changed)).text).toContain('This code is not right');

    const back = await browser.open(`${url}/new-password`, changed);
    expect(back.url).toMatch(/\/api\/login\/callback\?code=/);
    // Whoever was signed in with the old password is asked again, and it is no longer right.
    const again = await elsewhere.open((await begin()).url);
    expect(again.url).toMatch(/\/interaction\//);
    expect((await elsewhere.open(again.url, person)).status).toBe(422);
    const known = { email: person.email!, password: changed.password };
    expect((await elsewhere.open(again.url, known)).url).toMatch(/\/api\/login\/callback\?code=/);
  });

  it('is asked for without telling who has an account, a few times', async () => {
    const browser = new Browser();
    const { url } = await browser.open((await begin()).url);
    const nobody = { email: 'nobody@valastro.example' };
    for (let n = 0; n < 3; n += 1)
      expect((await browser.open(`${url}/forgot`, nobody)).text).toContain('a code is on its way');
    expect((await browser.open(`${url}/forgot`, nobody)).status).toBe(429);
    expect((await browser.open(`${url}/forgot`, { email: 'nobody' })).status).toBe(422);
  });

  it('lets nobody guess for long', async () => {
    const person = somebody();
    await signUp(new Browser(), person);
    const browser = new Browser();
    const form = await browser.open((await begin()).url);
    for (let n = 0; n < 10; n += 1)
      expect(
        (await browser.open(form.url, { email: String(person.email), password: `guess number ${n}` })).status,
      ).toBe(422);
    const tooMany = await browser.open(form.url, {
      email: String(person.email),
      password: String(person.password),
    });
    expect(tooMany.status).toBe(429);
    expect(tooMany.text).toMatch(/Too many tries\. Wait \d+ minutes?, then try again\./);
  });

  it('is not asked for again while the session lasts, also after a restart', async () => {
    const browser = new Browser();
    await signUp(browser, somebody());
    await stack().part('identity').restart();
    const again = await begin();
    const back = await browser.open(again.url);
    expect(back.url).toContain(callback());
    const first = (await again.finish(back.url)).claims()?.sub;
    await stack().part('identity').kill9();
    await stack().part('identity').start();
    const third = await begin();
    expect((await third.finish((await browser.open(third.url)).url)).claims()?.sub).toBe(first);
  });

  it('is as strong as the app asks for, or the app lets nobody in', async () => {
    const { OIDC_ISSUER = '', OIDC_CLIENT_ID = '', OIDC_CLIENT_SECRET = '' } = stack().env;
    const browser = new Browser();
    await signUp(browser, somebody());
    const finished = async (assurance: Assurance): Promise<VouchedPerson> => {
      const app = new IdentityProvider({
        issuer: OIDC_ISSUER,
        clientId: OIDC_CLIENT_ID,
        clientSecret: OIDC_CLIENT_SECRET,
        publicUrl: stack().url,
        assurance,
      });
      const { url, signIn } = await app.begin('/');
      const begun = { ...signIn, begunAt: new Date() };
      return app.finish(new URL((await browser.open(url.href)).url).search, begun);
    };
    expect((await finished({ classes: ['password'], methods: ['pwd'] })).claims).toMatchObject({
      acr: 'password',
      amr: ['pwd'],
    });
    for (const stronger of [
      { classes: ['urn:gold'], methods: [] },
      { classes: [], methods: ['pwd', 'otp'] },
    ])
      await expect(finished(stronger)).rejects.toThrow('This sign-in was not strong enough.');
  });

  it('refuses a form that another site sent, and one whose cookie is missing', async () => {
    const browser = new Browser();
    const form = await browser.open((await begin()).url);
    const foreign = await browser.open(form.url, somebody(), { origin: 'https://elsewhere.example' });
    expect(foreign.status).toBe(403);
    const crossSite = await browser.open(form.url, somebody(), { 'sec-fetch-site': 'cross-site' });
    expect(crossSite.status).toBe(403);
    const stranger = await new Browser().open(form.url, somebody());
    expect(stranger.status).toBe(410);
    expect(stranger.text).toContain('This sign-in page has expired');
  });

  it('takes a code once, with its verifier, and sends nobody to an address that is not the app', async () => {
    const browser = new Browser();
    const { url, finish } = await begin();
    const back = await browser.open(`${(await browser.open(url)).url}/sign-up`, somebody());
    await finish(back.url);
    await expect(finish(back.url)).rejects.toThrow();
    const elsewhere = await new Browser().open(
      url.replace(/redirect_uri=[^&]*/, 'redirect_uri=https%3A%2F%2Felsewhere.example'),
    );
    expect(elsewhere.status).toBe(400);
    expect(elsewhere.text).toContain('Start again');
    const bare = new URL(url);
    bare.searchParams.delete('code_challenge');
    bare.searchParams.delete('code_challenge_method');
    expect((await new Browser().open(bare.href)).url).toContain('error=invalid_request');
  });
});

describe('signing out', () => {
  it('ends the session and goes straight back, with nothing to click', async () => {
    const browser = new Browser();
    const { url, finish } = await begin();
    const tokens = await finish(
      (await browser.open(`${(await browser.open(url)).url}/sign-up`, somebody())).url,
    );
    const end = client.buildEndSessionUrl(await provider(), {
      id_token_hint: String(tokens.id_token),
      post_logout_redirect_uri: `${stack().url}/`,
    });
    expect((await browser.open(end.href)).url).toBe(`${stack().url}/`);
    const next = await browser.open((await begin()).url);
    expect(next.text).toContain('Welcome back');
    // Signed out already: the same link still goes back.
    expect((await browser.open(end.href)).url).toBe(`${stack().url}/`);
  });

  it('asks first when a bare link was followed, and means it', async () => {
    const browser = new Browser();
    await signUp(browser, somebody());
    const asked = await browser.open(`${stack().env.OIDC_ISSUER}/session/end`);
    expect(asked.text).toContain('Sign out?');
    expect((await browser.open((await begin()).url)).url).toContain(callback());
    const again = await browser.open(`${stack().env.OIDC_ISSUER}/session/end`);
    const [, action = ''] = /action="([^"]+)"/.exec(again.text) ?? [];
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(again.text) ?? [];
    expect((await browser.open(action, { xsrf, logout: 'yes' })).url).toBe(`${stack().url}/`);
    expect((await browser.open((await begin()).url)).text).toContain('Welcome back');
  });
});

describe('the pages', () => {
  it('bring their own typeface, styles and script, kept by browsers for good', async () => {
    const form = await new Browser().open((await begin()).url);
    const links = [...form.text.matchAll(/(?:href|src)="(\/identity\/assets\/[^"]+)"/g)].map(([, link]) =>
      String(link),
    );
    expect(links).toHaveLength(4);
    for (const link of links) {
      const answer = await fetch(stack().url + link);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toContain('immutable');
    }
  });
});
