import { deflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { drawn } from './picture-drawing.js';

const REFUSED = { answer: { status: 400 } };
const red = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#c02030' } });

interface Png {
  readonly width: number;
  readonly height: number;
  /** Of one channel: 1 for black and white. */
  readonly bits: number;
  /** 0 is grey, 2 is colours, 6 is colours that let others through. */
  readonly kind: number;
  /** Written in passes over the whole picture, and not row by row. */
  readonly isInterlaced?: boolean;
  /** The rows, each behind a byte that says how it is written. */
  readonly rows: Buffer;
}

function png({ width, height, bits, kind, isInterlaced = false, rows }: Png): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const body = Buffer.concat([Buffer.from(type), data]);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bits, kind, 0, 0, isInterlaced ? 1 : 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
/** A PNG that says it is so large, in a hundred bytes. */
const bomb = (width: number, height: number): Buffer =>
  png({ width, height, bits: 8, kind: 2, rows: Buffer.alloc(1_000) });
/** A black square in a few kilobytes, whole. */
const black = (side: number): Buffer =>
  png({ width: side, height: side, bits: 1, kind: 0, rows: Buffer.alloc((1 + Math.ceil(side / 8)) * side) });
function crc(bytes: Buffer): number {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ~sum >>> 0;
}

describe('a picture that was uploaded', () => {
  it('is drawn anew: square, small, and without what the camera wrote into it', async () => {
    const photo = await red(1200, 800)
      .withExif({ IFD0: { Copyright: 'Juno Valastro' }, IFD3: { GPSLatitude: '52/1 31/1 0/1' } })
      .jpeg()
      .toBuffer();
    expect((await sharp(photo).metadata()).exif).toBeDefined();
    const { bytes, hash } = await drawn(photo);
    const { format, width, height, exif, xmp, icc, iptc } = await sharp(bytes).metadata();
    expect({ format, width, height, exif, xmp, icc, iptc }).toEqual({
      format: 'webp',
      width: 384,
      height: 384,
    });
    expect(bytes.includes('Juno Valastro')).toBe(false);
    expect(hash).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('stands as the camera was held', async () => {
    const [left, right] = await Promise.all([red(400, 800).png().toBuffer(), blue(400, 800)]);
    const lying = await sharp({ create: { width: 800, height: 800, channels: 3, background: '#000000' } })
      .composite([
        { input: left, left: 0, top: 0 },
        { input: right, left: 400, top: 0 },
      ])
      // Held upright: what is on the left of the file is on top of the picture.
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 95 })
      .toBuffer();
    const { data } = await sharp((await drawn(lying)).bytes)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const at = (x: number, y: number) => [...data.subarray((y * 384 + x) * 3, (y * 384 + x) * 3 + 3)];
    expect(at(192, 20)[0]).toBeGreaterThan(150);
    expect(at(192, 360)[2]).toBeGreaterThan(150);
  });

  it('takes nothing along that stood behind it in the file', async () => {
    const photo = Buffer.concat([
      await red(50, 50).png().toBuffer(),
      Buffer.from('<script>alert(1)</script>'),
    ]);
    expect((await drawn(photo)).bytes.includes('script')).toBe(false);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
    [
      'an SVG',
      Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>',
      ),
    ],
    ['a PDF', Buffer.from('%PDF-1.7\n1 0 obj')],
    ['half of a PNG', bomb(10, 10).subarray(0, 40)],
    ['a PNG that unfolds into 2.5 billion pixels', bomb(50_000, 50_000)],
    ['a PNG that is 60 million pixels', bomb(10_000, 6_000)],
  ])('is refused where it is %s', async (_, bytes) => expect(drawn(bytes)).rejects.toMatchObject(REFUSED));

  it('is refused where it would unfold into more than 50 million pixels, though it is a whole picture', async () => {
    await expect(drawn(black(7_000))).resolves.toMatchObject({ hash: expect.any(String) });
    await expect(drawn(black(7_100))).rejects.toMatchObject(REFUSED);
  });

  it('is refused where all of it must be in memory at once, and that is too much', async () => {
    const interlaced = (side: number): Buffer => {
      // Each of the seven passes has rows of its own, and a byte before each.
      const rows = Buffer.alloc(side * (8 * side + 3));
      return png({ width: side, height: side, bits: 16, kind: 6, isInterlaced: true, rows });
    };
    await expect(drawn(interlaced(4_100))).rejects.toMatchObject(REFUSED);
    await expect(drawn(interlaced(1_000))).resolves.toMatchObject({ hash: expect.any(String) });
  });

  it.each(['gif', 'tiff'] as const)('is refused where it is of a kind that no photo is: %s', async (kind) =>
    expect(drawn(await red(20, 20).toFormat(kind).toBuffer())).rejects.toMatchObject(REFUSED),
  );
});

const blue = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#2030c0' } })
    .png()
    .toBuffer();
