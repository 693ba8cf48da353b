/**
 * The poster, the table card and the stickers with the code of a tip page, as PDFs. The code is the page's
 * address, which any camera reads: black on white with its quiet zone, whatever stands around it.
 */
import PDFDocument from 'pdfkit';
import type { PrintKind, PrintPaper } from '#contracts/api/tip-page';
import { drawCode } from '#edge/printed-code';
import { canWrite, hasExtended, registerFonts, runsOf, type Cut } from '#edge/printed-text';

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
/** The file. Names that the house's face cannot write give way to the handle. */
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
  registerFonts(document);
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    document.on('end', resolve);
    document.on('error', reject);
  });
  const shown = {
    ...wanted,
    name: canWrite(wanted.name) ? wanted.name : `@${wanted.handle}`,
    shortName: canWrite(wanted.shortName) ? wanted.shortName : `@${wanted.handle}`,
    line: canWrite(wanted.line) ? wanted.line : '',
  };
  if (wanted.kind === 'poster') poster(document, shown, width, height);
  else if (wanted.kind === 'table-card') tableCard(document, shown, width, height);
  else stickers(document, shown, width, height);
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

type Document = InstanceType<typeof PDFDocument>;

interface Style {
  readonly cut: Cut;
  readonly size: number;
  readonly colour: string;
}

/** From the top of a line to the foot of its letters, as a part of their size. */
const FOOT = 0.76;

/** The wide cuts have no letters of extended Latin: a text that has some is in one look all the same. */
const cutFor = (text: string, cut: Cut): Cut => (cut !== 'regular' && hasExtended(text) ? 'semiBold' : cut);

function widthOf(document: Document, text: string, { cut, size }: Style): number {
  return runsOf(text, cutFor(text, cut)).reduce(
    (sum, run) => sum + document.font(run.font).fontSize(size).widthOfString(run.text),
    0,
  );
}

/** One line from its left end. */
function write(document: Document, text: string, x: number, y: number, style: Style): void {
  const { size, colour } = style;
  let at = x;
  for (const run of runsOf(text, cutFor(text, style.cut))) {
    document.font(run.font).fontSize(size).fillColor(colour);
    document.text(run.text, at, y + size * FOOT, { lineBreak: false, baseline: 'alphabetic' });
    at += document.widthOfString(run.text);
  }
}

/** The style in the largest size, at most its own, in which the text fits into the width on one line. */
function fitted(document: Document, text: string, style: Style, width: number): Style {
  const wide = widthOf(document, text, style);
  return wide <= width ? style : { ...style, size: Math.max(6, (style.size * width) / wide) };
}

interface Line extends Style {
  readonly text: string;
  readonly y: number;
}

/** One line in the middle of a width. */
function centred(document: Document, { text, y, ...style }: Line, x: number, width: number): void {
  const fits = fitted(document, text, style, width);
  const left = x + (width - widthOf(document, text, fits)) / 2;
  write(document, text, left, y + (style.size - fits.size) / 2, fits);
}

function wordmark(
  document: Document,
  right: number,
  y: number,
  size: number,
  colour: string,
  dot: string,
): void {
  const style: Style = { cut: 'figure', size, colour };
  const mark = size;
  write(document, 'Encore', right - widthOf(document, 'Encore', style) - mark - 4, y, style);
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
  centred(
    document,
    { text: name, y: 66 * unit, size: 44 * unit, cut: 'heading', colour: COLOUR.onStage },
    left,
    inner,
  );
  if (line !== '')
    centred(
      document,
      { text: line, y: 120 * unit, size: 21 * unit, cut: 'regular', colour: COLOUR.onStage2 },
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
    { text: `Tip ${shortName}.`, y: below, size: 68 * unit, cut: 'figure', colour: COLOUR.onStage },
    left,
    inner,
  );
  centred(
    document,
    {
      text: 'No app needed.',
      y: below + 80 * unit,
      size: 32 * unit,
      cut: 'heading',
      colour: COLOUR.onStage2,
    },
    left,
    inner,
  );
  const foot = height - 66 * unit;
  write(document, 'Point your camera at the code.', left, foot - 22 * unit, {
    cut: 'regular',
    size: 15 * unit,
    colour: COLOUR.onStage2,
  });
  const bold: Style = { cut: 'semiBold', size: 15 * unit, colour: COLOUR.onStage };
  write(document, written(address), left, foot, fitted(document, written(address), bold, inner * 0.7));
  wordmark(document, width - left, foot - 4 * unit, 22 * unit, COLOUR.onStage, '#FFBE3D');
}

function tableCard(document: Document, wanted: Printed, width: number, height: number): void {
  const unit = width / 420;
  const { name, shortName, line, address } = wanted;
  document.rect(0, 0, width, height).fill('#FFFFFF');
  document.rect(0, 0, width, 8 * unit).fill(COLOUR.velvet);
  const left = 28 * unit;
  const inner = width - 2 * left;
  centred(
    document,
    { text: name, y: 40 * unit, size: 30 * unit, cut: 'heading', colour: COLOUR.ink },
    left,
    inner,
  );
  if (line !== '')
    centred(
      document,
      { text: line, y: 76 * unit, size: 16 * unit, cut: 'regular', colour: COLOUR.ink2 },
      left,
      inner,
    );
  const side = 290 * unit;
  drawCode(document, address, (width - side) / 2, 100 * unit, side);
  centred(
    document,
    { text: `Tip ${shortName}.`, y: 398 * unit, size: 46 * unit, cut: 'figure', colour: COLOUR.velvet },
    left,
    inner,
  );
  centred(
    document,
    { text: 'No app needed.', y: 454 * unit, size: 22 * unit, cut: 'heading', colour: COLOUR.ink },
    left,
    inner,
  );
  const foot = Math.min(height - 44 * unit, 548 * unit);
  document.rect(left, foot - 14 * unit, inner, 0.75).fill(COLOUR.line);
  const bold: Style = { cut: 'semiBold', size: 14 * unit, colour: COLOUR.ink };
  write(document, written(address), left, foot, fitted(document, written(address), bold, inner * 0.65));
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
        {
          text: `Tip ${wanted.shortName}.`,
          y: y + side - 16,
          size: 17,
          cut: 'heading',
          colour: COLOUR.velvet,
        },
        x + 12,
        side - 24,
      );
      centred(
        document,
        { text: written(wanted.address), y: y + side + 8, size: 8, cut: 'regular', colour: COLOUR.ink2 },
        x + 12,
        side - 24,
      );
    }
}
