import { describe, expect, it } from '@jest/globals';
import { pageOfWhole } from './lists.js';

const whole = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }));
const page = (query: { limit?: number; cursor?: string }) => {
  const { lines, next } = pageOfWhole(whole, query);
  return [lines.map(({ id }) => id).join(''), next];
};

describe('a list that is read whole', () => {
  it('is answered whole when nothing is asked', () => {
    expect(page({})).toEqual(['abcde', undefined]);
    expect(pageOfWhole([], {})).toEqual({ lines: [], next: undefined });
  });
  it('is walked page by page, each line once', () => {
    expect(page({ limit: 2 })).toEqual(['ab', 'b']);
    expect(page({ limit: 2, cursor: 'b' })).toEqual(['cd', 'd']);
    expect(page({ limit: 2, cursor: 'd' })).toEqual(['e', undefined]);
    expect(page({ limit: 5 })).toEqual(['abcde', undefined]);
    expect(page({ cursor: 'e' })).toEqual(['', undefined]);
  });
  it('is not begun anywhere when the line of the cursor has gone', () =>
    expect(() => page({ cursor: 'x' })).toThrow('The cursor names nothing in this list now.'));
});
