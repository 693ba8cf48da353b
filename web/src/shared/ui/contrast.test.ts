// Whether words can be told from the ground that they stand on, in both schemes: axe looks at each state of a
// screen in one of them.
import { describe, expect, it } from '@jest/globals';
import { COLOURS } from './theme.js';

/** WCAG 2.2 AA for text of any size. */
const LEAST = 4.5;
/** For borders of fields and the ring of the focus. */
const LEAST_OF_SHAPES = 3;

const channel = (value: number): number =>
  value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    channel(Number.parseInt(hex.slice(at, at + 2), 16) / 255),
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

type Palette = (typeof COLOURS)['light'];
type Pairs = Record<string, readonly [string, string]>;

const STATES = ['success', 'info', 'error', 'warning'] as const;

/** Every pair of words and ground, by name. */
function wordsOn(palette: Palette): Pairs {
  const { text, background, sunken, primary, fill, stage, tungsten, toast, tint, lit } = palette;
  const grounds = { default: background.default, paper: background.paper, sunken };
  const pairs: Record<string, readonly [string, string]> = {};
  for (const [ground, colour] of Object.entries(grounds))
    for (const [words, tone] of Object.entries({ ...text, accent: primary.main }))
      pairs[`${words} on ${ground}`] = [tone, colour];
  for (const state of STATES) {
    pairs[`${state} on paper`] = [palette[state].main, background.paper];
    pairs[`${state} on default`] = [palette[state].main, background.default];
    pairs[`${state} on its tint`] = [palette[state].main, tint[state]];
    pairs[`on ${state}`] = [palette[state].contrastText, palette[state].main];
  }
  pairs['accent on its tint'] = [primary.main, tint.primary];
  pairs['on the accent'] = [primary.contrastText, primary.main];
  pairs['text on lit'] = [text.primary, lit.main];
  for (const shade of ['main', 'hover'] as const) pairs[`on fill ${shade}`] = [fill.on, fill[shade]];
  for (const shade of ['main', 'beam', 'pool'] as const) {
    pairs[`on stage ${shade}`] = [stage.on, stage[shade]];
    pairs[`second on stage ${shade}`] = [stage.on2, stage[shade]];
  }
  for (const shade of ['main', 'hover', 'pressed'] as const)
    pairs[`on tungsten ${shade}`] = [tungsten.on, tungsten[shade]];
  for (const words of ['text', 'text2', 'error', 'success'] as const)
    pairs[`${words} on a toast`] = [toast[words], toast.main];
  return pairs;
}

const shapesOn = ({ control, focus, background }: Palette): Pairs => ({
  'the border of a field on paper': [control, background.paper],
  'the border of a field on the page': [control, background.default],
  'the focus on paper': [focus, background.paper],
  'the focus on the page': [focus, background.default],
});

/** What is too near to each other, with how near. */
const tooNear = (pairs: Pairs, least: number): string[] =>
  Object.entries(pairs)
    .map(([name, [one, other]]) => ({ name, ratio: contrast(one, other) }))
    .filter(({ ratio }) => ratio < least)
    .map(({ name, ratio }) => `${name}: ${ratio.toFixed(2)}`);

describe.each(['light', 'dark'] as const)('in the %s', (scheme) => {
  it('every tone of words can be read on every ground that it stands on', () => {
    expect(tooNear(wordsOn(COLOURS[scheme]), LEAST)).toEqual([]);
  });

  it('a field and the focus can be seen', () => {
    expect(tooNear(shapesOn(COLOURS[scheme]), LEAST_OF_SHAPES)).toEqual([]);
  });
});

describe('the measure', () => {
  it('is that of WCAG: 21 for black on white, and too little is named', () => {
    expect(contrast('#000000', '#FFFFFF')).toBeCloseTo(21, 5);
    // The lightest grey that may stand on white, and the one after it.
    expect(tooNear({ grey: ['#767676', '#FFFFFF'] }, LEAST)).toEqual([]);
    expect(tooNear({ grey: ['#777777', '#FFFFFF'] }, LEAST)).toEqual(['grey: 4.48']);
  });
});
