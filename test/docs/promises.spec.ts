/**
 * Each word, toast, delay and limit of the specification has a test that sees it; and what counts as seeing
 * is told apart here.
 */
import { describe, expect, it } from '@jest/globals';
import { SPECIFICATION, type SpecificationPromise } from './promises.js';
import { allTests, sightingsOf, testsOf } from './sightings.js';

const nameOf = (promised: SpecificationPromise): string =>
  'by' in promised
    ? promised.what
    : promised.kind === 'text'
      ? promised.text
      : `${promised.title}: ${promised.sentence ?? ''}`;

describe('the specification', () => {
  it('promises nothing that no test sees', () => {
    const tests = allTests();
    expect(tests.length).toBeGreaterThan(200);
    const missing = SPECIFICATION.flatMap(({ title, promises }) =>
      promises
        .filter((promised) => sightingsOf(tests, promised).length === 0)
        .map((promised) => `${title}: ${nameOf(promised)}`),
    );
    expect(missing).toEqual([]);
  });

  it('is written down once', () => {
    for (const { title, promises } of SPECIFICATION) {
      const names = promises.map(
        (promised) => `${promised.kind} ${nameOf(promised)} ${'where' in promised ? promised.where : ''}`,
      );
      expect([title, names.filter((name, index) => names.indexOf(name) !== index)]).toEqual([title, []]);
    }
  });
});

describe('a text that is looked for within a group', () => {
  const tests = testsOf(
    'web/src/some.test.tsx',
    `describe('the form', () => { it('does', () => { expect(screen.getByText('Words')).toBeVisible(); }); });
     describe('a tip', () => { it('says', () => { expect(screen.getByText('Other words')).toBeVisible(); }); });`,
  );
  it.each([
    ['Words', 'web/src/some.test.tsx › the form', ['does']],
    ['Words', 'web/src/some.test.tsx', ['does']],
    ['Words', 'web/src/some.test.tsx › a tip', []],
    ['Other words', 'web/src/some.test.tsx › a tip', ['says']],
    ['Words', 'web/src/some', []],
  ])('is seen by its tests alone: “%s” in %s', (text, within, titles) =>
    expect(sightingsOf(tests, { kind: 'text', text, within }).map(({ title }) => title)).toEqual(titles),
  );
});

describe('a text is seen by a test', () => {
  const seenIn = (body: string): string[] =>
    testsOf(
      'web/src/some.test.tsx',
      `describe('some', () => { it('does', async () => { ${body} }); });`,
    ).flatMap(({ seen }) => [...seen]);

  it.each([
    ["expect(screen.getByText('Words')).toBeVisible();"],
    ["await person.click(screen.getByRole('button', { name: 'Words' }));"],
    ["expect(screen.getByRole('link', { name: /^Words$/ })).toHaveAttribute('href', '/');"],
    ["for (const words of ['Words']) expect(screen.getByText(words)).toBeVisible();"],
    ["await toast('Words');"],
  ])('that looks for it: %s', (body) => expect(seenIn(body)).toContain('Words'));

  it.each([
    ["answering({ 'POST /api/payouts': refusal(422, 'Words') });"],
    ["expect(screen.queryByText('Words')).toBeNull();"],
    ["expect(screen.queryByText('Words')).not.toBeInTheDocument();"],
    ["const words = 'Words';"],
    ["// getByText('Words')"],
    ["expect(screen.getByText('Words and more')).toBeVisible();"],
  ])('and not by one that does not: %s', (body) => expect(seenIn(body)).not.toContain('Words'));

  it('that has it among its cases, or in those of its group', () => {
    const [inTable] = testsOf('a.test.ts', "it.each([['Words']])('%s', (words) => expect(words).toBe('x'));");
    expect(inTable?.seen).toContain('Words');
    const ofGroup = testsOf(
      'a.test.ts',
      "describe.each([{ words: 'Words' }])('$words', ({ words }) => { it('is', () => expect(words).toBe('x')); });",
    );
    expect(ofGroup.map(({ path, seen }) => [path, seen.has('Words')])).toEqual([
      ['$words', true],
      ['$words › is', false],
    ]);
  });
});
