/**
 * docker-compose.yml hands over to each process what it lists, and nothing else: a setting that is not in it
 * does nothing in `.env`. Here every setting that a process reads is found in it, or is one of those that
 * containers have no use for.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SETTINGS } from '#contracts/configuration';
import { repositoryRoot } from '#local/launch/program';
import { NAMES as LEDGER } from '#processes/ledger/settings';
import { NAMES as ARCHIVE } from '#processes/operate/settings';
import { NAMES as PROJECTIONS } from '#processes/projections/settings';
import { NAMES as TRANSPARENCY } from '#processes/transparency/settings';
import { NAMES as WORKERS } from '#processes/workers/settings';
import { composed, OF_PROFILE, servicesOf } from './compose-file.js';
import { commandsUnder } from './how-to-commands.js';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  ledger: LEDGER,
  projections: PROJECTIONS,
  workers: WORKERS,
  archive: ARCHIVE,
  transparency: TRANSPARENCY,
};

/** Not for `.env`, and why. */
const NOT_HANDED_OVER: Readonly<Record<string, string>> = {
  LEDGER_PORT: 'the proxy knows it',
  LEDGER_HOST: 'the image has it',
  LEDGER_INTERNAL_PORT: 'the workers know it',
  LEDGER_INTERNAL_HOST: 'the image has it',
  LEDGER_INTERNAL_URL: 'the compose file says where the ledgers are',
  PROJECTIONS_PORT: 'nobody asks there but the health check',
  PROJECTIONS_HOST: 'the image has it',
  WORKERS_PORT: 'nobody asks there but the health check',
  WORKERS_HOST: 'the image has it',
  ARCHIVE_PORT: 'nobody asks there but the health check',
  ARCHIVE_HOST: 'the image has it',
  ENCORE_ARCHIVE: 'the compose file says where its volume is',
  ENCORE_TRANSPARENCY: 'the compose file says where its volume is',
  TRANSPARENCY_PORT: 'nobody asks there but the health check',
  TRANSPARENCY_HOST: 'the image has it',
  BULL_BOARD_PORT: 'its page listens on loopback only',
  TEST_CLOCK_FILE: 'for suites',
};

/** Each setting of `.env` by a value that is seen again where it arrives. */
const written = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, `of ${name}`]));
const text = readFileSync(join(repositoryRoot(), 'docker-compose.yml'), 'utf8');
const { services, secrets } = composed(text, written);
const { services: tools } = composed(text, { ...written, COMPOSE_PROFILES: 'tools' });

/**
 * Whether a service is given a setting: as it stands in `.env`, or by the file of a secret that it is given
 * too.
 */
function isGiven(role: string, name: string): boolean {
  const { environment, secrets: given } = services[role]!;
  if (environment[name] === written[name]) return true;
  // Each process signs in to Postgres as a role of its own.
  const own = name === 'DATABASE_URL' ? `${role}_database_url` : name;
  const secret = (
    name.endsWith('_MASTER_KEY') || name === 'ENCORE_INTERNAL_TOKEN' ? name.replace('ENCORE_', '') : own
  ).toLowerCase();
  return (
    environment[`${name}_FILE`] === `/run/secrets/${secret}` && given.includes(secret) && secret in secrets
  );
}

/**
 * What `operate check-stripe` reads besides: in containers it is asked of a ledger, docs/how-to/stripe.md.
 */
const OF_CHECK_STRIPE: readonly string[] = [
  'STRIPE_PUBLISHABLE_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_CONNECT_WEBHOOK_SECRET',
];

/** The settings that are named in these sources, a folder or a file each. */
function namesIn(...paths: readonly string[]): readonly string[] {
  const files = paths.flatMap((path) =>
    path.endsWith('.ts')
      ? [path]
      : readdirSync(join(repositoryRoot(), path))
          .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
          .map((file) => join(path, file)),
  );
  const sources = files.map((file) => readFileSync(join(repositoryRoot(), file), 'utf8')).join('\n');
  return Object.keys(SETTINGS).filter((name) => sources.includes(`'${name}'`));
}

/** Whether the operator's service is given a setting; it has the owner's URL of Postgres. */
function isGivenToOperator(name: string): boolean {
  const { environment } = tools['operate']!;
  const secret = name.toLowerCase();
  return (
    environment[name] === written[name] ||
    [secret, secret.replace('encore_', '')].some(
      (file) => environment[`${name}_FILE`] === `/run/secrets/${file}`,
    )
  );
}

