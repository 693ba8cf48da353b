/** The code on a printed sheet: what a camera sees of it, read back from the PDF itself. */
import { inflateSync } from 'node:zlib';
import {
  BinaryBitmap,
  DecodeHintType,
  HybridBinarizer,
  QRCodeReader,
  RGBLuminanceSource,
} from '@zxing/library';
import type { Picture } from './browser/picture.js';

interface Square {
  readonly x: number;
  readonly y: number;
  readonly side: number;
}

/** The prints draw each square a little over its edge. */
const OVERLAP = 1.02;
const PIXELS_PER_MODULE = 8;
const QUIET_MODULES = 4;

/** The squares of the code on a sheet, in points. */
export function squaresIn(file: Buffer): readonly Square[] {
  const text = file.toString('latin1');
  const drawn = [...text.matchAll(/stream\r?\n/g)].flatMap((match) => {
    const start = match.index + match[0].length;
    try {
      return [inflateSync(file.subarray(start, text.indexOf('endstream', start))).toString('latin1')];
    } catch {
      return [];
    }
  });
  return [...drawn.join('\n').matchAll(/([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re/g)]
    .map(([, x, y, width, height]) => ({
      x: Number(x),
      y: Number(y),
      side: Number(width),
      height: Number(height),
    }))
    .filter(({ side, height }) => side === height && side < 40);
}

/** The code as a picture, with the white around it. Throws where the sheet has none. */
export function codeOn(file: Buffer): Picture {
  const squares = squaresIn(file);
  const [first] = squares;
  if (first === undefined) throw new Error('There is no code on this sheet.');
  const module = first.side / OVERLAP;
  const [left, top] = [Math.min(...squares.map(({ x }) => x)), Math.min(...squares.map(({ y }) => y))];
  const right = Math.max(...squares.map(({ x }) => x));
  const modules = Math.round((right - left) / module) + 1 + 2 * QUIET_MODULES;
  const size = modules * PIXELS_PER_MODULE;
  const rgb = Buffer.alloc(size * size * 3, 255);
  for (const { x, y } of squares) {
    const column = (Math.round((x - left) / module) + QUIET_MODULES) * PIXELS_PER_MODULE;
    const row = (Math.round((y - top) / module) + QUIET_MODULES) * PIXELS_PER_MODULE;
    for (let line = row; line < row + PIXELS_PER_MODULE; line += 1)
      rgb.fill(0, (line * size + column) * 3, (line * size + column + PIXELS_PER_MODULE) * 3);
  }
  return { width: size, height: size, rgb };
}

/** What a reader that had no part in writing the code finds in the picture. Throws where it finds nothing. */
export function readCode({ width, height, rgb }: Picture): string {
  const grey = new Uint8ClampedArray(width * height);
  for (let at = 0; at < grey.length; at += 1)
    grey[at] = (rgb[at * 3]! + rgb[at * 3 + 1]! + rgb[at * 3 + 2]!) / 3;
  const source = new RGBLuminanceSource(grey, width, height);
  // Nothing is around the code: looking for its corners, the reader would miss those of one in fifteen.
  const hints = new Map([[DecodeHintType.PURE_BARCODE, true]]);
  return new QRCodeReader().decode(new BinaryBitmap(new HybridBinarizer(source)), hints).getText();
}
