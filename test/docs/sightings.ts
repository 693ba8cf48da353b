/**
 * Finds which tests see what: by reading the sources of the suites, not by running them. A test sees a text
 * when the text stands there as a whole literal where it is looked for: in an expectation, in a query by
 * role, label or text, or in the table of cases. What a test only makes the server say, or says must not be
 * there, is not seen.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { repositoryRoot } from '#local/launch/program';
import { SPECIFICATION, type SpecificationPromise, type Witness } from './promises.js';

export interface TestFound {
  readonly file: string;
  /** The test's own title, and before it those of the groups that it stands in. */
  readonly title: string;
  readonly path: string;
  /** All literals that it looks for. */
  readonly seen: ReadonlySet<string>;
  readonly source: string;
}

const GROUPS = new Set(['describe', 'it', 'test']);
/** Calls that look at the screen, or say what must be. */
const LOOKS = /^(expect|(get|find|query)(All)?By\w+|toast|sees|heading|told|filter|runUntilShown)$/;

const rootOf = (node: ts.Expression): string =>
  ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)
    ? rootOf(node.expression)
    : ts.isTaggedTemplateExpression(node)
      ? rootOf(node.tag)
      : ts.isIdentifier(node)
        ? node.text
        : '';
const nameOf = (node: ts.Expression): string =>
  ts.isPropertyAccessExpression(node) ? node.name.text : ts.isIdentifier(node) ? node.text : '';

/** The text of a literal; of a regular expression what it finds, if that is plain text. */
function literalOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isRegularExpressionLiteral(node)) return undefined;
  const [, pattern = ''] = /^\/\^?(.*?)\$?\/[a-z]*$/.exec(node.text) ?? [];
  return /[[\](){}*+?|]|\\[a-z]/.test(pattern) ? undefined : pattern.replaceAll('\\', '');
}

/** Whether a literal, at this place within a test's body, is looked for. */
function isLookedFor(literal: ts.Node, body: ts.Node): boolean {
  let isSought = false;
  for (let node = literal; node !== body && node.parent !== undefined; node = node.parent) {
    const { parent } = node;
    if (ts.isForOfStatement(parent) && parent.expression === node) isSought = true;
    if (ts.isCallExpression(parent)) {
      if (LOOKS.test(nameOf(parent.expression)) || rootOf(parent.expression) === 'expect') isSought = true;
      // What must not be there.
      if (/\.(not|toBeNull)\b/.test(parent.expression.getText())) return false;
    }
    if (ts.isPropertyAccessExpression(parent) && /^(not|toBeNull)$/.test(parent.name.text)) return false;
  }
  return isSought;
}

/** The tests of one file. */
export function testsOf(file: string, text: string): TestFound[] {
  const source = ts.createSourceFile(
    file,
    text,
    ts.ScriptTarget.ES2022,
    true,
    file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const found: TestFound[] = [];

  const literalsIn = (node: ts.Node, seen: Set<string>, counts: (literal: ts.Node) => boolean): void => {
    const literal = literalOf(node);
    if (literal !== undefined && counts(node)) seen.add(literal);
    node.forEachChild((child) => literalsIn(child, seen, counts));
  };

  const visit = (node: ts.Node, groups: readonly string[], tables: readonly ts.Node[]): void => {
    if (!ts.isCallExpression(node) || !GROUPS.has(rootOf(node.expression)) || node.arguments.length < 2) {
      node.forEachChild((child) => visit(child, groups, tables));
      return;
    }
    const [first, body] = node.arguments;
    const title = first && literalOf(first);
    if (title === undefined || body === undefined) return;
    // it.each(table)(title, body)
    const cases = ts.isCallExpression(node.expression) ? [...tables, ...node.expression.arguments] : tables;
    const path = [...groups, title];
    if (rootOf(node.expression) === 'describe') {
      if (cases.length > tables.length) {
        const seen = new Set<string>();
        for (const table of cases) literalsIn(table, seen, () => true);
        found.push({ file, title, path: path.join(' › '), seen, source: node.expression.getText() });
      }
      body.forEachChild((child) => visit(child, path, cases));
      return;
    }
    const seen = new Set<string>();
    literalsIn(body, seen, (literal) => isLookedFor(literal, body));
    for (const table of cases.slice(tables.length)) literalsIn(table, seen, () => true);
    found.push({ file, title, path: path.join(' › '), seen, source: node.getText() });
  };
  visit(source, [], []);
  return found;
}

/** Where words are looked for. */
const SCREENS = ['web/src', 'test/browser'];
const isOfScreens = (file: string): boolean => SCREENS.some((folder) => file.startsWith(`${folder}/`));

/**
 * Every test of the web app and of the browser, in an order that a new file elsewhere does not change; then
 * those of the server that a promise names.
 */
export function allTests(): TestFound[] {
  const screens = SCREENS.flatMap((folder) =>
    readdirSync(join(repositoryRoot(), folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(test|spec)\.tsx?$/.test(name))
      .sort()
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  );
  const named = SPECIFICATION.flatMap(({ promises }) => promises)
    .flatMap((promised) => ('by' in promised ? promised.by : []))
    .flatMap(({ file }) => (isOfScreens(file) ? [] : [file]));
  return [...screens, ...new Set(named)].flatMap((file) =>
    testsOf(file, readFileSync(join(repositoryRoot(), file), 'utf8')),
  );
}

/** Whether the words are in one of the literals as they stand. */
const sees = (test: TestFound, words: string): boolean => test.seen.has(words);

function witnessed(tests: readonly TestFound[], { file, test, marks }: Witness): TestFound | undefined {
  return tests.find(
    (each) => each.file === file && each.title === test && marks.every((mark) => each.source.includes(mark)),
  );
}

/**
 * The tests that see what is promised: the first that does, or all that are named. None where one is missing.
 */
export function sightingsOf(
  tests: readonly TestFound[],
  promised: SpecificationPromise,
): readonly TestFound[] {
  if ('by' in promised) {
    const all = promised.by.map((witness) => witnessed(tests, witness));
    return all.every((each) => each !== undefined) ? all : [];
  }
  const words =
    promised.kind === 'text'
      ? [promised.text]
      : [promised.title, ...(promised.sentence === undefined ? [] : [promised.sentence])];
  const { within } = promised;
  const counts = ({ file, path }: TestFound): boolean =>
    within === undefined
      ? isOfScreens(file)
      : file === within || `${file} › ${path}`.startsWith(`${within} › `);
  const found = tests.find((test) => counts(test) && words.every((each) => sees(test, each)));
  return found ? [found] : [];
}
