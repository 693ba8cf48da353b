/** Signing in and out: navigations of the whole browser, so every answer is a redirect or a small page. */
import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ApiCall, BUSY } from '#edge/api-call';
import { ISSUER_NAME, LOG } from '../parts.js';
import { RegisterPerson } from '../bus/register-person.js';
import { pageNonce } from '../http/content-security.js';
import { ReadYourWrites } from '../http/read-models.js';
import { refusedAnswer, retryAfterOf } from '#edge/refusal';
import { Vault } from '#log/vault';
import { CookieJar } from '../sessions/cookies.js';
import { IdentityProvider, SignInFailed } from './identity-provider.js';
import { profileFrom } from './profile.js';
import { safeReturnTo } from './return-to.js';
import { SecurityTrail, trailOf, type TrailOutcome } from '../security-trail/security-trail.js';
import { Places } from '../sessions/places.js';
import { newToken, Sessions, SignInEnded, type SessionBegin, type SessionUse } from '../sessions/sessions.js';
import { seenFrom } from '#edge/seen-from';
import { Messages } from '../bus/messages.js';
import { SignIns, type BegunSignIn } from './sign-ins.js';
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
    private readonly trail: SecurityTrail,
    private readonly messages: Messages,
    private readonly places: Places,
    @Inject(ISSUER_NAME) private readonly issuerName: string,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @ApiCall({
    summary:
      'Signs in: navigate here. returnTo is a path of ours to come back to. With fresh=1 whoever is signed in shows who they are again.',
    query: z.object({ returnTo: z.string().optional(), fresh: z.literal('1').optional() }),
    otherwise: { 302: 'To the identity provider', ...BUSY },
    open: true,
  })
  @Get('login')
  async login(
    @Query('returnTo') returnTo: unknown,
    @Query('fresh') fresh: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    try {
      const asked =
        fresh === '1'
          ? { userId: (await this.sessions.of(this.cookies.sessionOf(request)))?.userId }
          : undefined;
      const { url, signIn } = await this.provider.begin(safeReturnTo(returnTo), asked);
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
      if (!signIn && (await this.sessions.of(this.cookies.sessionOf(request))))
        return await reply.redirect('/', 302);
      if (!signIn) throw new SignInFailed('This sign-in has expired or was begun in another browser.');
      const { subject, claims, idToken, signedInAt, providerSid } = await this.provider.finish(
        new URL(request.url, 'http://here.invalid').search,
        signIn,
      );
      const userId = userIdFrom(this.issuerName, subject);
      // What is to be confirmed is another person's: they would come back to a form that is not theirs.
      if (signIn.fresh?.userId !== undefined && signIn.fresh.userId !== userId)
        throw new SignInFailed(
          'You signed in as somebody else. Sign in as the person who is signed in here.',
        );
      const person = { userId, issuer: this.issuerName, subject, profile: profileFrom(claims, userId) };
      // Their devices were signed out since: neither a session that the provider still has is enough, nor an
      // answer of its that was held back.
      const shown = shownAt(signedInAt, signIn);
      if (await this.sessions.isSignInEnded(userId, providerSid, shown))
        return await reply.redirect(freshSignIn(signIn.returnTo), 302);
      const { position, isNew } = await this.bus.execute(
        new RegisterPerson(person, { correlationId: request.id }),
      );
      await this.readYourWrites.hold(reply, position);
      await this.sessions.end(this.cookies.sessionOf(request));
      const use = { ...seenFrom(request), place: this.places.of(request.ip) };
      const begin = {
        idToken: await this.vault.seal(userId, idToken),
        signedInAt,
        shownAt: shown,
        providerSid,
        use,
      };
      const begun = await this.beginUnlessEnded(userId, begin);
      if (begun === undefined) return await reply.redirect(freshSignIn(signIn.returnTo), 302);
      const { token, sessionId } = begun;
      this.cookies.setSession(reply, token);
      // The request's own log line names them from here on.
      request.userId = userId;
      const fresh = signIn.fresh ? true : undefined;
      this.trail.note({ what: 'signed_in', ...trailOf(request), sessionId, detail: { fresh } });
      // Who has just registered, or was asked once more where they are signed in, need not be told.
      if (!isNew && signIn.fresh?.userId === undefined) await this.tellOfSignIn(userId, sessionId, use);
      return await reply.redirect(signIn.returnTo, 302);
    } catch (error) {
      this.trail.note({ what: 'sign_in_failed', outcome: outcomeOf(error), ...trailOf(request) });
      return this.sorry(request, reply, error);
    }
  }

  /**
   * They may have been signed out everywhere since it was checked: what comes before takes the time that the
   * log needs.
   */
  private async beginUnlessEnded(userId: string, begin: SessionBegin) {
    try {
      return await this.sessions.begin(userId, begin);
    } catch (error) {
      if (error instanceof SignInEnded) return undefined;
      throw error;
    }
  }

  /** A sign-in does not fail because its owner cannot be told of it at once. */
  private async tellOfSignIn(
    userId: string,
    sessionId: string,
    { device, network, place }: SessionUse,
  ): Promise<void> {
    const facts = {
      device: device.name,
      ...(place === undefined ? {} : { place }),
      ...(network === undefined ? {} : { address: network }),
    };
    await this.messages
      .put({ userId, kind: 'new_sign_in', key: sessionId, facts, at: new Date() })
      .catch((error: unknown) => this.log.error({ err: error, userId }, 'nobody was told of a sign-in'));
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
      // A link on another site signs nobody out, and empties nothing.
      if (isFromAnotherSite(request)) return await reply.redirect('/', 302);
      const ended = await this.sessions.end(this.cookies.sessionOf(request));
      this.cookies.clearSession(reply);
      // What the app has kept in this browser goes too, in all its tabs. Not "cookies": the identity
      // provider's may be of this origin, and ends its session by them. The worker that opens the app without
      // a network goes with the rest and is back with the page that opens next.
      if (isWholePage(request)) reply.header('clear-site-data', '"cache", "storage"');
      if (!ended) return await reply.redirect('/', 302);
      request.userId = ended.userId;
      this.trail.note({ what: 'signed_out', ...trailOf(request), sessionId: ended.sessionId });
      if (ended.idToken === undefined) return await reply.redirect('/', 302);
      const url = await this.provider.signOutUrl(await this.vault.unsealOr(ended.idToken, undefined));
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
    return reply
      .code(status)
      .type('text/html; charset=utf-8')
      .send(page(message, pageNonce(reply)));
  }
}

