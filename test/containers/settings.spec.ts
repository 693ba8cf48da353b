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
import { PASS_SETTINGS } from '#ledger/passes/pass-certificates';
import { repositoryRoot } from '#local/launch/program';

const read = (path: string): string => readFileSync(join(repositoryRoot(), path), 'utf8');
const compose = read('docker-compose.yml');
/** Every secret's name and file. */
const secrets = [
  ...compose.matchAll(/\n {2}(\w+): \{ file: '\$\{ENCORE_SECRETS:-\.\/secrets\}\/(\w+)' \}/g),
].map(([, name, file]) => [name, file]);

const ROLES = ['ledger', 'projections', 'workers'] as const;
type Role = (typeof ROLES)[number];

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
  BULL_BOARD_PORT: 'its page listens on loopback only',
  TEST_CLOCK_FILE: 'for suites',
};

/** Where each process lists what it reads. */
const LISTS: Readonly<Record<Role, string>> = {
  ledger: 'processes/ledger/settings.ts',
  projections: 'processes/projections.ts',
  workers: 'processes/workers.ts',
};

/** What a process reads. */
function namesOf(role: Role): string[] {
  const [, list] = /const NAMES = \[([^\]]*)\] as const/.exec(read(LISTS[role])) ?? [];
  if (list === undefined) throw new Error(`${LISTS[role]} has no list of names.`);
  const names = [...list.matchAll(/'([A-Z_]+)'/g)].map(([, name]) => name!);
  return list.includes('...PASS_SETTINGS') ? [...names, ...PASS_SETTINGS] : names;
}

/** The lines of a service in the compose file. */
function service(role: Role): string {
  const [, lines] = new RegExp(`\\n  ${role}:\\n((?:(?: {4}.*)?\\n)+)`).exec(compose) ?? [];
  if (lines === undefined) throw new Error(`docker-compose.yml has no ${role}.`);
  return lines;
}

describe('docker-compose.yml', () => {
  it.each(ROLES)('hands over every setting that %s reads', (role) => {
    const lines = service(role);
    const isGiven = (name: string): boolean => {
      const secret =
        name === 'ENCORE_MASTER_KEY' || name === 'ENCORE_INTERNAL_TOKEN' ? name.replace('ENCORE_', '') : name;
      const file = secret.toLowerCase();
      return (
        lines.includes(`\n      ${name}: \${${name}:`) ||
        (lines.includes(`\n      ${name}_FILE: /run/secrets/${file}\n`) &&
          new RegExp(`\n      - ${file}\n|\n    secrets: \\[(?:.*, )?${file}[,\\]]`).test(lines) &&
          secrets.some(([name]) => name === file))
      );
    };
    const names = namesOf(role).filter((name) => !(name in NOT_HANDED_OVER));
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !isGiven(name))).toEqual([]);
  });

  it('names the secrets that are made for it, all of them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'encore-secrets-'));
    try {
      execFileSync('sh', [join(repositoryRoot(), 'deploy/secrets.sh'), folder]);
      expect(secrets).toEqual(secrets.map(([name]) => [name, name]));
      expect(secrets.map(([name]) => name).sort()).toEqual(readdirSync(folder).sort());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('leaves out nothing but settings that there are', () =>
    expect(Object.keys(NOT_HANDED_OVER).filter((name) => !(name in SETTINGS))).toEqual([]));
});
