/** Our two cookies: the session's, and the one that binds a sign-in to the browser that began it. */
import '@fastify/cookie';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The names on plain http. */
export const SESSION_COOKIE = 'encore_session';
const BROWSER_COOKIE = 'encore_sign_in';
/** A browser takes a cookie of this name only from this very host, over https, for all of it. */
const HOST_PREFIX = '__Host-';
/** As long as a session may last at most; Postgres decides when it ends. */
const SESSION_SECONDS = 90 * 24 * 3600;
const BROWSER_SECONDS = 3600;
const BROWSER_TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** What the session's cookie is called where browsers reach us by this URL. */
export const sessionCookieName = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? HOST_PREFIX + SESSION_COOKIE : SESSION_COOKIE;

export class CookieJar {
  private readonly common: CookieSerializeOptions;
  private readonly prefix: string;

  /** On https the cookies are never sent in the clear. */
  constructor(private readonly isHttps: boolean) {
    this.common = { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps };
    this.prefix = isHttps ? HOST_PREFIX : '';
  }

  sessionOf(request: FastifyRequest): string | undefined {
    return this.read(request, SESSION_COOKIE);
  }

  setSession(reply: FastifyReply, token: string): void {
    reply.setCookie(this.prefix + SESSION_COOKIE, token, { ...this.common, maxAge: SESSION_SECONDS });
  }

  clearSession(reply: FastifyReply): void {
    reply.clearCookie(this.prefix + SESSION_COOKIE, this.common);
  }

  browserOf(request: FastifyRequest): string | undefined {
    const token = this.read(request, BROWSER_COOKIE);
    return token !== undefined && BROWSER_TOKEN.test(token) ? token : undefined;
  }

  setBrowser(reply: FastifyReply, token: string): void {
    // The prefix is for a cookie of all paths only.
    const path = this.isHttps ? '/' : '/api/login';
    reply.setCookie(this.prefix + BROWSER_COOKIE, token, { ...this.common, path, maxAge: BROWSER_SECONDS });
  }

  /**
   * By no other name: one without the prefix may be another host's of the domain, who would sign a visitor in
   * as somebody else.
   */
  private read({ cookies }: FastifyRequest, name: string): string | undefined {
    return cookies[this.prefix + name];
  }
}
