/** Settings: one plain sentence for a bad one, and never a secret in it. */
import { describe, expect, it } from '@jest/globals';
import { configurationFrom } from '#test/support/configuration';
import { BadSetting, type SettingKey } from './configuration.js';

const noFile = (): string => {
  throw new Error('ENOENT');
};
const read = (
  names: readonly SettingKey[],
  env: Record<string, string>,
  files: Record<string, string> = {},
) => configurationFrom(names, env, (path) => files[path] ?? noFile());

describe('settings', () => {
  it('have defaults, and are turned into what they mean', () => {
    expect(read(['LEDGER_PORT', 'LOG_LEVEL'], {})).toEqual({ LEDGER_PORT: 3001, LOG_LEVEL: 'info' });
    expect(read(['LEDGER_PORT'], { LEDGER_PORT: '0' })).toEqual({ LEDGER_PORT: 0 });
  });
  it('name one event store, a name that stands for several, or all nodes of a cluster', () => {
    for (const nodes of [
      'one:2113',
      'ledger:hush@one:2113',
      'one:2113,two:2113,three:2113',
      'ledger:hush@one:2113,two:2113',
    ]) {
      const url = `esdb://${nodes}?tls=true`;
      expect(read(['EVENTSTORE_URL'], { EVENTSTORE_URL: url })).toEqual({ EVENTSTORE_URL: url });
    }
    for (const nodes of ['', 'one:2113,', ',two:2113', 'one:99999,two:2113', 'one:2113,two 2113'])
      expect(() => read(['EVENTSTORE_URL'], { EVENTSTORE_URL: `esdb://${nodes}` })).toThrow(
        /^EVENTSTORE_URL is wrong: must be a URL/,
      );
  });
  it('count as unset when they are empty', () =>
    expect(() => read(['REDIS_URL'], { REDIS_URL: '' })).toThrow(/^REDIS_URL is not set: /));
  it('count as unset when they are blank, and lose the blanks around them, as the lines of a file from Windows', () => {
    expect(read(['LEDGER_PORT', 'REFUNDS_PER_HOUR'], { LEDGER_PORT: ' ', REFUNDS_PER_HOUR: '\r' })).toEqual({
      LEDGER_PORT: 3001,
      REFUNDS_PER_HOUR: 30,
    });
    const env = { NODE_ENV: 'production\r', STRIPE_SECRET_KEY: ' sk_test_visible\n' };
    expect(read(['NODE_ENV', 'STRIPE_SECRET_KEY'], env)).toEqual({
      NODE_ENV: 'production',
      STRIPE_SECRET_KEY: 'sk_test_visible',
    });
  });
  it('come from their file where they are blank themselves', () =>
    expect(
      read(
        ['METRICS_TOKEN'],
        { METRICS_TOKEN: ' ', METRICS_TOKEN_FILE: '/run/t' },
        { '/run/t': 'x'.repeat(24) },
      ),
    ).toEqual({ METRICS_TOKEN: 'x'.repeat(24) }));
  it('count as unset when their file is empty', () => {
    const env = { APPLE_PASS_KEY_FILE: '/run/empty', OIDC_CLIENT_SECRET_FILE: '/run/empty' };
    expect(read(['APPLE_PASS_KEY'], env, { '/run/empty': '\n' })).toEqual({});
    expect(() => read(['OIDC_CLIENT_SECRET'], env, { '/run/empty': '\n' })).toThrow(
      /^OIDC_CLIENT_SECRET is not set: /,
    );
  });
  it('may come from a file', () =>
    expect(
      read(
        ['STRIPE_WEBHOOK_SECRET'],
        { STRIPE_WEBHOOK_SECRET_FILE: '/run/secret' },
        { '/run/secret': 'whsec_abc\n' },
      ),
    ).toEqual({
      STRIPE_WEBHOOK_SECRET: 'whsec_abc',
    }));
  it('say which file cannot be read', () =>
    expect(() => read(['STRIPE_WEBHOOK_SECRET'], { STRIPE_WEBHOOK_SECRET_FILE: '/nowhere' })).toThrow(
      'STRIPE_WEBHOOK_SECRET_FILE names a file that cannot be read: /nowhere',
    ));

  it('are of production unless somebody says otherwise', () => {
    expect(read(['NODE_ENV'], {})).toEqual({ NODE_ENV: 'production' });
    expect(read(['NODE_ENV'], { NODE_ENV: 'development' })).toEqual({ NODE_ENV: 'development' });
  });

  it('say all that is wrong at once, a line each', () => {
    const env = { LEDGER_PORT: 'x', DATABASE_URL: 'nonsense' };
    expect(() => read(['LEDGER_PORT', 'DATABASE_URL', 'REDIS_URL', 'LOG_LEVEL'], env)).toThrow(
      /^LEDGER_PORT is wrong: .*\nDATABASE_URL is wrong: .*\nREDIS_URL is not set: .*$/,
    );
  });

  const BETWEEN: [SettingKey, string, string][] = [
    ['LEDGER_PORT', 'from 0 to 65535', '0'],
    ['BULL_BOARD_PORT', 'from 0 to 65535', '0'],
    ['FORGETTING_HOURS', 'from 24 to 720', '720'],
    ['SESSION_IDLE_DAYS', 'from 1 to 90', '90'],
    ['REFUNDS_PER_HOUR', 'from 1 to 1000000', '1'],
    // No timer waits longer than 24 days: a longer one would be due at once, again and again.
    ['RECONCILE_EVERY_MINUTES', 'from 1 to 10080', '10080'],
    ['READ_YOUR_WRITES_MS', 'from 1 to 60000', '60000'],
  ];
  it.each(BETWEEN)('%s is a whole number %s, and anything else is refused with that', (name, range, good) => {
    expect(read([name], { [name]: good })).toEqual({ [name]: Number(good) });
    for (const wrong of ['x', '1.5', '-1', '99999999999', '1e99', 'Infinity'])
      expect(() => read([name], { [name]: wrong })).toThrow(
        `${name} is wrong: must be a whole number ${range}. It is `,
      );
  });
  it('take a time of up to a day in seconds, and no longer one: a timer of many days would end at once', () => {
    expect(read(['CARE_EVERY_SECONDS'], { CARE_EVERY_SECONDS: '0.2' })).toEqual({ CARE_EVERY_SECONDS: 0.2 });
    for (const wrong of ['x', '0', '-1', '86401', '1e99', 'Infinity'])
      expect(() => read(['CARE_EVERY_SECONDS'], { CARE_EVERY_SECONDS: wrong })).toThrow(
        'CARE_EVERY_SECONDS is wrong: must be a number of seconds from 0.05 to 86400. It is how often',
      );
  });
  it.each<[SettingKey, string]>([
    ['NODE_ENV', 'production, development or test'],
    ['ENCORE_STAGING', 'on or off'],
    ['STRIPE_ACCOUNT', 'exclusive or shared'],
    ['LOG_LEVEL', 'trace, debug, info, warn, error or silent'],
  ])('%s is one of a few words, %s, and anything else is refused with that', (name, words) =>
    expect(() => read([name], { [name]: 'yes' })).toThrow(`${name} is wrong: must be ${words}. It is `),
  );

  it('name proxies by address, network or the word for one, and nothing else', () => {
    for (const good of ['loopback', 'uniquelocal', '10.1.2.3', '10.0.0.0/8, fd00::/8 ,loopback'])
      expect(read(['TRUSTED_PROXIES'], { TRUSTED_PROXIES: good })).toEqual({ TRUSTED_PROXIES: good });
    for (const wrong of ['proxy.example', '10.0.0.0/99', 'loopback,', '*'])
      expect(() => read(['TRUSTED_PROXIES'], { TRUSTED_PROXIES: wrong })).toThrow(
        'TRUSTED_PROXIES is wrong: must be addresses or networks with commas, such as 10.0.0.0/8, or loopback, linklocal or uniquelocal. It is ',
      );
  });

  const bad: [SettingKey, string][] = [
    ['EVENTSTORE_URL', 'http://localhost'],
    ['EVENTSTORE_URL', 'http://one:2113,two:2113'],
    ['DATABASE_URL', 'nonsense'],
    ['LEDGER_PORT', '99999'],
    ['STRIPE_SECRET_KEY', 'pk_test_visible'],
    ['ENCORE_MASTER_KEY', 'short-and-secret'],
    ['LIMITS', 'walets=4'],
    ['LIMITS', 'wallets=0'],
  ];
  it.each(bad)('%s that is wrong is told in one sentence, without its value', (name, value) => {
    let told: unknown;
    try {
      read([name], { [name]: value });
    } catch (error) {
      told = error;
    }
    expect(told).toBeInstanceOf(BadSetting);
    const { message } = told as BadSetting;
    expect(message).toContain(name);
    expect(message).not.toContain('secret-');
    expect(message.split('\n')).toHaveLength(1);
    if (name.includes('KEY')) expect(message).not.toContain(value);
  });
});
