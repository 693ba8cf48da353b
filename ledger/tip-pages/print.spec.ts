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

  it('embeds its font: a print shop does not have it', async () => {
    for (const kind of ['poster', 'table-card', 'stickers'] as const) {
      const file = (await printed({ ...WANTED, kind })).toString('latin1');
      expect(file).toMatch(/\/BaseFont \/[A-Z]{6}\+Archivo/);
      expect(file).not.toContain('Helvetica');
    }
  });

  const named = (name: string) => printed({ ...WANTED, name, shortName: name });
  it('has the name of whoever writes it with letters of Central Europe', async () =>
    expect(await named('Dvořák')).not.toEqual(await named('@junoplays')));

  it('has the handle instead of a name that its font cannot write', async () =>
    expect(await named('鈴木')).toEqual(await named('@junoplays')));
});
