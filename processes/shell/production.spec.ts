/** What production does not start with, and that everything wrong is told at once. */
import { randomBytes } from 'node:crypto';
import { DEFAULT_LIMITS } from '#contracts/limits';
import { describe, expect, it } from '@jest/globals';
import { refusedInProduction, type CheckedSettings } from './production.js';
import { weaknessOf, weaknessOfKey } from './secret-strength.js';

const HOME = 'https://encore.example';
const hex = (bytes: number): string => randomBytes(bytes).toString('hex');
const GOOD = {
  NODE_ENV: 'production',
  STORES_INTERNAL: 'false',
  PUBLIC_URL: HOME,
  OIDC_ISSUER: 'https://login.example',
  OIDC_INTERNAL_URL: undefined,
  OIDC_AMR_REQUIRED: 'mfa',
  OIDC_CLIENT_SECRET: hex(32),
  STRIPE_SECRET_KEY: `sk_live_${hex(24)}`,
  STRIPE_PUBLISHABLE_KEY: `pk_live_${hex(24)}`,
  STRIPE_API_URL: undefined,
  STRIPE_SCRIPT_URL: undefined,
  STRIPE_WEBHOOK_SECRET: `whsec_${hex(16)}`,
  STRIPE_CONNECT_WEBHOOK_SECRET: `whsec_${hex(16)}`,
  ENCORE_MASTER_KEY: hex(32),
  ENCORE_INTERNAL_TOKEN: hex(32),
  DATABASE_URL: `postgres://encore_ledger:${hex(24)}@db.example:5432/encore?sslmode=verify-full`,
  REDIS_URL: `rediss://:${hex(24)}@redis.example:6379`,
  EVENTSTORE_URL: `esdb://ledger:${hex(24)}@log.example:2113?tls=true`,
  LEDGER_INTERNAL_URL: 'https://ledger.example:3002',
} as const satisfies CheckedSettings;

const refused = (over: CheckedSettings): readonly string[] => refusedInProduction({ ...GOOD, ...over });

