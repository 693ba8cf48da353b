/** Posters, table cards and stickers: of the right size, and with a code that any camera reads. */
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import QRCode from 'qrcode';
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

/** The squares of the largest code on the sheet: all rectangles of the size that most of them have. */
function squaresIn(file: Buffer): { x: number; y: number; side: number }[] {
  const text = file.toString('latin1');
  const drawn = [...text.matchAll(/stream\r?\n/g)].flatMap((match) => {
    const start = match.index + match[0].length;
    try {
      return [inflateSync(file.subarray(start, text.indexOf('endstream', start))).toString('latin1')];
    } catch {
      return [];
    }
  });
  const rectangles = [...drawn.join('\n').matchAll(/([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re/g)].map(
    ([, x, y, width, height]) => ({
      x: Number(x),
      y: Number(y),
      side: Number(width),
      height: Number(height),
    }),
  );
  return rectangles.filter(({ side, height }) => side === height && side < 40);
}

describe('a print', () => {
  it.each(['poster', 'table-card'] as const)('shows the page’s address to a camera: %s', async (kind) => {
    const squares = squaresIn(await printed({ ...WANTED, kind }));
    const { size, data } = QRCode.create(WANTED.address, { errorCorrectionLevel: 'M' }).modules;
    const [left, top] = [Math.min(...squares.map(({ x }) => x)), Math.min(...squares.map(({ y }) => y))];
    const module = squares[0]!.side / 1.02;
    const dark = new Set(
      squares.map(({ x, y }) => Math.round((y - top) / module) * size + Math.round((x - left) / module)),
    );
    const wanted = [...data].flatMap((bit, place) => (bit === 1 ? [place] : []));
    expect([...dark].sort((a, b) => a - b)).toEqual(wanted);
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
