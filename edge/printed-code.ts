/** A code for cameras, drawn into a PDF that is answered. */
import type PDFDocument from 'pdfkit';
import QRCode from 'qrcode';

const QUIET_MODULES = 4;

/**
 * Draws the code of a text, black on white with the zone around it that readers need. Places are points;
 * `side` is with that zone.
 */
export function drawCode(
  document: InstanceType<typeof PDFDocument>,
  text: string,
  x: number,
  y: number,
  side: number,
): void {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'M' });
  const { size, data } = modules;
  const module = side / (size + 2 * QUIET_MODULES);
  document.rect(x, y, side, side).fill('#FFFFFF');
  for (let row = 0; row < size; row += 1)
    for (let column = 0; column < size; column += 1) {
      if (data[row * size + column] !== 1) continue;
      const left = x + (column + QUIET_MODULES) * module;
      const top = y + (row + QUIET_MODULES) * module;
      // A little over its edge: no printer draws a white hair between two of them.
      document.rect(left, top, module * 1.02, module * 1.02);
    }
  document.fill('#000000');
}
