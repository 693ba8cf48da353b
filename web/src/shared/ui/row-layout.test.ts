import { describe, expect, it } from '@jest/globals';
import {
  addedTo,
  DrawingPace,
  nextSpan,
  partsOf,
  RowHeights,
  RowLayout,
  type RowSpan,
} from './row-layout.js';

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

describe('the rows that are drawn next', () => {
  const span = (from: number, to: number): RowSpan => ({ from, to });
  const near = span(40, 89);
  const seen = span(60, 71);

  it('are those of the window first, from the rows that are drawn on', () => {
    expect(nextSpan(span(50, 65), seen, near, 12)).toEqual(span(50, 71));
    expect(nextSpan(span(50, 65), seen, near, 4)).toEqual(span(50, 69));
    expect(nextSpan(span(70, 80), seen, near, 4)).toEqual(span(66, 80));
    expect(nextSpan(span(50, 59), seen, near, 4)).toEqual(span(50, 63));
  });

  it('are those of the window alone, where it was moved away from all that are drawn', () => {
    expect(nextSpan(span(0, 12), seen, near, 24)).toEqual(seen);
    expect(nextSpan(span(0, 12), seen, near, 4)).toEqual(span(60, 63));
    expect(nextSpan(span(120, 140), seen, near, 4)).toEqual(span(60, 63));
    expect(nextSpan(span(0, -1), seen, near, 24)).toEqual(seen);
  });

  it('are a few more each time, first where fewer are drawn ahead, until all around the window are', () => {
    const steps: string[] = [];
    for (let drawn = seen; ;) {
      const next = nextSpan(drawn, seen, near, 12);
      if (next.from === drawn.from && next.to === drawn.to) break;
      steps.push(`${next.from}-${next.to}`);
      drawn = next;
    }
    expect(steps).toEqual(['60-83', '48-83', '48-89', '40-89']);
  });

  it('leave out those that are far from the window now', () => {
    expect(nextSpan(span(0, 80), seen, near, 12)).toEqual(span(40, 89));
    expect(nextSpan(span(50, 200), seen, near, 12)).toEqual(span(40, 89));
  });

  it('are never more than a step beyond what was drawn, and in the end all around the window, from wherever', () => {
    for (let from = 0; from <= 130; from += 7)
      for (let to = from - 1; to < 140; to += 7) {
        let drawn = span(from, to);
        for (let steps = 0; ; steps += 1) {
          const next = nextSpan(drawn, seen, near, 5);
          expect(addedTo(drawn, next)).toBeLessThanOrEqual(5);
          if (next.from === drawn.from && next.to === drawn.to) break;
          expect(steps).toBeLessThan(50);
          drawn = next;
        }
        expect(drawn).toEqual(near);
      }
  });

  it('are as many as a frame has time for, by how long the last ones took', () => {
    const pace = new DrawingPace();
    const afterTen = (rows: number, tookMs: number): number => {
      for (let n = 0; n < 10; n += 1) pace.note(rows, tookMs);
      return pace.step;
    };
    expect(afterTen(12, 3)).toBe(24);
    expect(afterTen(12, 48)).toBe(6);
    expect(afterTen(12, 400)).toBe(2);
    // One row takes its frame's own time as well, and says nothing of many.
    expect(afterTen(1, 1)).toBe(2);
    expect(afterTen(4, 19)).toBe(5);
  });
});
