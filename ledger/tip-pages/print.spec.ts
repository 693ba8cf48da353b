/** Posters, table cards and stickers: of the right size, and with a code that any camera reads. */
import { describe, expect, it } from '@jest/globals';
import { codeOn, readCode } from '#test/support/printed-code';
import { printed, type Printed } from './print.js';

const WANTED: Printed = {
  kind: 'poster',
  paper: 'a4',
  name: 'Juno Valastro',
  shortName: 'Juno',
  line: 'plays the piano',
  handle: 'junoplays',
  address: 'https://encore.example/@junoplays',
};

describe('a print', () => {
  it.each(['poster', 'table-card'] as const)('shows the page’s address to a camera: %s', async (kind) => {
    expect(readCode(codeOn(await printed({ ...WANTED, kind })))).toBe(WANTED.address);
  });

  it.each([
    ['a4', '595.28 841.89'],
    ['letter', '612 792'],
    ['a6', '297.64 419.53'],
  ] as const)('fills one sheet of %s', async (paper, box) => {
    for (const kind of ['poster', 'table-card', 'stickers'] as const) {
      const file = (await printed({ ...WANTED, kind, paper })).toString('latin1');
      expect(file.startsWith('%PDF-')).toBe(true);
      expect(file).toContain(`/MediaBox [0 0 ${box}]`);
      expect(file.match(/\/Type \/Page\b/g)).toHaveLength(1);
    }
  });

  it('is the same file for the same page', async () => {
    expect(await printed(WANTED)).toEqual(await printed(WANTED));
  });

  it('of a name that its fonts cannot write has the handle instead', async () => {
    const file = await printed({ ...WANTED, name: '鈴木', shortName: '鈴木' });
    expect(file.length).toBeGreaterThan(1_000);
  });
});
