/** The lists of docs/reference/security.md name everything that there is. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SETTINGS } from '#contracts/configuration';
import { repositoryRoot } from '#local/launch/program';

const root = repositoryRoot();
const page = readFileSync(join(root, 'docs/reference/security.md'), 'utf8');
const sections = new Map(
  page.split(/^## /m).map((section): [string, string] => [section.split('\n')[0]!, section]),
);
const section = (name: string): string => sections.get(name) ?? '';
const lackingIn = (text: string, names: readonly string[]): string[] =>
  names.filter((name) => !text.includes(`\`${name}\``));

const CODE = ['contracts', 'log', 'edge', 'ledger', 'projections', 'workers', 'audit', 'processes'];
const sources = CODE.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map(({ parentPath, name }) => join(parentPath, name)),
).map((path) => ({ path: relative(root, path), text: readFileSync(path, 'utf8') }));

describe('the lists of what there is to protect', () => {
  it('names every secret among the keys', () => {
    const secrets = Object.entries(SETTINGS).flatMap(([name, setting]) =>
      'secret' in setting ? [name] : [],
    );
    expect(secrets.length).toBeGreaterThan(5);
    expect(lackingIn(section('Keys and secrets'), secrets)).toEqual([]);
  });

  it('names each use of cryptography', () => {
    // What makes a random value, and nothing else, is no use of a key or of an algorithm that could be too
    // weak.
    const uses = sources.filter(({ text }) =>
      [...text.matchAll(/import \{([^}]*)\} from 'node:crypto'/g)].some(([, names]) =>
        names!.split(',').some((name) => !/^(random\w+|type \w+)?$/.test(name.trim())),
      ),
    );
    expect(uses.length).toBeGreaterThan(5);
    expect(
      lackingIn(
        section('Keys and secrets'),
        uses.map(({ path }) => path),
      ),
    ).toEqual([]);
  });

  it('names every service that a setting leads to', () => {
    const services = Object.keys(SETTINGS).filter((name) => /_(URL|ISSUER)$/.test(name));
    expect(lackingIn(section('Connections'), services)).toEqual([]);
  });

  it('names every table beside the log', () => {
    const tables = new Set(
      sources.flatMap(({ text }) =>
        [...text.matchAll(/create table (?:if not exists )?((?:edge|vault)\.\w+)/g)].map(([, name]) => name!),
      ),
    );
    expect(tables.size).toBeGreaterThan(5);
    expect(lackingIn(section('Data'), [...tables])).toEqual([]);
  });

  it.each([
    ['which ways in there are', 'Ways in', ['OIDC_ACR_VALUES', 'OIDC_AMR_REQUIRED']],
    ['how long sessions last', 'Sessions', ['SESSION_IDLE_DAYS', 'SESSION_LONGEST_DAYS']],
    ['what may be uploaded', 'Uploads', []],
    ['what is logged, where and for how long', 'What is logged', ['SECURITY_TRAIL_DAYS']],
    ['what costs much and what bounds it', 'What costs much', ['STRIPE_REQUESTS_PER_SECOND']],
    ['how soon a package is brought up to date', 'Packages', []],
  ])('says %s', (_what, name, settings) => {
    expect(section(name).split('\n').length).toBeGreaterThan(3);
    expect(lackingIn(section(name), settings)).toEqual([]);
    expect(settings.filter((setting) => !Object.hasOwn(SETTINGS, setting))).toEqual([]);
  });
});

describe('the deployment', () => {
  it('takes nothing older than TLS 1.2 at the proxy', () =>
    expect(readFileSync(join(root, 'deploy/haproxy.cfg'), 'utf8')).toMatch(
      /^\s*ssl-default-bind-options ssl-min-ver TLSv1\.2/m,
    ));

  it('keeps the history of the code out of the image', () => {
    const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    expect(lines).toContain('*');
    expect(lines.filter((line) => line.startsWith('!.'))).toEqual(['!.npmrc', '!.swcrc']);
  });
});
