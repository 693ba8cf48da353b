/** Our two cookies: the session's, and the one that binds a sign-in to the browser that began it. */
import '@fastify/cookie';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const SESSION_COOKIE = 'encore_session';
const BROWSER_COOKIE = 'encore_sign_in';
/** As long as a session may last at most; Postgres decides when it ends. */
const SESSION_SECONDS = 90 * 24 * 3600;
const BROWSER_SECONDS = 3600;
const BROWSER_TOKEN = /^[A-Za-z0-9_-]{43}$/;

export class CookieJar {
  private readonly common: CookieSerializeOptions;

  /** On https the cookies are never sent in the clear. */
  constructor(isHttps: boolean) {
    this.common = { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps };
  }

  sessionOf(request: FastifyRequest): string | undefined {
    return request.cookies[SESSION_COOKIE];
  }

  setSession(reply: FastifyReply, token: string): void {
    reply.setCookie(SESSION_COOKIE, token, { ...this.common, maxAge: SESSION_SECONDS });
  }

  clearSession(reply: FastifyReply): void {
    reply.clearCookie(SESSION_COOKIE, this.common);
  }

  browserOf(request: FastifyRequest): string | undefined {
    const token = request.cookies[BROWSER_COOKIE];
    return token !== undefined && BROWSER_TOKEN.test(token) ? token : undefined;
  }

  setBrowser(reply: FastifyReply, token: string): void {
    reply.setCookie(BROWSER_COOKIE, token, { ...this.common, path: '/api/login', maxAge: BROWSER_SECONDS });
  }
}
