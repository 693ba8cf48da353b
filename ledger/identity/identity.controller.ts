/** Signing in and out: navigations of the whole browser, so every answer is a redirect or a small page. */
import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ApiCall, BUSY } from '#edge/api-call';
import { ISSUER_NAME, LOG } from '../parts.js';
import { RegisterPerson } from '../bus/register-person.js';
import { ReadYourWrites } from '../http/read-models.js';
import { refusedAnswer, retryAfterOf } from '#edge/refusal';
import { Vault } from '#log/vault';
import { CookieJar } from '../sessions/cookies.js';
import { IdentityProvider, SignInFailed } from './identity-provider.js';
import { profileFrom } from './profile.js';
import { safeReturnTo } from './return-to.js';
import { newToken, Sessions } from '../sessions/sessions.js';
import { SignIns } from './sign-ins.js';
import { userIdFrom } from './user-id.js';

@Controller('api')
export class IdentityController {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly sessions: Sessions,
    private readonly signIns: SignIns,
    private readonly bus: CommandBus,
    private readonly vault: Vault,
    private readonly readYourWrites: ReadYourWrites,
    private readonly cookies: CookieJar,
    @Inject(ISSUER_NAME) private readonly issuerName: string,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @ApiCall({
    summary: 'Signs in: navigate here. returnTo is a path of ours to come back to.',
    query: z.object({ returnTo: z.string().optional() }),
    otherwise: { 302: 'To the identity provider', ...BUSY },
    open: true,
  })
  @Get('login')
  async login(
    @Query('returnTo') returnTo: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    try {
      const { url, signIn } = await this.provider.begin(safeReturnTo(returnTo));
      // One token for all tabs of a browser: a second sign-in must not make the first one fail.
      const browser = this.cookies.browserOf(request) ?? newToken();
      await this.signIns.begin(browser, signIn);
      this.cookies.setBrowser(reply, browser);
      return await reply.redirect(url.href, 302);
    } catch (error) {
      return this.sorry(request, reply, error);
    }
  }

  @ApiCall({
    summary: 'Where the identity provider sends the browser back to.',
    otherwise: { 302: 'Signed in', 400: 'The sign-in has expired or was begun in another browser', ...BUSY },
    open: true,
  })
  @Get('login/callback')
  async callback(
    @Query('state') state: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    try {
      const browser = this.cookies.browserOf(request);
      const signIn =
        browser && typeof state === 'string' ? await this.signIns.take(browser, state) : undefined;
      // Reloaded, or come back to with the browser's arrow: whoever is signed in stays so.
      if (!signIn && (await this.sessions.userOf(this.cookies.sessionOf(request))))
        return await reply.redirect('/', 302);
      if (!signIn) throw new SignInFailed('This sign-in has expired or was begun in another browser.');
      const { subject, claims, idToken } = await this.provider.finish(
        new URL(request.url, 'http://here.invalid').search,
        signIn,
      );
      const userId = userIdFrom(this.issuerName, subject);
      const person = { userId, issuer: this.issuerName, subject, profile: profileFrom(claims) };
      const position = await this.bus.execute(new RegisterPerson(person, { correlationId: request.id }));
      await this.readYourWrites.hold(reply, position);
      await this.sessions.end(this.cookies.sessionOf(request));
      this.cookies.setSession(
        reply,
        await this.sessions.begin(userId, await this.vault.seal(userId, idToken)),
      );
      return await reply.redirect(signIn.returnTo, 302);
    } catch (error) {
      return this.sorry(request, reply, error);
    }
  }

  /** Ends our session first, whatever the provider then does. */
  @ApiCall({
    summary: 'Signs out here and at the identity provider: navigate here.',
    otherwise: { 302: 'Signed out', ...BUSY },
    open: true,
  })
  @Get('logout')
  async logout(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    try {
      const sealed = await this.sessions.end(this.cookies.sessionOf(request));
      this.cookies.clearSession(reply);
      if (sealed === undefined) return await reply.redirect('/', 302);
      const url = await this.provider.signOutUrl(await this.vault.unsealOr(sealed, undefined));
      return await reply.redirect(url?.href ?? '/', 302);
    } catch (error) {
      return this.sorry(request, reply, error);
    }
  }

  private sorry(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    const refused = refusedAnswer(error);
    const { status, message, isFault } = refused;
    const retryAfter = retryAfterOf(refused);
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
    this.log[isFault ? 'error' : 'info'](
      { correlationId: request.id, err: error },
      'a sign-in or sign-out did not end well',
    );
    return reply.code(status).type('text/html; charset=utf-8').send(page(message));
  }
}

/** The sentences are ours: nothing of the request is in them. */
const page = (sentence: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in</title></head>
<body style="font-family:system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem"><h1>Sign in</h1>
<p role="alert">${sentence}</p><p><a href="/api/login">Sign in again</a> or <a href="/">go to the start page</a>.</p></body></html>`;
