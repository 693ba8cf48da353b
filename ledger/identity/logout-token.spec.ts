/** Logout tokens of a provider whose key is known here: what holds, and everything that may not. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWTPayload } from 'jose';
import { IdentityProvider } from './identity-provider.js';

const CLIENT = 'encore';
const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };
let server: Server;
let issuer: string;
let key: CryptoKey;
let strangers: CryptoKey;
let provider: IdentityProvider;
/** What is answered in place of its keys; undefined for the keys themselves. */
let insteadOfKeys: { readonly status: number; readonly body: string } | undefined;

beforeAll(async () => {
  const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  [key, strangers] = [own.privateKey, other.privateKey];
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    const metadata = {
      issuer,
      jwks_uri: `${issuer}/jwks`,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    };
    if (request.url !== '/jwks') response.end(JSON.stringify(metadata));
    else if (insteadOfKeys) response.writeHead(insteadOfKeys.status).end(insteadOfKeys.body);
    else response.end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  provider = identityProvider();
});
afterAll(() => new Promise((closed) => server.close(closed)));

const identityProvider = (): IdentityProvider =>
  new IdentityProvider({
    issuer,
    clientId: CLIENT,
    clientSecret: 'a secret of some length, known to both',
    publicUrl: 'http://localhost:3000',
    assurance: { classes: [], methods: [] },
  });
const now = (): number => Math.floor(Date.now() / 1000);
const claims = (more: JWTPayload = {}): JWTPayload => ({
  iss: issuer,
  aud: CLIENT,
  iat: now(),
  jti: 'one',
  events: EVENTS,
  sub: 'juno',
  sid: 'session-1',
  ...more,
});
const signed = (payload: JWTPayload, by: CryptoKey = key): Promise<string> =>
  new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'logout+jwt' }).sign(by);
const read = async (payload: JWTPayload): Promise<unknown> => provider.readLogoutToken(await signed(payload));
const REFUSED = { name: 'LogoutTokenRefused', answer: { status: 400 } };

describe('a logout token', () => {
  it('names a person, their session at the provider, or both', async () => {
    await expect(read(claims())).resolves.toEqual({
      tokenId: 'one',
      subject: 'juno',
      providerSid: 'session-1',
    });
    await expect(read(claims({ sid: undefined }))).resolves.toMatchObject({ subject: 'juno' });
    await expect(read(claims({ sub: undefined }))).resolves.toMatchObject({ providerSid: 'session-1' });
  });

  it.each<[string, () => JWTPayload]>([
    ['of another issuer', () => claims({ iss: 'https://evil.example' })],
    ['for another app', () => claims({ aud: 'other' })],
    ['that is old', () => claims({ iat: now() - 3_600 })],
    ['of the future', () => claims({ iat: now() + 3_600 })],
    ['that says no time', () => claims({ iat: undefined })],
    ['that has expired', () => claims({ exp: now() - 600 })],
    ['without an id of its own', () => claims({ jti: undefined })],
    ['without an order', () => claims({ events: undefined })],
    ['with another order', () => claims({ events: { 'http://schemas.openid.net/event/other': {} } })],
    ['with a nonce, as an ID token has', () => claims({ nonce: 'n' })],
    ['that names nobody', () => claims({ sub: undefined, sid: undefined })],
    ['that names what is no text', () => claims({ sub: undefined, sid: ['session-1'] as never })],
  ])('%s is refused', async (_what, payload) => {
    await expect(read(payload())).rejects.toMatchObject(REFUSED);
  });

  it('that somebody else signed is refused, and so is one that nobody did', async () => {
    const secret = new TextEncoder().encode('a secret of some length, known to both');
    const forged = [
      await signed(claims(), strangers),
      await new SignJWT(claims()).setProtectedHeader({ alg: 'HS256' }).sign(secret),
      new UnsecuredJWT(claims()).encode(),
      'not.a.token',
    ];
    for (const token of forged) await expect(provider.readLogoutToken(token)).rejects.toMatchObject(REFUSED);
  });

  it.each([
    ['broken', { status: 503, body: '{"error":"busy"}' }],
    ['a page of something between', { status: 200, body: '<p>We will be back soon</p>' }],
    ['no keys', { status: 200, body: '{}' }],
  ])('whose provider’s keys are %s is put off: that says nothing of it', async (_how, answer) => {
    insteadOfKeys = answer;
    const asked = identityProvider();
    const token = await signed(claims());
    await expect(asked.readLogoutToken(token)).rejects.toMatchObject({ answer: { status: 503 } });
    insteadOfKeys = undefined;
    await expect(asked.readLogoutToken(token)).resolves.toMatchObject({ subject: 'juno' });
  });
});
