import { describe, expect, it } from '@jest/globals';
import { HttpException } from '@nestjs/common';
import { LogUnavailable } from '#log/event-log';
import { Rejected, Unavailable } from '../rejection.js';
import { ProviderRefused } from '../stripe/provider-payment.js';
import { areProviderOrigins, STRIPE_PUBLISHED_ORIGINS } from '#contracts/provider-origins';
import { contentSecurity, furtherHeaders } from './content-security.js';
import { reportsIn } from './policy-reports.controller.js';
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
  const origins = { publicUrl: HOME, stripeApiUrl: undefined, stripeOrigins: STRIPE_PUBLISHED_ORIGINS };
  type Word = string | ((request: unknown, response: unknown) => string);
  const directives = (stripeScriptUrl: string, stripeApiUrl?: string) =>
    (
      contentSecurity({ ...origins, stripeScriptUrl, stripeApiUrl }).contentSecurityPolicy as {
        directives: Record<string, Word[]>;
      }
    ).directives;
  const written = (words: readonly Word[] | undefined, response: object) =>
    words?.map((word) => (typeof word === 'string' ? word : word({}, response)));

  it('is itself and the card provider', () => {
    expect(directives('https://js.stripe.com/endive/stripe.js')['connectSrc']).toEqual([
      "'self'",
      'https://api.stripe.com',
      'https://js.stripe.com',
      'https://*.js.stripe.com',
    ]);
    expect(directives('http://localhost:4/v3/', 'http://127.0.0.1:4')['connectSrc']).toEqual([
      "'self'",
      'http://localhost:4',
      'http://127.0.0.1:4',
    ]);
  });

  it('is a script or a style only by the nonce of its own answer, or from the provider', () => {
    const policy = directives('https://js.stripe.com/endive/stripe.js');
    const [one, other] = [{}, {}];
    const nonce = (response: object) =>
      /^'nonce-(.+)'$/.exec(written(policy['styleSrc'], response)?.[0] ?? '')?.[1];
    expect(nonce(one)).toMatch(/^[A-Za-z0-9+/]{22}==$/);
    expect(nonce(one)).toBe(nonce(one));
    expect(nonce(one)).not.toBe(nonce(other));
    expect(written(policy['styleSrc'], one)).toHaveLength(1);
    expect(written(policy['scriptSrc'], one)).toEqual([
      `'nonce-${nonce(one)}'`,
      'https://js.stripe.com',
      'https://*.js.stripe.com',
    ]);
  });

  it('is no picture of anybody else’s', () =>
    expect(directives('https://js.stripe.com/endive/stripe.js')['imgSrc']).toEqual([
      "'self'",
      'data:',
      'blob:',
    ]));

  it('is said to be of https alone for two years, subdomains too, and of nothing on plain http', () => {
    const secured = (publicUrl: string) =>
      contentSecurity({ ...origins, publicUrl, stripeScriptUrl: 'https://js.stripe.com/endive/stripe.js' })
        .strictTransportSecurity;
    expect(secured(HOME)).toEqual({ maxAge: 63_072_000, includeSubDomains: true });
    expect(secured('http://localhost:3000')).toBe(false);
  });

  it('follows what the provider publishes, where the setting is changed', () => {
    const stripeOrigins =
      'script-src https://js.stripe.com; frame-src https://new.stripe.com; img-src https://i.stripe.com';
    const { contentSecurityPolicy } = contentSecurity({
      ...origins,
      stripeOrigins,
      stripeScriptUrl: 'https://js.stripe.com/endive/stripe.js',
    });
    expect(contentSecurityPolicy).toMatchObject({
      directives: { frameSrc: ['https://new.stripe.com'], connectSrc: ["'self'"] },
    });
  });

  it.each([
    'style-src https://js.stripe.com',
    "script-src 'unsafe-inline'",
    'script-src *',
    'script-src http://js.stripe.com',
    'script-src https://js.stripe.com/v3',
    'https://js.stripe.com',
  ])('is never widened by a setting such as %j', (text) => expect(areProviderOrigins(text)).toBe(false));

  it('uses the camera itself, and lets the provider ask for a payment or a passkey; the rest is off', () => {
    const { 'permissions-policy': policy } = furtherHeaders({
      ...origins,
      stripeScriptUrl: 'https://js.stripe.com/endive/stripe.js',
    });
    const features = new Map(policy?.split(', ').map((each) => each.split('=') as [string, string]));
    expect(features.get('camera')).toBe('(self)');
    expect(features.get('screen-wake-lock')).toBe('(self)');
    for (const shared of ['payment', 'publickey-credentials-get', 'publickey-credentials-create'])
      expect(features.get(shared)).toBe('(self "https://js.stripe.com" "https://hooks.stripe.com")');
    for (const off of ['microphone', 'geolocation', 'usb', 'display-capture'])
      expect(features.get(off)).toBe('()');
  });
});

describe('what a browser reports', () => {
  it('is read in the old form and in the new one', () => {
    const old = {
      'csp-report': {
        'violated-directive': "style-src 'nonce-x'",
        'effective-directive': 'style-src-elem',
        'blocked-uri': 'inline',
      },
    };
    expect(reportsIn(JSON.stringify(old))).toEqual([{ directive: 'style-src-elem', blocked: 'inline' }]);
    const sent = [
      {
        type: 'csp-violation',
        body: { effectiveDirective: 'img-src', blockedURL: 'https://evil.example/a?b=c' },
      },
      { type: 'deprecation', body: { id: 'x' } },
      { type: 'csp-violation', body: null },
    ];
    expect(reportsIn(JSON.stringify(sent))).toEqual([
      { directive: 'img-src', blocked: 'https://evil.example' },
      { directive: 'other', blocked: 'other' },
    ]);
  });

  it('never makes a name of its own, and is a few at most', () => {
    const body = { effectiveDirective: 'made-up-7', blockedURL: 'Juno Valastro <juno@example.org>' };
    const many = Array.from({ length: 500 }, () => ({ type: 'csp-violation', body }));
    const read = reportsIn(JSON.stringify(many));
    expect(read).toHaveLength(20);
    expect(new Set(read.map((report) => JSON.stringify(report)))).toEqual(
      new Set(['{"directive":"other","blocked":"other"}']),
    );
  });

  it.each(['', '{', '7', '{}', '[7]', 'null'])('is refused where it is none: %j', (body) =>
    expect(() => reportsIn(body)).toThrow('This is no report.'),
  );
});
