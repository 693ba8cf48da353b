/**
 * The pictures of a pass: the sign of the house, the end-repeat of a score, drawn here as PNG in the sizes
 * that phones want.
 */
import { deflateSync } from 'node:zlib';

type Colour = readonly [red: number, green: number, blue: number, alpha: number];
/** Whether a point is inside; coordinates are those of the shape's drawing. */
type Shape = (x: number, y: number) => boolean;
interface Drawing {
  /** Its width and height in its own units. */
  readonly side: number;
  /** Bottom first. */
  readonly shapes: readonly (readonly [Shape, Colour])[];
}

const CREAM: Colour = [0xff, 0xf4, 0xe0, 255];
const TUNGSTEN: Colour = [0xff, 0xbe, 0x3d, 255];
const VELVET: Colour = [0x4a, 0x0d, 0x20, 255];
const BEAM: Colour = [0x59, 0x12, 0x28, 255];
const POOL: Colour = [0x69, 0x18, 0x32, 255];
const CLEAR: Colour = [0, 0, 0, 0];

const everywhere: Shape = () => true;
const ellipse =
  (cx: number, cy: number, rx: number, ry = rx): Shape =>
  (x, y) =>
    ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 <= 1;
const bar =
  (left: number, top: number, width: number, height: number, radius: number): Shape =>
  (x, y) => {
    const dx = Math.max(left + radius - x, x - (left + width - radius), 0);
    const dy = Math.max(top + radius - y, y - (top + height - radius), 0);
    return dx ** 2 + dy ** 2 <= radius ** 2;
  };
/** A convex outline, clockwise. */
const outline =
  (...points: readonly (readonly [number, number])[]): Shape =>
  (x, y) =>
    points.every(([ax, ay], n) => {
      const [bx, by] = points[(n + 1) % points.length]!;
      return (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0;
    });
/** A shape in a drawing of another scale. */
const placed =
  (shape: Shape, left: number, top: number, scale: number): Shape =>
  (x, y) =>
    shape((x - left) / scale, (y - top) / scale);

/** Two dots, a thin bar, a thick bar: "go back, play it again". On a grid of 24. */
const SIGN: readonly (readonly [Shape, Colour])[] = [
  [ellipse(4.4, 8.6, 2.4), TUNGSTEN],
  [ellipse(4.4, 15.4, 2.4), TUNGSTEN],
  [bar(9.6, 2, 2.4, 20, 0.6), CREAM],
  [bar(15, 2, 6.6, 20, 1), CREAM],
];
const LOGO: Drawing = { side: 24, shapes: SIGN };
const ICON: Drawing = {
  side: 512,
  shapes: [
    [everywhere, VELVET],
    [outline([432, -60], [504, -60], [420, 384], [20, 384]), BEAM],
    [ellipse(220, 384, 212, 56), POOL],
    ...SIGN.map(([shape, colour]) => [placed(shape, 112.5, 108.4, 12.3), colour] as const),
  ],
};

/** Points looked at for each pixel, along one side: edges come out smooth. */
const SAMPLES = 4;

function pixels({ side, shapes }: Drawing, size: number): Buffer {
  const rows = Buffer.alloc(size * (1 + size * 4));
  for (let row = 0; row < size; row += 1)
    for (let column = 0; column < size; column += 1) {
      const sum = [0, 0, 0, 0];
      for (let n = 0; n < SAMPLES ** 2; n += 1) {
        const x = ((column + ((n % SAMPLES) + 0.5) / SAMPLES) / size) * side;
        const y = ((row + (Math.floor(n / SAMPLES) + 0.5) / SAMPLES) / size) * side;
        const [red, green, blue, alpha] = shapes.findLast(([shape]) => shape(x, y))?.[1] ?? CLEAR;
        // Clear points have no colour to mix in.
        sum[0]! += red * alpha;
        sum[1]! += green * alpha;
        sum[2]! += blue * alpha;
        sum[3]! += alpha;
      }
      const [red = 0, green = 0, blue = 0, alpha = 0] = sum;
      const part = (value: number): number => (alpha === 0 ? 0 : Math.round(value / alpha));
      // Each row begins with its filter: none.
      rows.set(
        [part(red), part(green), part(blue), Math.round(alpha / SAMPLES ** 2)],
        row * (1 + size * 4) + 1 + column * 4,
      );
    }
  return rows;
}

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const crc = named.reduce((sum, byte) => CRC[(sum ^ byte) & 0xff]! ^ (sum >>> 8), 0xffffffff) ^ 0xffffffff;
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(data.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc >>> 0, named.length + 4);
  return whole;
}

function png(drawing: Drawing, size: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits each of red, green, blue and alpha.
  header.set([8, 6, 0, 0, 0], 8);
  const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(pixels(drawing, size), { level: 9 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The files of a pass, by name: what the lock screen shows, and what stands at its top. */
export const passImages = (): Readonly<Record<string, Buffer>> => ({
  'icon.png': png(ICON, 29),
  'icon@2x.png': png(ICON, 58),
  'icon@3x.png': png(ICON, 87),
  'logo.png': png(LOGO, 50),
  'logo@2x.png': png(LOGO, 100),
  'logo@3x.png': png(LOGO, 150),
});