/** What `deploy/secrets.sh` makes in a folder of its own, and what it says. */
function secretsMade(...more: readonly string[]): { said: string; values: Record<string, string> } {
  const folder = mkdtempSync(join(tmpdir(), 'encore-secrets-'));
  try {
    const script = join(repositoryRoot(), 'deploy/secrets.sh');
    const said = execFileSync('sh', [script, folder, ...more], { encoding: 'utf8' });
    const values = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8').trim()]);
    return { said: said.replaceAll(`${folder}/`, ''), values: Object.fromEntries(values) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('docker-compose.yml', () => {
  it('starts with each profile what it adds, and nothing else', () => {
    for (const profiles of [[], ...Object.keys(OF_PROFILE).map((name) => [name])]) {
      const started = composed(text, { ...written, COMPOSE_PROFILES: profiles.join(',') });
      expect(Object.keys(started.services).sort()).toEqual(servicesOf(profiles));
    }
  });

  it.each(Object.keys(NAMES))('hands over every setting that %s reads', (role) => {
    const names = NAMES[role]!.filter((name) => !(name in NOT_HANDED_OVER));
    expect(names.length).toBeGreaterThan(role === 'archive' ? 1 : 3);
    expect(names.filter((name) => !isGiven(role, name))).toEqual([]);
  });

  it('hands over to an operator’s commands every setting that they read', () => {
    const read = namesIn('processes/operate', 'processes/shell/call-limits.ts');
    expect(read).toContain('STRIPE_SECRET_KEY');
    const others = [...ARCHIVE, ...OF_CHECK_STRIPE];
    const names = [...read, 'ENCORE_STAGING'].filter(
      (name) => !(name in NOT_HANDED_OVER) && !others.includes(name),
    );
    expect(names.filter((name) => !isGivenToOperator(name))).toEqual([]);
  });

  it('tells an auditor whose movements the provider’s account holds', () =>
    expect(tools['audit']!.environment).toMatchObject({ STRIPE_ACCOUNT: written['STRIPE_ACCOUNT'] }));

  it('shows an auditor the published tree, to read only: verify holds the log against its newest signed head', () => {
    const { environment, volumes } = tools['audit']!;
    expect(volumes).toEqual([`transparency:${environment['ENCORE_TRANSPARENCY']}:ro`]);
  });

  it('names the secrets that are made for it, all of them', () => {
    for (const [name, { file }] of Object.entries(secrets)) expect(file).toBe(`./secrets/${name}`);
    expect(Object.keys(secrets).sort()).toEqual(Object.keys(secretsMade().values).sort());
  });

  it('asks a person for the secrets that only others can give, and makes none of them up', () => {
    const { said, values } = secretsMade();
    const asked = [...said.matchAll(/^Fill in (\w+)\.$/gm)].map(([, name]) => name!);
    expect(asked.sort()).toEqual([
      'oidc_client_secret',
      'smtp_url',
      'stripe_connect_webhook_secret',
      'stripe_secret_key',
      'stripe_webhook_secret',
      'tls_certificate',
    ]);
    for (const name of asked) expect([name, values[name]]).toEqual([name, '']);
    const inSandbox = secretsMade('sandbox');
    expect(inSandbox.said).not.toContain('Fill in');
  });

  it('leaves out nothing but settings that there are', () =>
    expect(Object.keys(NOT_HANDED_OVER).filter((name) => !(name in SETTINGS))).toEqual([]));
});

describe('an upgrade', () => {
  it.each([
    '# How to upgrade',
    '## New kinds of events',
    '## A new version of a read model, without downtime',
  ])('replaces every process that serves, as docs/how-to/upgrade.md has it under "%s"', (heading) => {
    const commands = commandsUnder('upgrade.md', heading);
    const replaces = (role: string): boolean =>
      new RegExp(`^docker compose up .*\\b${role}\\b`, 'm').test(commands) ||
      (role === 'ledger' && commands.includes('deploy/one-at-a-time.sh'));
    expect(Object.keys(NAMES).filter((role) => !replaces(role))).toEqual([]);
  });
});

describe('the table of docs/how-to/rotate-keys.md', () => {
  const [, section = ''] = readFileSync(join(repositoryRoot(), 'docs/how-to/rotate-keys.md'), 'utf8').split(
    '\n| secret | read by | how |\n',
  );
  const [table = ''] = section.split('\n\n');
  const rows = table.split('\n').map((line) => {
    const [, names = '', readers = ''] = line.split('|');
    return {
      names: [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
      readers: readers.toLowerCase(),
    };
  });
  const rowsOf = (secret: string) =>
    rows.filter(({ names }) =>
      names.some((name) => name === secret || (name.endsWith('…') && secret.startsWith(name.slice(0, -1)))),
    );
  // One row stands for the URLs of all roles, and the process of each reads it.
  const named = Object.keys(secrets).filter((secret) => !/^[a-z]+_database_url$/.test(secret));

  it.each(named)('names every process that serves and was started with %s', (secret) => {
    const readers = Object.keys(NAMES).filter((role) => services[role]!.secrets.includes(secret));
    const told = rowsOf(secret.replace(/_next$/, '')).map((row) => row.readers);
    expect(told.length).toBeGreaterThan(0);
    expect(readers.filter((role) => !told.some((words) => words.includes(role)))).toEqual([]);
  });
});
