/**
 * Makes a picture of ours out of what somebody uploaded: decoded and drawn anew, square and small. Nothing of
 * the file goes on: neither what a camera wrote into it, such as the place, nor bytes that mean something
 * else elsewhere.
 */
import { createHash } from 'node:crypto';
import sharp, { type Metadata } from 'sharp';
import { Refusal } from '#edge/refusal';

export const PICTURE_TYPE = 'image/webp';
const SIDE = 384;
/** What a phone's camera takes; a small file that unfolds into more is not unfolded. */
const MOST_PIXELS = 50_000_000;
/** One that cannot be read row by row is unfolded whole, and no more than this of it. */
const MOST_HELD_BYTES = 128 * 2 ** 20;
const DRAWN_WITHIN_SECONDS = 10;
/** One is drawn at a time: the threads for it are those that Node opens files with. */
const MOST_WAITING = 8;

// No format but these three is even looked at: not SVG, which names other files, nor what nobody's camera
// makes.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
});
sharp.concurrency(1);
sharp.cache(false);

const NO_PICTURE =
  'This file is no picture that can be shown. Choose a photo as JPEG, PNG or WebP and try again.';

export interface DrawnPicture {
  readonly bytes: Buffer;
  /** Of the bytes: the name under which a browser keeps it for good. */
  readonly hash: string;
}

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/** Throws a {@link Refusal}: 400 for what is no picture or too large to unfold, 503 while many wait. */
export function drawn(uploaded: Buffer): Promise<DrawnPicture> {
  if (waiting >= MOST_WAITING)
    throw new Refusal(503, 'Many pictures are being made right now. Please try again in a moment.');
  waiting += 1;
  const mine = last.then(() => draw(uploaded)).finally(() => (waiting -= 1));
  last = mine.catch(() => undefined);
  return mine;
}

/** What of a picture is in memory at once; of one that is read row by row, next to nothing. */
function heldBytes({ format, width, height, channels, depth, isProgressive }: Metadata): number {
  if (!isProgressive && format !== 'webp') return 0;
  // A progressive JPEG is held as its coefficients, of two bytes each.
  const bytes = depth === 'ushort' || format === 'jpeg' ? 2 : 1;
  return width * height * channels * bytes;
}

async function draw(uploaded: Buffer): Promise<DrawnPicture> {
  try {
    const picture = sharp(uploaded, { limitInputPixels: MOST_PIXELS, failOn: 'error', pages: 1 });
    if (heldBytes(await picture.metadata()) > MOST_HELD_BYTES)
      throw new RangeError('All of it would be in memory at once.');
    const bytes = await picture
      // As the camera was held, which is written beside the picture and goes with the rest.
      .autoOrient()
      .resize(SIDE, SIDE, { fit: 'cover' })
      .flatten({ background: '#ffffff' })
      .webp({ quality: 82 })
      .timeout({ seconds: DRAWN_WITHIN_SECONDS })
      .toBuffer();
    return { bytes, hash: createHash('sha256').update(bytes).digest('base64url') };
  } catch (error) {
    throw Object.assign(new Refusal(400, NO_PICTURE), { cause: error });
  }
}
