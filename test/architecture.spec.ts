/**
 * The import law: who may know whom. Data flows down the list of folders, imports go up it. Folders and
 * slices are read from the tree, so a new one is under the law at once.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** What a folder may import at run time, besides itself. A type may be imported from `types` as well. */
interface Allowance {
  readonly values: readonly string[];
  readonly types?: readonly string[];
}

/** In the order in which data flows. A folder of code that has no line here fails the suite. */
const LAW: Readonly<Record<string, Allowance>> = {
  contracts: { values: [] },
  log: { values: ['contracts'] },
  edge: { values: ['contracts'] },
  ledger: { values: ['contracts', 'log', 'edge'] },
  projections: { values: ['contracts', 'log', 'edge'] },
  workers: { values: ['contracts', 'projections'] },
  audit: { values: ['contracts', 'log', 'projections'] },
  web: { values: ['contracts/plain'], types: ['contracts/api'] },
  processes: {
    values: ['contracts', 'log', 'edge', 'ledger', 'projections', 'workers', 'audit', 'local', 'deploy'],
  },
  local: { values: ['contracts/plain'] },
  deploy: { values: [] },
  test: { values: [''] },
};
/** Folders that hold no code of ours. */
const NO_CODE = new Set(['node_modules', 'dist', 'docs', 'secrets']);

/** A package that only one place may import; tests may import all. */
const SOLE_IMPORTERS: Readonly<Record<string, string>> = {
  '@eventstore/db-client': 'log/',
  stripe: 'ledger/stripe/',
  'passkit-generator': 'ledger/passes/',
  '@simplewebauthn/server': 'ledger/passkeys/',
};

interface Import {
  readonly from: string;
  readonly specifier: string;
  /** The file of ours that is meant; undefined for a package. */
  readonly to: string | undefined;
  /** Whether nothing of it is left at run time. */
  readonly isType: boolean;
}

const folders = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !NO_CODE.has(entry.name))
  .map(({ name }) => name)
  .filter((name) => filesIn(name).length > 0);

function filesIn(folder: string, ending = /\.tsx?$/): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => ending.test(name) && !name.includes('node_modules'));
}

function importsOf(file: string): Import[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(ROOT, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: Import[] = [];
  const add = (specifier: string, isType: boolean): number =>
    found.push({ from: file, specifier, to: fileOf(file, specifier), isType });
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier)
      add((node.moduleSpecifier as ts.StringLiteral).text, isTypeOnly(node));
    else if (
      ts.isImportTypeNode(node) &&
      ts.isLiteralTypeNode(node.argument) &&
      ts.isStringLiteral(node.argument.literal)
    )
      add(node.argument.literal.text, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (specifier && ts.isStringLiteral(specifier)) add(specifier.text, false);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node))
    return (
      node.isTypeOnly ||
      (!!node.exportClause &&
        ts.isNamedExports(node.exportClause) &&
        node.exportClause.elements.every((one) => one.isTypeOnly))
    );
  const clause = node.importClause;
  if (!clause) return false;
  if (clause.isTypeOnly) return true;
  const names = clause.namedBindings;
  return !clause.name && !!names && ts.isNamedImports(names) && names.elements.every((one) => one.isTypeOnly);
}

/** The path from the root of the file that a specifier of ours means. */
function fileOf(from: string, specifier: string): string | undefined {
  const path = specifier.startsWith('#')
    ? specifier.slice(1).replace(/^web\//, 'web/src/')
    : specifier.startsWith('.')
      ? relative(ROOT, resolve(ROOT, dirname(from), specifier))
      : undefined;
  if (path === undefined) return undefined;
  const bare = path.replace(/\.js$/, '');
  return [`${bare}.ts`, `${bare}.tsx`, path].find((name) => existsSync(join(ROOT, name))) ?? path;
}

const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0];
const isSpec = (file: string): boolean => /\.(spec|test)\.tsx?$/.test(file);
const isWithin = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);
const folderOf = (path: string): string => path.split('/')[0]!;

const imports = folders.flatMap((folder) => filesIn(folder).flatMap(importsOf));
/**
 * Specs stand beside what they test and may use everything, as `test` may; so may what only the tests of the
 * web app use.
 */
const lawful = imports.filter(
  ({ from }) => !isSpec(from) && !isWithin(from, 'test') && !isWithin(from, 'web/testing'),
);
const named = (found: readonly Import[]) =>
  found.map(({ from, specifier }) => `${from} imports ${specifier}`);

/** The circles of a graph: sets of nodes that reach each other. */
function circlesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    low.set(node, order.get(node)!);
    open.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!));
    }
    if (low.get(node) !== order.get(node)) return;
    const circle = open.splice(open.indexOf(node));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return circles;
}

