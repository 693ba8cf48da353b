import { describe, expect, it } from '@jest/globals';
import { HttpException } from '@nestjs/common';
import { LogUnavailable } from '#log/event-log';
import { Rejected, Unavailable } from '../rejection.js';
import { ProviderRefused } from '../stripe/provider-payment.js';
import { contentSecurity } from './content-security.js';
import { correlationIdFrom } from '#edge/correlation';
import { pathOf } from './gate.js';
import { Refusal, refusedAnswer } from '#edge/refusal';
import { isForeign } from './same-origin.js';

const HOME = 'https://encore.example';

describe('a call that changes something', () => {
  const post = (origin?: string, fetchSite?: string) =>
    isForeign({ method: 'POST', origin, fetchSite }, HOME);

  it('is taken from our own pages', () => {
    expect(post(HOME, 'same-origin')).toBe(false);
    expect(post(HOME)).toBe(false);
  });
  it('is taken from what is no browser', () => expect(post()).toBe(false));
  it.each([
    ['https://evil.example', undefined],
    ['https://encore.example.evil.example', undefined],
    ['http://encore.example', undefined],
    ['null', undefined],
    [undefined, 'cross-site'],
    [undefined, 'same-site'],
    [HOME, 'cross-site'],
    ['https://evil.example', 'same-origin'],
  ])('is refused from %j, %j', (origin, fetchSite) => expect(post(origin, fetchSite)).toBe(true));
  it.each(['GET', 'HEAD', 'OPTIONS'])('is none when it is a %s', (method) =>
    expect(isForeign({ method, origin: 'https://evil.example', fetchSite: 'cross-site' }, HOME)).toBe(false),
  );
});

describe('a correlation id', () => {
  it('is kept when it is sane', () => expect(correlationIdFrom('click-12345678')).toBe('click-12345678'));
  it.each([
    undefined,
    '',
    'short',
    'x'.repeat(65),
    'with space 123',
    'line\nbreak-123',
    '"quoted-12345"',
    ['a-12345678', 'b'],
  ])('is made anew for %j', (header) =>
    expect(correlationIdFrom(header)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
  );
});

describe('the path that is guarded', () => {
  it.each([
    ['/api/auth/user?x=1', '/api/auth/user'],
    ['/%61pi/auth/user', '/api/auth/user'],
    ['/api;/x', '/api'],
    ['/%zz', '/api/'],
  ])('of %s is %s', (url, path) => expect(pathOf(url)).toBe(path));
});

describe('an error’s answer', () => {
  it.each([
    [new Rejected('RecipientNotFound'), 404, 'Recipient user not found'],
    [new Rejected('SamePerson'), 422, 'You cannot pay yourself. Choose somebody else as the recipient.'],
    [new Refusal(400, 'Please enter an amount.'), 400, 'Please enter an amount.'],
    [new Unavailable('Come back soon.'), 503, 'Come back soon.'],
    [
      new LogUnavailable('inside'),
      503,
      'The ledger is not available right now. Nothing is lost: please try again in a moment.',
    ],
    [
      Object.assign(new Error('connect 10.0.0.7'), { code: 'ECONNREFUSED' }),
      503,
      'The ledger is not available right now. Nothing is lost: please try again in a moment.',
    ],
    [new ProviderRefused('The card provider did not take it.'), 502, 'The card provider did not take it.'],
    [new HttpException('Cannot GET /api/secret', 404), 404, 'There is no such page or call.'],
    [Object.assign(new Error('FST_ERR'), { statusCode: 413 }), 413, 'The request is too large.'],
    [new Error('password=hunter2'), 500, 'Something went wrong on our side. Please try again.'],
    ['thrown text', 500, 'Something went wrong on our side. Please try again.'],
    [new HttpException('inside', 500), 500, 'Something went wrong on our side. Please try again.'],
  ])('to %s is %i and a sentence', (error, status, message) =>
    expect(refusedAnswer(error)).toMatchObject({ status, message }),
  );
});

describe('what a page may load', () => {
  const directives = (stripeScriptUrl: string, stripeApiUrl?: string) =>
    (
      contentSecurity({ publicUrl: HOME, stripeScriptUrl, stripeApiUrl }).contentSecurityPolicy as {
        directives: Record<string, string[]>;
      }
    ).directives;

  it('is itself and the card provider', () => {
    expect(directives('https://js.stripe.com/v3/')['connectSrc']).toEqual([
      "'self'",
      'https://api.stripe.com',
      'https://js.stripe.com',
    ]);
    expect(directives('http://localhost:4/v3/', 'http://127.0.0.1:4')['scriptSrc']).toEqual([
      "'self'",
      'http://localhost:4',
    ]);
  });
  it('is never a script in the page itself', () =>
    expect(directives('https://js.stripe.com/v3/')['scriptSrc']).not.toContain("'unsafe-inline'"));
});
