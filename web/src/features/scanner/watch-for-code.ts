/** Looks for a QR code in a running video. */
import { BrowserQRCodeReader } from '@zxing/browser';

/** Time between two looks: feels immediate, and a slow phone keeps up. */
const LOOK_EVERY_MS = 150;

/**
 * The reader takes parts of one code in fifteen for its corners and finds nothing, however still and sharp it
 * is held. Which codes these are depends on the size and on which side is up: each look takes the next of
 * these, and in 800 codes none was hidden from all of them.
 */
const LOOKS = [
  { scale: 1, isOnItsSide: false },
  { scale: 0.5, isOnItsSide: false },
  { scale: 1, isOnItsSide: true },
  { scale: 0.5, isOnItsSide: true },
  { scale: 0.35, isOnItsSide: false },
] as const;

/** Returns a function that stops it. */
export function watchForCode(video: HTMLVideoElement, onText: (text: string) => void): () => void {
  const reader = new BrowserQRCodeReader();
  const canvas = document.createElement('canvas');
  let looks = 0;
  let timer: ReturnType<typeof setTimeout>;
  const look = (): void => {
    draw(video, canvas, LOOKS[looks % LOOKS.length]!);
    looks += 1;
    timer = setTimeout(look, LOOK_EVERY_MS);
    const text = codeOn(canvas, reader);
    if (text !== undefined) onText(text);
  };
  look();
  return () => clearTimeout(timer);
}

function codeOn(canvas: HTMLCanvasElement, reader: BrowserQRCodeReader): string | undefined {
  try {
    return reader.decodeFromCanvas(canvas).getText();
  } catch {
    // A look without a code is reported as an error.
    return undefined;
  }
}

function draw(
  video: HTMLVideoElement,
  canvas: HTMLCanvasElement,
  { scale, isOnItsSide }: (typeof LOOKS)[number],
): void {
  const [width, height] = [Math.round(video.videoWidth * scale), Math.round(video.videoHeight * scale)];
  [canvas.width, canvas.height] = isOnItsSide ? [height, width] : [width, height];
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (isOnItsSide) {
    context?.translate(height, 0);
    context?.rotate(Math.PI / 2);
  }
  context?.drawImage(video, 0, 0, width, height);
}
