import { describe, expect, it } from '@jest/globals';
import { partsOf, RowHeights, RowLayout } from './row-layout.js';

const KEYS = ['a', 'b', 'c', 'd', 'e'];
/** Ten pixels each, `c` thirty. */
const layout = new RowLayout(KEYS, new Map([['c', 30]]), () => 10);
const drawn = (from: number, to: number, focused = -1): string =>
  partsOf(layout, from, to, focused)
    .map((part) => (part.kind === 'row' ? KEYS[part.index] : part.heightPx))
    .join(' ');

describe('the rows of a long list', () => {
  it('stand below each other, measured or as estimated', () => {
    expect([0, 1, 2, 3, 4, 5].map((index) => layout.offsetOf(index))).toEqual([0, 10, 20, 50, 60, 70]);
    expect([-5, 0, 9, 10, 49, 50, 69, 999].map((px) => layout.indexAt(px))).toEqual([0, 0, 0, 1, 2, 3, 4, 4]);
    expect(new RowLayout([], new Map(), () => 10).indexAt(0)).toBe(-1);
  });

  it('stand where they did until another height is measured, or the list is another', () => {
    const heights = new RowHeights();
    const ten = (): number => 10;
    const first = heights.layoutOf(KEYS, ten);
    heights.note('b', 20);
    expect(heights.layoutOf(KEYS, ten).offsetOf(5)).toBe(60);
    const second = heights.layoutOf(KEYS, ten);
    heights.note('b', 20);
    expect(heights.layoutOf(KEYS, ten)).toBe(second);
    expect(heights.layoutOf(['b', 'a'], ten).offsetOf(1)).toBe(20);
    heights.forget();
    expect(heights.layoutOf(KEYS, ten).offsetOf(5)).toBe(first.offsetOf(5));
  });

  it('that are drawn have room for the others around them, so that the list keeps its height', () => {
    expect(drawn(0, 4)).toBe('a b c d e');
    expect(drawn(1, 2)).toBe('10 b c 20');
    expect(drawn(0, 9)).toBe('a b c d e');
  });

  it('are drawn wherever the focus is', () => {
    expect(drawn(3, 4, 1)).toBe('10 b 30 d e');
    expect(drawn(0, 1, 4)).toBe('a b 40 e');
    expect(drawn(1, 2, 2)).toBe('10 b c 20');
  });
});