describe('in production', () => {
  it('real settings are taken', () => expect(refused({})).toEqual([]));

  it('a mail server may know its senders by their address, and proxies be a private network', () =>
    expect(
      refused({
        SMTP_URL: 'smtps://mail.example',
        MAIL_FROM: 'Encore <hello@encore.example>',
        TRUSTED_PROXIES: 'uniquelocal, 10.0.0.0/8, 2a06:98c0::/29',
        OIDC_AMR_REQUIRED: 'pwd otp',
      }),
    ).toEqual([]));

  it('test keys are taken where it is a rehearsal, and live ones are not', () => {
    const staging = { ENCORE_STAGING: 'on' as const };
    const keys = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_PUBLISHABLE_KEY: 'pk_test_1' };
    expect(refused({ ...staging, ...keys })).toEqual([]);
    expect(refused(staging)).toEqual([
      expect.stringMatching(/^STRIPE_SECRET_KEY is a live key, and ENCORE_STAGING=on/),
      expect.stringMatching(/^STRIPE_PUBLISHABLE_KEY is a live key, and ENCORE_STAGING=on/),
    ]);
  });

  it('stores on a network of their own may be without TLS, and so may those on this machine', () => {
    const clear = (host: string) => ({
      DATABASE_URL: `postgres://encore_ledger:${hex(24)}@${host}:5432/encore`,
      REDIS_URL: `redis://:${hex(24)}@${host}:6379`,
      EVENTSTORE_URL: `esdb://${host}:2113?tls=false`,
      LEDGER_INTERNAL_URL: `http://${host}:3002`,
    });
    expect(refused({ ...clear('postgres'), STORES_INTERNAL: 'true' })).toEqual([]);
    expect(refused(clear('127.0.0.1'))).toEqual([]);
    expect(refused(clear('localhost'))).toEqual([]);
    expect(refused(clear('postgres')).map((sentence) => sentence.split(' ')[0])).toEqual([
      'DATABASE_URL',
      'REDIS_URL',
      'EVENTSTORE_URL',
      'LEDGER_INTERNAL_URL',
    ]);
  });

  it.each<[CheckedSettings, string]>([
    [{ STRIPE_SECRET_KEY: 'sk_test_1' }, 'STRIPE_SECRET_KEY is a sandbox key'],
    [{ STRIPE_SECRET_KEY: 'rk_test_1' }, 'STRIPE_SECRET_KEY is a sandbox key'],
    [{ STRIPE_PUBLISHABLE_KEY: 'pk_test_1' }, 'STRIPE_PUBLISHABLE_KEY is a sandbox key'],
    [{ STRIPE_API_URL: 'https://stripe.example' }, 'STRIPE_API_URL names a stand-in'],
    [{ STRIPE_SCRIPT_URL: 'https://stripe.example' }, 'STRIPE_SCRIPT_URL names a stand-in'],
    [{ OIDC_ISSUER: 'http://login.example' }, 'OIDC_ISSUER is a plain-http address'],
    [{ OIDC_ISSUER: `${HOME}/identity` }, 'OIDC_ISSUER is the local identity provider'],
    [{ OIDC_ISSUER: 'https://localhost:4000' }, 'OIDC_ISSUER is the local identity provider'],
    [{ OIDC_ISSUER: 'https://127.0.0.1' }, 'OIDC_ISSUER is the local identity provider'],
    [{ OIDC_INTERNAL_URL: 'http://10.0.0.7' }, 'OIDC_INTERNAL_URL is a plain-http address'],
    [{ PUBLIC_URL: 'http://encore.example' }, 'PUBLIC_URL is a plain-http address'],
    [{ OIDC_AMR_REQUIRED: undefined }, 'OIDC_ACR_VALUES and OIDC_AMR_REQUIRED are unset'],
    [{ OIDC_AMR_REQUIRED: ' ' }, 'OIDC_ACR_VALUES and OIDC_AMR_REQUIRED are unset'],
    [{ OIDC_AMR_REQUIRED: 'pwd' }, 'or name what a password alone is'],
    [{ OIDC_AMR_REQUIRED: 'pwd pin' }, 'or name what a password alone is'],
    [{ OIDC_AMR_REQUIRED: '', OIDC_ACR_VALUES: 'gold 0' }, 'or name what a password alone is'],
    [{ TRUSTED_PROXIES: '0.0.0.0/0' }, 'TRUSTED_PROXIES has 0.0.0.0/0, which is nearly everybody'],
    [{ TRUSTED_PROXIES: 'loopback, 128.0.0.0/128.0.0.0' }, 'TRUSTED_PROXIES has 128.0.0.0/128.0.0.0'],
    [{ TRUSTED_PROXIES: '10.0.0.7,::/0' }, 'TRUSTED_PROXIES has ::/0'],
    [{ SMTP_URL: 'smtps://encore:changeit@mail.example' }, 'SMTP_URL has a password that can be guessed'],
    [
      { SMTP_URL: 'smtps://mail.example', MAIL_FROM: 'Encore <no-reply@localhost>' },
      'MAIL_FROM is at localhost',
    ],
    [{ APPLE_PASS_KEY_PASSPHRASE: 'tulip' }, 'APPLE_PASS_KEY_PASSPHRASE can be guessed'],
    [{ TRANSPARENCY_KEY: GOOD.ENCORE_MASTER_KEY.toUpperCase() }, 'are the same secret'],
    [{ METRICS_TOKEN: GOOD.STRIPE_WEBHOOK_SECRET.slice('whsec_'.length) }, 'are the same secret'],
    [{ LIMITS: { ...DEFAULT_LIMITS, wallets: Infinity } }, 'LIMITS switches wallets off'],
    [{ TEST_CLOCK_FILE: '/tmp/clock' }, 'TEST_CLOCK_FILE moves the clock of a suite'],
    [{ ENCORE_MASTER_KEY: '0'.repeat(64) }, 'ENCORE_MASTER_KEY is no random key'],
    [{ ENCORE_MASTER_KEY: 'ab'.repeat(32) }, 'ENCORE_MASTER_KEY is no random key'],
    [{ ENCORE_NEW_MASTER_KEY: hex(16).repeat(2) }, 'ENCORE_NEW_MASTER_KEY is no random key'],
    [{ STRIPE_WEBHOOK_SECRET: 'whsec_' }, 'STRIPE_WEBHOOK_SECRET is not what the card provider gave out'],
    [{ STRIPE_WEBHOOK_SECRET: 'whsec_short' }, 'STRIPE_WEBHOOK_SECRET is not what the card provider gave'],
    [
      { STRIPE_CONNECT_WEBHOOK_SECRET: `whsec_${'a'.repeat(32)}` },
      'STRIPE_CONNECT_WEBHOOK_SECRET is not what the card provider gave',
    ],
    [{ ENCORE_INTERNAL_TOKEN: 'change-me-change-me-change-me' }, 'ENCORE_INTERNAL_TOKEN can be guessed'],
    [{ OIDC_CLIENT_SECRET: 'a'.repeat(40) }, 'OIDC_CLIENT_SECRET can be guessed'],
    [{ OIDC_CLIENT_SECRET: GOOD.ENCORE_INTERNAL_TOKEN }, 'are the same secret: give each its own'],
    [{ STRIPE_WEBHOOK_SECRET: GOOD.STRIPE_CONNECT_WEBHOOK_SECRET }, 'are the same secret'],
    [
      { DATABASE_URL: 'postgres://encore_ledger:encore_ledger@127.0.0.1/encore' },
      'DATABASE_URL has a password',
    ],
    [{ DATABASE_URL: 'postgres://postgres:postgres@127.0.0.1/encore' }, 'DATABASE_URL has a password'],
    [{ DATABASE_URL: 'postgres://postgres@127.0.0.1/encore' }, 'DATABASE_URL has no password'],
    [
      { DATABASE_URL: `postgres://encore_ledger:${hex(24)}@db.example/encore` },
      'DATABASE_URL leads to Postgres without TLS',
    ],
    [
      { DATABASE_URL: `postgres://encore_ledger:${hex(24)}@127.0.0.1/encore?host=db.example` },
      'DATABASE_URL leads to Postgres without TLS',
    ],
    [
      {
        DATABASE_URL: `postgres://encore_ledger:${hex(24)}@db.example/e?sslmode=verify-full&sslmode=disable`,
      },
      'DATABASE_URL leads to Postgres without TLS',
    ],
    [
      { DATABASE_URL: `postgres://encore_ledger:${hex(24)}@db.example/encore?sslmode=no-verify` },
      'DATABASE_URL leads to Postgres without TLS',
    ],
    [
      {
        DATABASE_URL: `postgres://encore_ledger:${hex(24)}@db.example/e?sslmode=require&uselibpqcompat=true`,
      },
      'DATABASE_URL leads to Postgres without TLS',
    ],
    [
      { BACKUP_DATABASE_URL: `postgres://encore_backup:${hex(24)}@db.example/encore?sslmode=prefer` },
      'BACKUP_DATABASE_URL leads to Postgres without TLS',
    ],
    [{ REDIS_URL: `redis://:${hex(24)}@redis.example` }, 'REDIS_URL leads to Redis without TLS'],
    [{ REDIS_URL: 'rediss://redis.example' }, 'REDIS_URL has no password'],
    [
      { EVENTSTORE_URL: `esdb://ledger:${hex(24)}@one:1,two:2?TLS=False` },
      'EVENTSTORE_URL leads to the event store without TLS',
    ],
    [
      { EVENTSTORE_URL: `esdb://ledger:${hex(24)}@localhost:1,two:2?tls=false` },
      'EVENTSTORE_URL leads to the event store without TLS',
    ],
    [
      { EVENTSTORE_URL: `esdb://ledger:${hex(24)}@one:1?tlsVerifyCert=false` },
      'EVENTSTORE_URL has tlsVerifyCert=false',
    ],
    [{ EVENTSTORE_URL: 'esdb://admin:changeit@one:1' }, 'EVENTSTORE_URL has a password that can be guessed'],
    [{ EVENTSTORE_URL: 'esdb://one:1' }, 'EVENTSTORE_URL has no password'],
    [
      { LEDGER_INTERNAL_URL: 'http://ledger.example:3002' },
      'LEDGER_INTERNAL_URL leads to the ledgers’ internal port without TLS',
    ],
  ])('%j is refused by name, in one sentence that says what to do', (over, words) => {
    const sentences = refused(over);
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toContain(words);
    expect(sentences[0]).toMatch(/^[^\n]*\.$/);
    expect(refused({ ...over, NODE_ENV: 'development' })).toEqual([]);
    for (const secret of Object.values(over))
      if (typeof secret === 'string' && secret.length > 30) expect(sentences[0]).not.toContain(secret);
  });

  it('knows a secret that is used twice wherever it stands', () => {
    const shared = hex(24);
    const DATABASE_URL = `postgres://encore_ledger:${shared}@127.0.0.1/encore`;
    expect(
      refused({ ENCORE_INTERNAL_TOKEN: shared, DATABASE_URL, REDIS_URL: `rediss://:${shared}@r` }),
    ).toEqual([
      'ENCORE_INTERNAL_TOKEN, the password in DATABASE_URL and the password in REDIS_URL are the same secret: give each its own, or whoever learns one has the other.',
    ]);
  });

  it('tells all of it at once', () => {
    const sentences = refused({
      PUBLIC_URL: 'http://encore.example',
      ENCORE_MASTER_KEY: '0'.repeat(64),
      STRIPE_WEBHOOK_SECRET: 'whsec_',
      REDIS_URL: 'redis://redis.example',
    });
    expect(sentences).toHaveLength(5);
  });
});

describe('a secret that was made at random', () => {
  it('is never taken for a weak one', () => {
    for (let n = 0; n < 2_000; n += 1) {
      expect(weaknessOfKey(hex(32))).toBeUndefined();
      expect(weaknessOf(hex(24))).toBeUndefined();
      expect(weaknessOf(randomBytes(24).toString('base64url'))).toBeUndefined();
    }
  });

  it.each([
    '00'.repeat(32),
    'ff'.repeat(32),
    '0123456789abcdef'.repeat(4),
    Buffer.from(Array.from({ length: 32 }, (_, n) => n)).toString('hex'),
    Buffer.from('a master key that somebody wrote').toString('hex'),
    `${hex(1).repeat(24)}${hex(8)}`,
  ])('is told from %s', (key) => expect(weaknessOfKey(key)).toBeDefined());
});
