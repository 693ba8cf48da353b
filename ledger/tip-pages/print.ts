/**
 * The poster, the table card and the stickers with the code of a tip page, as PDFs. The code is the page's address,
 * which any camera reads: black on white with its quiet zone, whatever stands around it.
 */
import PDFDocument from 'pdfkit';
import type { PrintKind, PrintPaper } from '#contracts/api/tip-page';
import { drawCode } from '#edge/printed-code';

export interface Printed {
  readonly kind: PrintKind;
  readonly paper: PrintPaper;
  /** As the page shows it. */
  readonly name: string;
  readonly shortName: string;
  readonly line: string;
  readonly handle: string;
  /** Of the page, whole. */
  readonly address: string;
}

/** Width and height in points. */
const PAPERS: Readonly<Record<PrintPaper, readonly [number, number]>> = {
  a4: [595.28, 841.89],
  letter: [612, 792],
  a6: [297.64, 419.53],
};
const COLOUR = {
  stage: '#4A0D20',
  beam: '#591228',
  pool: '#691832',
  onStage: '#FFF4E0',
  onStage2: '#E9C9CC',
  velvet: '#7A1435',
  ink: '#1D1014',
  ink2: '#5F4E55',
  line: '#E5DCDF',
} as const;
const BOLD = 'Helvetica-Bold';
const PLAIN = 'Helvetica';
/** What the fonts that every reader has can write. */
const WRITABLE = /^[\u0020-\u007e\u00a0-\u00ff‘’“”–—…•€™]*$/;

/** The file. Names that its fonts cannot write give way to the handle. */
export async function printed(wanted: Printed): Promise<Buffer> {
  const [width, height] = PAPERS[wanted.paper];
  const document = new PDFDocument({
    size: [width, height],
    margin: 0,
    info: {
      Title: `Tip @${wanted.handle}`,
      Author: 'Encore',
      CreationDate: new Date(0),
      ModDate: new Date(0),
    },
  });
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    document.on('end', resolve);
    document.on('error', reject);
  });
  const shown = {
    ...wanted,
    name: WRITABLE.test(wanted.name) ? wanted.name : `@${wanted.handle}`,
    shortName: WRITABLE.test(wanted.shortName) ? wanted.shortName : `@${wanted.handle}`,
    line: WRITABLE.test(wanted.line) ? wanted.line : '',
  };
  if (wanted.kind === 'poster') poster(document, shown, width, height);
  else if (wanted.kind === 'table-card') tableCard(document, shown, width, height);
  else stickers(document, shown, width, height);
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

type Document = InstanceType<typeof PDFDocument>;

/** The largest size, at most `size`, in which the text fits into the width on one line. */
function fitted(document: Document, text: string, font: string, size: number, width: number): number {
  document.font(font).fontSize(size);
  const wide = document.widthOfString(text);
  return wide <= width ? size : Math.max(6, (size * width) / wide);
}

interface Line {
  readonly text: string;
  readonly y: number;
  readonly size: number;
  readonly font?: string;
  readonly colour: string;
}

/** One line in the middle of a width. */
function centred(
  document: Document,
  { text, y, size, font = BOLD, colour }: Line,
  x: number,
  width: number,
): void {
  const fits = fitted(document, text, font, size, width);
  document.font(font).fontSize(fits).fillColor(colour);
  document.text(text, x, y + (size - fits) / 2, { width, align: 'center', lineBreak: false });
}

function wordmark(
  document: Document,
  right: number,
  y: number,
  size: number,
  colour: string,
  dot: string,
): void {
  document.font(BOLD).fontSize(size).fillColor(colour);
  const wide = document.widthOfString('Encore');
  const mark = size;
  document.text('Encore', right - wide - mark - 4, y, { lineBreak: false });
  const x = right - mark;
  document.circle(x + mark * 0.12, y + mark * 0.25, mark * 0.1).fill(dot);
  document.circle(x + mark * 0.12, y + mark * 0.6, mark * 0.1).fill(dot);
  document.rect(x + mark * 0.38, y - mark * 0.02, mark * 0.1, mark * 0.86).fill(colour);
  document.rect(x + mark * 0.62, y - mark * 0.02, mark * 0.3, mark * 0.86).fill(colour);
}

