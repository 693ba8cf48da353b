/** Looks for a QR code in a running video until it is told to stop. */
import { BrowserQRCodeReader } from '@zxing/browser';

/** Between two looks: often enough to feel immediate, seldom enough for a small phone. */
const LOOK_EVERY_MS = 150;

/** Answers how to stop. */
export function watchForCode(video: HTMLVideoElement, onText: (text: string) => void): () => void {
  const reader = new BrowserQRCodeReader(undefined, { delayBetweenScanAttempts: LOOK_EVERY_MS });
  // A look that finds nothing is reported as an error; there is nothing to say about it.
  const controls = reader.scan(video, (result) => {
    if (result) onText(result.getText());
  });
  return () => controls.stop();
}
