/**
 * What an ID token must be, against an identity provider of this suite's own that signs whatever it is told
 * to.
 */
import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IdentityProvider, SignInFailed } from './identity-provider.js';

const CLIENT = 'encore';
const SECRET = 'a secret of sixteen or more';
const PUBLIC_URL = 'http://localhost:3000';
const ALGORITHM = { alg: 'RS256', kid: 'k1' };

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const { privateKey, publicKey } = keyPair();
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

interface Token {
  readonly header?: object;
  readonly claims?: object;
  readonly key?: KeyObject;
  readonly signature?: (signed: string) => string;
}

let server: Server;
let issuer: string;
/** The issuer that its metadata name. */
let namedIssuer: string;
let idToken: () => string;
/** What its token endpoint does instead of answering. */
let insteadOfTokens: ((response: ServerResponse) => void) | undefined;
let nonce = '';

const rightClaims = (): Record<string, unknown> => {
  const now = Math.floor(Date.now() / 1000);
  return { iss: issuer, aud: CLIENT, sub: 'someone', nonce, iat: now, auth_time: now, exp: now + 60 };
};

function signed({ header = ALGORITHM, claims = {}, key = privateKey, signature }: Token): string {
  const body = `${part(header)}.${part({ ...rightClaims(), ...claims })}`;
  const by = signature ?? ((text: string) => sign('sha256', Buffer.from(text), key).toString('base64url'));
  return `${body}.${by(body)}`;
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = (body: object): void =>
      void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    if (request.url === '/.well-known/openid-configuration')
      answer({
        issuer: namedIssuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
      });
    else if (request.url === '/keys')
      answer({ keys: [{ ...publicKey.export({ format: 'jwk' }), ...ALGORITHM, use: 'sig' }] });
    else if (insteadOfTokens) insteadOfTokens(response);
    else answer({ access_token: 'access', token_type: 'Bearer', id_token: idToken() });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  namedIssuer = issuer;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const provider = (): IdentityProvider =>
  new IdentityProvider({
    issuer,
    clientId: CLIENT,
    clientSecret: SECRET,
    publicUrl: PUBLIC_URL,
    assurance: { classes: [], methods: [] },
    answersWithinSeconds: 1,
  });

/** A whole sign-in whose ID token is this one. */
async function signInWith(token: Token): Promise<string> {
  const asked = provider();
  const { signIn } = await asked.begin('/');
  nonce = signIn.nonce;
  idToken = () => signed(token);
  const query = `?code=c&state=${encodeURIComponent(signIn.state)}&iss=${encodeURIComponent(issuer)}`;
  return (await asked.finish(query, { ...signIn, begunAt: new Date() })).subject;
}

describe('an ID token', () => {
  it('is taken where its provider signed it for us, for this sign-in', async () =>
    expect(await signInWith({})).toBe('someone'));

  const stranger = keyPair().privateKey;
  it.each<[string, Token]>([
    ['signed by somebody else', { key: stranger }],
    ['not signed at all', { header: { alg: 'none' }, signature: () => '' }],
    [
      'signed with our own secret instead of the provider’s key',
      {
        header: { alg: 'HS256' },
        signature: (text) => createHmac('sha256', SECRET).update(text).digest('base64url'),
      },
    ],
    [
      'signed before it was changed',
      { claims: { sub: 'somebody else' }, signature: () => signed({}).split('.')[2]! },
    ],
    ['meant for another client', { claims: { aud: 'another' } }],
    ['of another issuer', { claims: { iss: 'https://elsewhere.example' } }],
    ['of another sign-in', { claims: { nonce: 'another' } }],
    ['of no sign-in', { claims: { nonce: undefined } }],
    ['that has ended', { claims: { exp: Math.floor(Date.now() / 1000) - 3600 } }],
    ['that says not whose it is', { claims: { sub: undefined } }],
  ])('is refused where it is one %s', async (_what, token) => {
    await expect(signInWith(token)).rejects.toBeInstanceOf(SignInFailed);
  });
});

describe('a provider that gives no tokens', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['does not answer', () => undefined],
    ['is broken', (response) => void response.writeHead(500).end()],
    ['is too busy', (response) => void response.writeHead(429).end()],
    ['breaks off', (response) => void response.destroy()],
  ])('and %s is away: nobody was refused', async (_how, act) => {
    insteadOfTokens = act;
    try {
      await expect(signInWith({})).rejects.toMatchObject({ answer: { status: 503 } });
    } finally {
      insteadOfTokens = undefined;
    }
  });
});

describe('the metadata of an identity provider', () => {
  it('are refused where they name another issuer', async () => {
    namedIssuer = 'https://elsewhere.example';
    try {
      await expect(provider().begin('/')).rejects.toThrow('Sign-in is not available right now.');
    } finally {
      namedIssuer = issuer;
    }
  });
});
