import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { page, ShortListQuery } from './lists.js';

const PagedQuery = z.object(page());

describe.each([
  ['a list in pages', PagedQuery],
  ['a short list', ShortListQuery],
])('the limit of %s', (_which, query) => {
  it.each(['1', '007', '1000'])('is %s, in digits', (limit) =>
    expect(query.parse({ limit }).limit).toBe(Number(limit)),
  );
  it.each(['0x10', '1e2', '0b11', '1.0', '+5', ' 5', '', '0', '1001', '-1', 'ten', ['5'], ['5', '6'], null])(
    'is not %j',
    (limit) => {
      const { error } = query.safeParse({ limit });
      expect(error?.issues.map(({ message }) => message)).toEqual([
        'The limit is a whole number from 1 to 1000.',
      ]);
    },
  );
});

it('a list in pages has 1000 lines where no limit is asked for, and a short list all of them', () => {
  expect(PagedQuery.parse({})).toEqual({ limit: 1000 });
  expect(ShortListQuery.parse({})).toEqual({});
});