/** Imports at run time between files, or between what `part` makes of them. */
function graph(part: (file: string) => string | undefined): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  for (const { from, to, isType } of lawful) {
    const [a, b] = [part(from), to === undefined ? undefined : part(to)];
    if (isType || a === undefined || b === undefined || a === b) continue;
    edges.set(a, (edges.get(a) ?? new Set()).add(b));
  }
  return edges;
}

/** A slice of the ledger is a folder with a module of Nest's. */
const slices = readdirSync(join(ROOT, 'ledger'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter((name) => readdirSync(join(ROOT, 'ledger', name)).some((file) => file.endsWith('.module.ts')));

describe('the import law', () => {
  it('sees the folders, the slices and the imports', () => {
    expect(folders.filter((name) => LAW[name] === undefined)).toEqual([]);
    expect(slices.length).toBeGreaterThan(8);
    expect(imports.length).toBeGreaterThan(1_000);
  });

  it('lets each folder import only what it may', () => {
    const broken = lawful.filter(({ from, to, isType }) => {
      if (to === undefined) return false;
      const own = folderOf(from);
      const { values, types = [] } = LAW[own] ?? { values: [] };
      const allowed = [own, ...values, ...(isType ? types : [])];
      return !allowed.some((folder) => isWithin(to, folder));
    });
    expect(named(broken)).toEqual([]);
  });

  it('keeps each outside protocol behind one folder', () => {
    const broken = lawful.filter(({ from, specifier }) => {
      const sole = Object.hasOwn(SOLE_IMPORTERS, specifier) ? SOLE_IMPORTERS[specifier] : undefined;
      return sole !== undefined && !from.startsWith(sole);
    });
    expect(named(broken)).toEqual([]);
  });

  it('keeps contracts free of Node, and what browsers load of them free of packages', () => {
    const broken = lawful.filter(
      ({ from, specifier, to }) =>
        (isWithin(from, 'contracts') && specifier.startsWith('node:')) ||
        (isWithin(from, 'contracts/plain') && to === undefined),
    );
    expect(named(broken)).toEqual([]);
  });

  it('keeps the slices of the ledger apart, and lets only the files above them know them', () => {
    const sliceOf = (path: string): string | undefined =>
      slices.find((slice) => isWithin(path, `ledger/${slice}`));
    const broken = lawful.filter(({ from, to }) => {
      if (to === undefined || !isWithin(from, 'ledger') || dirname(from) === 'ledger') return false;
      return sliceOf(to) !== undefined && sliceOf(from) !== sliceOf(to);
    });
    expect(named(broken)).toEqual([]);
  });

  it('keeps the handlers of commands out of the modules and controllers of the ledger', () => {
    const files = filesIn('ledger', /\.(module|controller)\.ts$/);
    expect(files.length).toBeGreaterThan(30);
    const broken = files.filter((file) =>
      readFileSync(join(ROOT, file), 'utf8').includes('@CommandHandler('),
    );
    expect(broken).toEqual([]);
  });

  it('lets workers know read models by their queries alone', () => {
    const broken = lawful.filter(
      ({ from, to }) =>
        isWithin(from, 'workers') &&
        to !== undefined &&
        isWithin(to, 'projections') &&
        !/queries\.ts$/.test(to),
    );
    expect(named(broken)).toEqual([]);
  });

  it('lets a read model know others by their queries alone', () => {
    const readModelOf = (path: string): string | undefined => /^projections\/([^/]+)\//.exec(path)?.[1];
    const broken = lawful.filter(({ from, to }) => {
      const [importer, imported] = [readModelOf(from), to === undefined ? undefined : readModelOf(to)];
      if (importer === undefined || imported === undefined || importer === imported || imported === 'engine')
        return false;
      return !/queries\.ts$/.test(to!);
    });
    expect(named(broken)).toEqual([]);
  });

  it('keeps the stand-ins to themselves: each imports its own files, and packages that it declares', () => {
    const standInOf = (path: string): string | undefined => /^local\/stand-ins\/[^/]+\//.exec(path)?.[0];
    const broken = lawful.filter(({ from, to }) => {
      const own = standInOf(from);
      return to !== undefined && (own !== undefined || standInOf(to) !== undefined) && own !== standInOf(to);
    });
    expect(named(broken)).toEqual([]);
    const isDeclared = ({ from, specifier }: Import): boolean => {
      const { dependencies } = JSON.parse(
        readFileSync(join(ROOT, standInOf(from)!, 'package.json'), 'utf8'),
      ) as { dependencies: Record<string, string> };
      return specifier.startsWith('node:') || packageOf(specifier) in dependencies;
    };
    const packages = lawful.filter(({ from, to }) => standInOf(from) !== undefined && to === undefined);
    expect(packages.length).toBeGreaterThan(20);
    expect(named(packages.filter((one) => !isDeclared(one)))).toEqual([]);
  });

  it('declares every package that the app needs when it runs, so that an installation without the rest has it', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const ofTheApp = ['contracts', 'log', 'edge', 'ledger', 'projections', 'workers', 'audit', 'processes'];
    const packages = lawful.filter(
      ({ from, to, isType, specifier }) =>
        ofTheApp.includes(folderOf(from)) && to === undefined && !isType && !specifier.startsWith('node:'),
    );
    expect(packages.length).toBeGreaterThan(100);
    expect(named(packages.filter(({ specifier }) => !(packageOf(specifier) in dependencies)))).toEqual([]);
  });

  it('orders the web app: shared parts, then features, then the app that mounts them', () => {
    const layers = ['web/src/shared', 'web/src/features', 'web/src/app'];
    const layerOf = (path: string): number => layers.findIndex((layer) => isWithin(path, layer));
    const broken = lawful.filter(
      ({ from, to }) =>
        to !== undefined &&
        isWithin(from, 'web/src') &&
        isWithin(to, 'web/src') &&
        layerOf(to) > layerOf(from),
    );
    expect(named(broken)).toEqual([]);
    expect(filesIn('web/src').filter((file) => layerOf(file) < 0 && !file.endsWith('.d.ts'))).toEqual([]);
  });

  it('lets only the app know the pages, so that each is loaded when it is opened', () => {
    const toPages = lawful.filter(({ to }) => to !== undefined && /^web\/src\/.*\wPage\.tsx$/.test(to));
    expect(toPages.length).toBeGreaterThanOrEqual(14);
    const broken = toPages.filter(({ from }) => !isWithin(from, 'web/src/app'));
    expect(named(broken)).toEqual([]);
  });

  it('keeps what only tests use out of the web app, and Node out of the browser', () => {
    const ofWeb = lawful.filter(({ from }) => isWithin(from, 'web/src'));
    expect(ofWeb.length).toBeGreaterThan(50);
    const broken = ofWeb.filter(
      ({ to, specifier }) =>
        specifier.startsWith('node:') || (to !== undefined && isWithin(to, 'web/testing')),
    );
    expect(named(broken)).toEqual([]);
  });

  it('keeps jest out of the programs of test that node runs by themselves', () => {
    const programs = filesIn('test').filter((file) => file.endsWith('/main.ts'));
    const reached = new Set(programs);
    for (const file of reached)
      for (const { from, to, isType } of imports)
        if (from === file && !isType && to !== undefined) reached.add(to);
    expect(reached.size).toBeGreaterThan(100);
    const broken = imports.filter(
      ({ from, isType, specifier }) => reached.has(from) && !isType && specifier === '@jest/globals',
    );
    expect(named(broken)).toEqual([]);
  });

  it('has no circle at run time: not of files, and not of the folders of one part', () => {
    expect(circlesOf(graph((file) => file))).toEqual([]);
    const folderBelow = (path: string): string | undefined => {
      const depth = isWithin(path, 'web/src') || isWithin(path, 'local/stand-ins') ? 4 : 2;
      const parts = path.split('/');
      return parts.length > depth ? parts.slice(0, depth).join('/') : undefined;
    };
    expect(circlesOf(graph(folderBelow))).toEqual([]);
  });

  it('exports nothing that no other file names', () => {
    // What is built or started without a compiler uses them too.
    const files = folders.flatMap((folder) => filesIn(folder, /\.(tsx?|m?js)$/));
    const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
    const naming = new Map<string, number>();
    for (const text of texts.values())
      for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g)))
        naming.set(word, (naming.get(word) ?? 0) + 1);
    const exported =
      /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class|enum|interface|type) ([A-Za-z_$][\w$]*)/gm;
    const unused = [...texts].flatMap(([file, text]) =>
      [...(/\.tsx?$/.test(file) ? text.matchAll(exported) : [])]
        .map(([, name]) => name!)
        .filter((name) => naming.get(name) === 1)
        .map((name) => `${file} exports ${name}`),
    );
    expect(unused).toEqual([]);
  });

  it('has no barrel, no utils, no common, no helpers', () => {
    const files = folders.flatMap((folder) => filesIn(folder));
    expect(files.filter((file) => /(^|\/)(utils?|common|helpers?)(\/|\.ts)/.test(file))).toEqual([]);
    const barrels = files.filter(
      (file) =>
        /\/index\.tsx?$/.test(file) && /^export \* from/m.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(barrels).toEqual([]);
  });
});

/** As wide as the formatter lets code be: .oxfmtrc.json. */
const WIDTH = 110;
/** A line of text; an example or a diagram is set in, and cannot be broken. */
const COMMENT = /^\s*(\/\/|\/?\*+) \S/;

describe('a comment', () => {
  it('is no wider than the code around it', () => {
    const wide = folders
      .flatMap((folder) => filesIn(folder))
      .flatMap((file) => {
        const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
        return lines.flatMap((line, at) =>
          COMMENT.test(line) && [...line].length > WIDTH ? [`${file}:${at + 1}`] : [],
        );
      });
    expect(wide).toEqual([]);
  });
});
