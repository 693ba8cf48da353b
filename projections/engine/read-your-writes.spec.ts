/** What a projector announces, and what anybody else who may sign in to the database puts in its place. */
import { describe, expect, it } from '@jest/globals';
import { START } from '#contracts/log';
import { announcedBy } from './read-your-writes.js';

describe('a notice on the projectors’ channel', () => {
  it('announces the position that it names', () =>
    expect(announcedBy('4711/4710')).toEqual({ commit: 4711n, prepare: 4710n }));

  it.each([undefined, '', 'x', '1', '1/', '1/x', '-1/-1', `${'9'.repeat(400)}/1`])(
    'announces nothing as %s',
    (said) => expect(announcedBy(said)).toEqual(START),
  );
});
