/** The settings of `make start` and what it keeps in the data folder. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { appEnvironment, portNames, standInsFor, type StackPlan } from './stack/parts.js';
import { BadLocalSetting, KeptPorts, localSettings, secretsOf } from './settings.js';

const folder = mkdtempSync(join(tmpdir(), 'encore-settings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the settings', () => {
  it('open the app on port 3000 with the data beside the code by default', () => {
    expect(localSettings({}, '/repo')).toEqual({
      port: 3000,
      ledgers: 1,
      publicUrl: 'http://localhost:3000',
      demo: true,
      dataFolder: '/repo/.data',
    });
    expect(
      localSettings(
        { PORT: '4000', ENCORE_DATA: '/data', LEDGERS: '2', PUBLIC_URL: 'https://tips.example/' },
        '/repo',
      ),
    ).toEqual({
      port: 4000,
      ledgers: 2,
      publicUrl: 'https://tips.example',
      // Its people's password is no secret.
      demo: false,
      dataFolder: '/data',
    });
    expect(localSettings({ ENCORE_DEMO: 'off' }, '/repo').demo).toBe(false);
  });
  it('leave the port out of the app’s address when it is 80', () =>
    expect(localSettings({ PORT: '80' }, '/repo')).toMatchObject({
      port: 80,
      publicUrl: 'http://localhost',
    }));

  it.each([
    [{ PORT: 'http' }, 'PORT is http: it must be a whole number from 1 to 65535.'],
    [{ PORT: '70000' }, 'PORT is 70000: it must be a whole number from 1 to 65535.'],
    [{ ENCORE_DEMO: 'yes' }, 'ENCORE_DEMO is yes: it must be on or off.'],
    [{ ENCORE_EVENTSTORE_TLS: 'true' }, 'ENCORE_EVENTSTORE_TLS is true: it must be on or off.'],
    [{ LEDGERS: '0' }, 'LEDGERS is 0: it must be a whole number from 1 to 16.'],
    [
      { PUBLIC_URL: 'tips.example' },
      'PUBLIC_URL is tips.example: it must be an origin, such as http://localhost:3000.',
    ],
  ])('answer %j with one plain sentence', (env, sentence) => {
    expect(() => localSettings(env, '/repo')).toThrow(new BadLocalSetting(sentence));
  });
});

describe('the data folder', () => {
  it('keeps its secrets, for its owner only', () => {
    const made = secretsOf(join(folder, 'a'));
    expect(secretsOf(join(folder, 'a'))).toEqual(made);
    expect(made.ENCORE_MASTER_KEY).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(join(folder, 'a/secrets.json')).mode & 0o777).toBe(0o600);
    expect(secretsOf(join(folder, 'b')).ENCORE_MASTER_KEY).not.toBe(made.ENCORE_MASTER_KEY);
  });

  it('never replaces secrets that it cannot read: the data needs them', () => {
    const file = join(folder, 'a/secrets.json');
    writeFileSync(file, '{"ENCORE_MASTER_KEY":');
    expect(() => secretsOf(join(folder, 'a'))).toThrow(/cannot be read as JSON/);
    expect(readFileSync(file, 'utf8')).toBe('{"ENCORE_MASTER_KEY":');
  });

  it('keeps its ports, except one that another program has taken', async () => {
    const names = portNames(2);
    const first = await new KeptPorts(join(folder, 'p')).take(names, [3000]);
    expect(new Set(Object.values(first)).size).toBe(names.length);
    const stranger = createServer();
    await new Promise<void>((resolve) => stranger.listen(first.redis, '127.0.0.1', resolve));
    const second = await new KeptPorts(join(folder, 'p')).take(names, [3000]);
    await new Promise((resolve) => stranger.close(resolve));
    expect({ ...second, redis: first.redis }).toEqual(first);
    expect(second.redis).not.toBe(first.redis);
  });
});

describe('what is started', () => {
  const plan = (given: StackPlan['given']): StackPlan => ({
    root: '/repo',
    dataFolder: join(folder, 'a'),
    publicPort: 3000,
    publicUrl: 'http://localhost:3000',
    ledgers: 1,
    ports: Object.fromEntries(portNames(1).map((name, n) => [name, 20_000 + n])),
    secrets: secretsOf(join(folder, 'c')),
    given,
  });

  it('is whatever has no URL in the environment', () => {
    expect(standInsFor({})).toEqual(['postgres', 'redis', 'eventstore', 'stripe', 'identity', 'mail']);
    expect(
      standInsFor({ DATABASE_URL: 'postgres://db/encore', REDIS_URL_FILE: '/run/secrets/redis' }),
    ).toEqual(['eventstore', 'stripe', 'identity', 'mail']);
    expect(standInsFor({ STRIPE_SECRET_KEY: 'sk_test_1', OIDC_ISSUER: 'https://id.example' })).not.toContain(
      'stripe',
    );
  });

  it('leaves a given setting alone and adds the others', () => {
    const env = appEnvironment(
      plan({ DATABASE_URL: 'postgres://db/encore', STRIPE_SECRET_KEY: 'sk_test_own' }),
    );
    expect(env).toMatchObject({
      DATABASE_URL: 'postgres://db/encore',
      STRIPE_SECRET_KEY: 'sk_test_own',
      OIDC_ISSUER_NAME: 'local',
    });
    expect(env).not.toHaveProperty('STRIPE_API_URL');
    expect(env.EVENTSTORE_URL).toBe('esdb://127.0.0.1:20002?tls=false');
  });

  it('is no production, whatever the shell says, where anything is stood in for', () => {
    expect(appEnvironment(plan({ NODE_ENV: 'production' })).NODE_ENV).toBe('development');
    expect(appEnvironment(plan({ NODE_ENV: 'test' })).NODE_ENV).toBe('test');
  });
});
