/** Looks for a QR code in a running video. */
import { BrowserQRCodeReader } from '@zxing/browser';

/** Time between two scans: feels immediate, and a slow phone keeps up. */
const LOOK_EVERY_MS = 150;

/** Returns a function that stops it. */
export function watchForCode(video: HTMLVideoElement, onText: (text: string) => void): () => void {
  const reader = new BrowserQRCodeReader(undefined, { delayBetweenScanAttempts: LOOK_EVERY_MS });
  // A scan without a code is reported as an error, which is ignored.
  const controls = reader.scan(video, (result) => {
    if (result) onText(result.getText());
  });
  return () => controls.stop();
}
