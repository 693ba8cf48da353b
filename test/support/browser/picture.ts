/**
 * PNGs as Chromium writes them, read and written again small: with a palette where they fit one. A screen of
 * flat colours with smooth edges needs no more than 256 of them, and is a third of the size.
 */
import { deflateSync, inflateSync } from 'node:zlib';

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, row by row. */
  readonly rgb: Buffer;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST_COLOURS = 256;
/** Nearer than this, squared over the three channels, two colours are one to the eye. */
const SAME_TO_THE_EYE = 40;

/**
 * Reads a PNG of 8 bits a channel or with a palette, not interlaced; what is see-through is seen on white.
 */
export function readPng(file: Buffer): Picture {
  if (!file.subarray(0, 8).equals(SIGNATURE)) throw new Error('This is no PNG.');
  let [width, height, channels] = [0, 0, 0];
  const packed: Buffer[] = [];
  let palette: Buffer | undefined;
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const data = file.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
      channels = data[9] === 6 ? 4 : data[9] === 2 ? 3 : data[9] === 3 ? 1 : 0;
      if (data[8] !== 8 || channels === 0 || data[12] !== 0)
        throw new Error('This PNG is of a kind that no browser writes.');
    }
    if (type === 'PLTE') palette = data;
    if (type === 'IDAT') packed.push(data);
    at += length + 12;
  }
  const lines = inflateSync(Buffer.concat(packed));
  const stride = width * channels;
  const bytes = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = lines[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x < channels ? 0 : bytes[at - channels]!;
      const up = y === 0 ? 0 : bytes[at - stride]!;
      const upLeft = x < channels || y === 0 ? 0 : bytes[at - stride - channels]!;
      const guess =
        filter === 1
          ? left
          : filter === 2
            ? up
            : filter === 3
              ? (left + up) >> 1
              : filter === 4
                ? paeth(left, up, upLeft)
                : 0;
      bytes[at] = lines[y * (stride + 1) + 1 + x]! + guess;
    }
  }
  const rgb = Buffer.alloc(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    if (palette) {
      palette.copy(rgb, pixel * 3, bytes[pixel]! * 3, bytes[pixel]! * 3 + 3);
      continue;
    }
    const opaque = channels === 3 ? 255 : bytes[pixel * 4 + 3]!;
    for (let c = 0; c < 3; c += 1)
      rgb[pixel * 3 + c] = Math.round((bytes[pixel * channels + c]! * opaque + 255 * (255 - opaque)) / 255);
  }
  return { width, height, rgb };
}

function paeth(left: number, up: number, upLeft: number): number {
  const [a, b, c] = [Math.abs(up - upLeft), Math.abs(left - upLeft), Math.abs(left + up - 2 * upLeft)];
  return a <= b && a <= c ? left : b <= c ? up : upLeft;
}

/**
 * Writes a PNG with a palette. Of more than 256 colours those that stand most often are kept, but no two of a
 * kind: a small lamp of a colour of its own is worth more than the twentieth grey of a letter's edge. The
 * others become the nearest of the kept.
 */
export function smallPng({ width, height, rgb }: Picture): Buffer {
  const counts = new Map<number, number>();
  const colourAt = (pixel: number): number => rgb.readUIntBE(pixel * 3, 3);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const colour = colourAt(pixel);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour);
  const kept = palette.length <= MOST_COLOURS ? palette : apart(palette);
  const indexOf = new Map(palette.map((colour) => [colour, nearest(kept, colour)]));
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) lines[y * (width + 1) + 1 + x] = indexOf.get(colourAt(y * width + x))!;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.alloc(kept.length * 3);
  kept.forEach((colour, index) => colours.writeUIntBE(colour, index * 3, 3));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** As many as a palette holds, in their order, each to be told from those before it. */
function apart(colours: readonly number[]): number[] {
  const kept: number[] = [];
  for (const colour of colours) {
    if (kept.length === MOST_COLOURS) break;
    if (kept.every((other) => distance(other, colour) >= SAME_TO_THE_EYE)) kept.push(colour);
  }
  return kept;
}

function nearest(colours: readonly number[], wanted: number): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [index, colour] of colours.entries()) {
    const away = distance(colour, wanted);
    if (away < least) [best, least] = [index, away];
    if (away === 0) break;
  }
  return best;
}

/** Squared, over red, green and blue. */
function distance(a: number, b: number): number {
  const [red, green, blue] = [
    (a >> 16) - (b >> 16),
    ((a >> 8) & 255) - ((b >> 8) & 255),
    (a & 255) - (b & 255),
  ];
  return red * red + green * green + blue * blue;
}

const CRC_TABLE = Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  let crc = 0xffffffff;
  for (const byte of body) crc = CRC_TABLE[(crc ^ byte) & 255]! ^ (crc >>> 8);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE((crc ^ 0xffffffff) >>> 0, body.length + 4);
  return framed;
}
