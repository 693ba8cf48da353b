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
import { composed } from './compose-file.js';

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
const { services, secrets } = composed(
  readFileSync(join(repositoryRoot(), 'docker-compose.yml'), 'utf8'),
  written,
);

/** Whether a service is given a setting: as it stands in `.env`, or by the file of a secret that it is given too. */
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

describe('docker-compose.yml', () => {
  it.each(Object.keys(NAMES))('hands over every setting that %s reads', (role) => {
    const names = NAMES[role]!.filter((name) => !(name in NOT_HANDED_OVER));
    expect(names.length).toBeGreaterThan(role === 'archive' ? 1 : 3);
    expect(names.filter((name) => !isGiven(role, name))).toEqual([]);
  });

  it('names the secrets that are made for it, all of them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'encore-secrets-'));
    try {
      execFileSync('sh', [join(repositoryRoot(), 'deploy/secrets.sh'), folder]);
      for (const [name, { file }] of Object.entries(secrets)) expect(file).toBe(`./secrets/${name}`);
      expect(Object.keys(secrets).sort()).toEqual(readdirSync(folder).sort());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('leaves out nothing but settings that there are', () =>
    expect(Object.keys(NOT_HANDED_OVER).filter((name) => !(name in SETTINGS))).toEqual([]));
});