/** A browser says so in a header that no page can change; one that does not say is believed. */
const isFromAnotherSite = ({ headers }: FastifyRequest): boolean =>
  ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']));

/**
 * Whether the browser itself goes to this address, and no picture or frame of another site names it: those
 * could empty what the app keeps in this browser, and with it the keys of payments that were sent and not
 * answered yet. A browser that does not say is believed.
 */
const isWholePage = ({ headers }: FastifyRequest): boolean =>
  (headers['sec-fetch-dest'] ?? 'document') === 'document';

/**
 * When somebody last showed the provider who they are, at the least. A fresh sign-in was that after it was
 * begun, by our own clock: the provider tells whole seconds, and its clock may be behind.
 */
const shownAt = (signedInAt: Date | undefined, { fresh, begunAt }: BegunSignIn): Date | undefined =>
  fresh && !(signedInAt && signedInAt > begunAt) ? begunAt : signedInAt;

/** Where to show the provider who one is, and to come back from to where one wanted to go. */
const freshSignIn = (returnTo: string): string =>
  `/api/login?fresh=1&returnTo=${encodeURIComponent(returnTo)}`;

/** Whether the sign-in was refused, or something that it needs did not answer. */
const outcomeOf = (error: unknown): TrailOutcome =>
  refusedAnswer(error).status < 500 ? 'refused' : 'failed';

/** The sentences are ours: nothing of the request is in them. */
const page = (sentence: string, nonce: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in</title>
<style nonce="${nonce}">body{font-family:system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem}</style></head>
<body><h1>Sign in</h1>
<p role="alert">${sentence}</p><p><a href="/api/login">Sign in again</a> or <a href="/">go to the start page</a>.</p></body></html>`;
