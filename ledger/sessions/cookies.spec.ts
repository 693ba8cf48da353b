import { describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CookieJar } from './cookies.js';

const TOKEN = 'a'.repeat(43);
const OTHER = 'b'.repeat(43);
const requestWith = (cookies: Record<string, string>) => ({ cookies }) as unknown as FastifyRequest;

/** What a jar has a browser keep, and forget. */
function replies() {
  const done: string[] = [];
  const reply = {
    setCookie: (name: string, value: string, options: { path: string; secure: boolean }) =>
      done.push(`${name}=${value} ${options.path}${options.secure ? ' secure' : ''}`),
    clearCookie: (name: string) => done.push(`no ${name}`),
  };
  return { done, reply: reply as unknown as FastifyReply };
}

describe('the session’s cookie', () => {
  it('on https is one that no other host of the domain can set', () => {
    const { done, reply } = replies();
    new CookieJar(true).setSession(reply, TOKEN);
    new CookieJar(true).setBrowser(reply, TOKEN);
    expect(done).toEqual([
      `__Host-encore_session=${TOKEN} / secure`,
      `__Host-encore_sign_in=${TOKEN} / secure`,
    ]);
  });

  it('is sent to us alone, with no call of another site, and no script reads it', () => {
    const kept: unknown[] = [];
    const setCookie = (_name: string, _value: string, options: unknown) => kept.push(options);
    const reply = { setCookie } as unknown as FastifyReply;
    new CookieJar(true).setSession(reply, TOKEN);
    new CookieJar(true).setBrowser(reply, TOKEN);
    const flags = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' };
    expect(kept).toEqual([
      { ...flags, maxAge: 90 * 24 * 3600 },
      { ...flags, maxAge: 3600 },
    ]);
  });

  it('on plain http keeps its name: a browser takes the other one over https only', () => {
    const { done, reply } = replies();
    new CookieJar(false).setSession(reply, TOKEN);
    expect(done).toEqual([`encore_session=${TOKEN} /`]);
  });

  it('is read on https under no name that another host of the domain could set', () => {
    const cookies = { encore_session: OTHER, encore_sign_in: OTHER };
    const jar = new CookieJar(true);
    expect([jar.sessionOf(requestWith(cookies)), jar.browserOf(requestWith(cookies))]).toEqual([
      undefined,
      undefined,
    ]);
    expect(jar.sessionOf(requestWith({ ...cookies, '__Host-encore_session': TOKEN }))).toBe(TOKEN);
    expect(new CookieJar(false).sessionOf(requestWith(cookies))).toBe(OTHER);
  });

  it('goes at log-out', () => {
    const { done, reply } = replies();
    new CookieJar(true).clearSession(reply);
    expect(done).toEqual(['no __Host-encore_session']);
  });
});
