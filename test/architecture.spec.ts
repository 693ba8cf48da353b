/** The import law: who may know whom. Data flows down the list of folders, imports go up it. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const FOLDERS = ['contracts', 'ledger', 'projections', 'workers', 'web', 'audit', 'local', 'test'] as const;
type Folder = (typeof FOLDERS)[number];

/** What a folder may import, besides itself. `projections` read the log and unseal names: they share the one file that knows each. */
const MAY: Readonly<Record<Folder, readonly string[]>> = {
  contracts: [],
  ledger: ['contracts'],
  projections: ['contracts', 'ledger/eventstore', 'ledger/vault'],
  workers: ['contracts', 'projections'],
  web: ['contracts'],
  audit: ['contracts', 'ledger/eventstore', 'ledger/journal', 'ledger/vault', 'projections'],
  local: [],
  test: FOLDERS,
};
/** The ledger's composition root mounts the read models' queries, so that /api is one origin. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = { 'ledger/main.ts': ['projections'] };
/** A package that only one place may import. */
const SOLE_IMPORTERS: Readonly<Record<string, string>> = {
  '@eventstore/db-client': 'ledger/eventstore/',
  stripe: 'ledger/stripe/',
  'passkit-generator': 'ledger/passes/',
  '@simplewebauthn/server': 'ledger/passkeys/',
};
/** The parts of `ledger` that every slice may use; slices do not import each other. */
const SLICES = [
  'payments',
  'users',
  'settings',
  'treasury',
  'payouts',
  'subscriptions',
  'schedules',
  'bank-accounts',
  'passes',
  'events-out',
  'passkeys',
  'payment-methods',
];

interface Import {
  readonly from: string;
  readonly specifier: string;
  /** The path from the root that a specifier of ours means; undefined for a package. */
  readonly to: string | undefined;
}

const filesIn = (folder: Folder): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'));

function importsOf(file: string): Import[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8'), true, true);
  return importedFiles.map(({ fileName: specifier }) => {
    const to = specifier.startsWith('#')
      ? specifier.slice(1)
      : specifier.startsWith('.')
        ? relative(ROOT, resolve(ROOT, dirname(file), specifier))
        : undefined;
    return { from: file, specifier, to };
  });
}

const isSpec = (file: string): boolean => /\.(spec|test)\.tsx?$/.test(file);
const within = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
const folderOf = (path: string): string => path.split('/')[0]!;

const imports = FOLDERS.flatMap((folder) => filesIn(folder).flatMap(importsOf));
/** Specs stand beside what they test and may use everything, as `test` may. */
const lawful = imports.filter(({ from }) => !isSpec(from));
const named = (found: readonly Import[]) => found.map(({ from, specifier }) => `${from} imports ${specifier}`);

describe('the import law', () => {
  it('sees the imports', () => {
    expect(imports.length).toBeGreaterThan(200);
    expect(new Set(imports.map(({ from }) => folderOf(from))).size).toBeGreaterThanOrEqual(7);
  });

  it('lets each folder import only what it may', () => {
    const broken = lawful.filter(({ from, to }) => {
      if (to === undefined) return false;
      const folder = folderOf(from) as Folder;
      const may = [folder, ...MAY[folder], ...(EXCEPTIONS[from] ?? [])];
      return !may.some((allowed) => within(to, allowed));
    });
    expect(named(broken)).toEqual([]);
  });

  it('keeps each outside protocol behind one folder', () => {
    const broken = lawful.filter(({ from, specifier }) => {
      const sole = Object.hasOwn(SOLE_IMPORTERS, specifier) ? SOLE_IMPORTERS[specifier] : undefined;
      return sole !== undefined && !from.startsWith(sole) && !from.startsWith('test/');
    });
    expect(named(broken)).toEqual([]);
  });

  it('keeps contracts free of Node, so that the browser can use them', () => {
    expect(
      named(lawful.filter(({ from, specifier }) => folderOf(from) === 'contracts' && specifier.startsWith('node:'))),
    ).toEqual([]);
  });

  it('keeps slices apart', () => {
    const sliceOf = (path: string): string | undefined => SLICES.find((slice) => within(path, `ledger/${slice}`));
    expect(
      named(lawful.filter(({ from, to }) => to !== undefined && sliceOf(from) && sliceOf(to) && sliceOf(from) !== sliceOf(to))),
    ).toEqual([]);
  });

  it('keeps the screens of the web app apart: shared parts, then features, then the app that mounts them', () => {
    const partOf = (path: string): { layer: number; feature?: string } | undefined => {
      const [, feature] = /^web\/src\/features\/([^/]+)\//.exec(path) ?? [];
      if (feature !== undefined) return { layer: 1, feature };
      if (within(path, 'web/src/app')) return { layer: 2 };
      return within(path, 'web/src') ? { layer: 0 } : undefined;
    };
    const broken = lawful.filter(({ from, to }) => {
      const importer = partOf(from);
      const imported = to === undefined ? undefined : partOf(to);
      if (importer === undefined || imported === undefined) return false;
      return (
        imported.layer > importer.layer || (importer.layer === 1 && imported.layer === 1 && importer.feature !== imported.feature)
      );
    });
    expect(named(broken)).toEqual([]);
  });

  it('keeps what only tests use out of the web app, and Node out of the browser', () => {
    const ofWeb = lawful.filter(({ from }) => within(from, 'web/src'));
    expect(ofWeb.length).toBeGreaterThan(50);
    const broken = ofWeb.filter(
      ({ to, specifier }) => specifier.startsWith('node:') || (to !== undefined && within(to, 'web/testing')),
    );
    expect(named(broken)).toEqual([]);
  });

  it('has no barrel, no utils, no common, no helpers', () => {
    const files = FOLDERS.flatMap(filesIn);
    expect(files.filter((file) => /(^|\/)(utils?|common|helpers?)(\/|\.ts)/.test(file))).toEqual([]);
    const barrels = files.filter(
      (file) => /\/index\.tsx?$/.test(file) && /^export \* from/m.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(barrels).toEqual([]);
  });
});