const written = (address: string): string => address.replace(/^https?:\/\//, '');

function poster(document: Document, wanted: Printed, width: number, height: number): void {
  const unit = width / 620;
  const { name, shortName, line, address } = wanted;
  document.rect(0, 0, width, height).fill(COLOUR.stage);
  const floor = height * 0.75;
  document
    .polygon([width * 0.42, 0], [width * 0.58, 0], [width * 0.97, floor], [width * 0.03, floor])
    .fill(COLOUR.beam);
  document.ellipse(width / 2, floor, width * 0.47, height * 0.125).fill(COLOUR.pool);
  const inner = width - 96 * unit;
  const left = 48 * unit;
  centred(document, { text: name, y: 66 * unit, size: 44 * unit, colour: COLOUR.onStage }, left, inner);
  if (line !== '')
    centred(
      document,
      { text: line, y: 120 * unit, size: 21 * unit, font: PLAIN, colour: COLOUR.onStage2 },
      left,
      inner,
    );
  const side = Math.min(350 * unit, height * 0.42);
  const top = height * 0.208;
  document.roundedRect((width - side) / 2, top, side, side, 20 * unit).fill('#FFFFFF');
  drawCode(document, address, (width - side) / 2 + 6 * unit, top + 6 * unit, side - 12 * unit);
  const below = top + side + 34 * unit;
  centred(
    document,
    { text: `Tip ${shortName}.`, y: below, size: 68 * unit, colour: COLOUR.onStage },
    left,
    inner,
  );
  centred(
    document,
    { text: 'No app needed.', y: below + 80 * unit, size: 32 * unit, colour: COLOUR.onStage2 },
    left,
    inner,
  );
  const foot = height - 66 * unit;
  document
    .font(PLAIN)
    .fontSize(15 * unit)
    .fillColor(COLOUR.onStage2);
  document.text('Point your camera at the code.', left, foot - 22 * unit, { lineBreak: false });
  document.font(BOLD).fontSize(fitted(document, written(address), BOLD, 15 * unit, inner * 0.7));
  document.fillColor(COLOUR.onStage).text(written(address), left, foot, { lineBreak: false });
  wordmark(document, width - left, foot - 4 * unit, 22 * unit, COLOUR.onStage, '#FFBE3D');
}

function tableCard(document: Document, wanted: Printed, width: number, height: number): void {
  const unit = width / 420;
  const { name, shortName, line, address } = wanted;
  document.rect(0, 0, width, height).fill('#FFFFFF');
  document.rect(0, 0, width, 8 * unit).fill(COLOUR.velvet);
  const left = 28 * unit;
  const inner = width - 2 * left;
  centred(document, { text: name, y: 40 * unit, size: 30 * unit, colour: COLOUR.ink }, left, inner);
  if (line !== '')
    centred(
      document,
      { text: line, y: 76 * unit, size: 16 * unit, font: PLAIN, colour: COLOUR.ink2 },
      left,
      inner,
    );
  const side = 290 * unit;
  drawCode(document, address, (width - side) / 2, 100 * unit, side);
  centred(
    document,
    { text: `Tip ${shortName}.`, y: 398 * unit, size: 46 * unit, colour: COLOUR.velvet },
    left,
    inner,
  );
  centred(
    document,
    { text: 'No app needed.', y: 454 * unit, size: 22 * unit, colour: COLOUR.ink },
    left,
    inner,
  );
  const foot = Math.min(height - 44 * unit, 548 * unit);
  document.rect(left, foot - 14 * unit, inner, 0.75).fill(COLOUR.line);
  document.font(BOLD).fontSize(fitted(document, written(address), BOLD, 14 * unit, inner * 0.65));
  document.fillColor(COLOUR.ink).text(written(address), left, foot, { lineBreak: false });
  wordmark(document, width - left, foot - 1 * unit, 17 * unit, COLOUR.ink, COLOUR.velvet);
}

/** As many as fit on the sheet, each with a line to cut along. */
function stickers(document: Document, wanted: Printed, width: number, height: number): void {
  const side = 170;
  const tall = 204;
  const columns = Math.max(1, Math.floor((width - 24) / side));
  const rows = Math.max(1, Math.floor((height - 24) / tall));
  const [left, top] = [(width - columns * side) / 2, (height - rows * tall) / 2];
  document.rect(0, 0, width, height).fill('#FFFFFF');
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const [x, y] = [left + column * side, top + row * tall];
      document
        .roundedRect(x + 4, y + 4, side - 8, tall - 8, 10)
        .lineWidth(0.5)
        .stroke(COLOUR.line);
      drawCode(document, wanted.address, x + 14, y + 10, side - 28);
      centred(
        document,
        { text: `Tip ${wanted.shortName}.`, y: y + side - 16, size: 17, colour: COLOUR.velvet },
        x + 12,
        side - 24,
      );
      centred(
        document,
        { text: written(wanted.address), y: y + side + 8, size: 8, font: PLAIN, colour: COLOUR.ink2 },
        x + 12,
        side - 24,
      );
    }
}
