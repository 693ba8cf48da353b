/**
 * A month's statement on paper: A4, the house's face and colours, one line an entry. The same statement has
 * the same bytes at any time and on any machine: nothing in it is read from a clock. Measures are those of
 * the design, in CSS pixels.
 */
import { setImmediate } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import { decimalFromMinor, dollarsFromMinor } from '#contracts/plain/money';
import { drawCode } from '#edge/printed-code';
import { registerFonts, runsOf, type Cut } from '#edge/printed-text';

/** One entry on paper. Amounts are minor units; what was taken is below zero. */
export interface PaperLine {
  /** Such as `Oct 2`. */
  readonly date: string;
  readonly what: string;
  /** Beside it, in quotation marks. */
  readonly note?: string | undefined;
  readonly amountMinor: number;
  readonly balanceMinor: number;
}

/** What proves the month: a name for the hash, and the hash as hexadecimal digits. */
export interface PaperProof {
  readonly says: string;
  readonly label: string;
  readonly hex: string;
  /** What the code beside it says; without it there is no code. */
  readonly address?: string | undefined;
  /** Goes with the PDF, as a file in it. */
  readonly file?: { readonly name: string; readonly about: string; readonly content: string } | undefined;
}

export interface Paper {
  /** Such as `October 2026`. */
  readonly month: string;
  /** Whose it is: a name, and a handle beneath it. */
  readonly name: string;
  readonly handle?: string | undefined;
  readonly account: string;
  /** Such as `Oct 1 to Oct 31`. */
  readonly period: string;
  readonly currency: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly openingMinor: number;
  readonly receivedMinor: number;
  readonly sentMinor: number;
  /** What the balance at the end is called: more may come while the month is not closed. */
  readonly closing: 'Closing balance' | 'Balance so far';
  readonly closingMinor: number;
  readonly lines: readonly PaperLine[];
  readonly proof?: PaperProof | undefined;
  /** At the foot of each page: on the left, and when it was made. */
  readonly foot: string;
  readonly madeAt: Date;
  readonly made: string;
}

const INK = '#1D1014';
const SOFT = '#5F4E55';
const VELVET = '#7A1435';
const HAIR = '#E5DCDF';
const BAND = '#F7F4F5';
const FRAME = '#8C7A82';

/** CSS pixels to points. */
const px = (pixels: number): number => pixels * 0.75;
const LEFT = 60;
const RIGHT = 734;
const ROW = 28;
/** Where rows end, so that the foot of the page stays free. */
const LOWEST = 1_040;
const FOOT_LINE = 1_054;
/** How much smaller than its style a text may be written: an id that is cut names nothing. */
const SMALLEST_PART = 0.75;
/** What a text that was made as wide as there is room may be wider, in pixels. */
const ROUNDING = 0.01;
const COLUMNS = { what: 126, received: 542, sent: 634 } as const;

type Doc = InstanceType<typeof PDFDocument>;

interface Style {
  readonly cut?: Cut;
  readonly size: number;
  readonly color?: string;
  readonly align?: 'left' | 'right' | 'center';
  /** Between letters, in hundredths of the size. */
  readonly spacing?: number;
}

/**
 * Draws on one document. Every place is the left end, the right end or the middle of a baseline, in pixels.
 */
class Pen {
  constructor(readonly doc: Doc) {
    registerFonts(doc);
  }

  /** How wide a text is, in pixels. */
  width(text: string, { cut = 'regular', size, spacing = 0 }: Style): number {
    const characterSpacing = (px(size) * spacing) / 100;
    return runsOf(text, cut).reduce((sum, run) => {
      this.doc.font(run.font).fontSize(px(size));
      return sum + this.doc.widthOfString(run.text, { characterSpacing }) / 0.75;
    }, 0);
  }

  /** Writes a text on a baseline. */
  text(text: string, x: number, baseline: number, style: Style): void {
    const { cut = 'regular', size, color = INK, align = 'left', spacing = 0 } = style;
    const width = align === 'left' ? 0 : this.width(text, style);
    let at = align === 'left' ? x : align === 'right' ? x - width : x - width / 2;
    const characterSpacing = (px(size) * spacing) / 100;
    for (const run of runsOf(text, cut)) {
      this.doc.font(run.font).fontSize(px(size)).fillColor(color);
      const options = { lineBreak: false, baseline: 'alphabetic', characterSpacing } as const;
      this.doc.text(run.text, px(at), px(baseline), options);
      at += this.doc.widthOfString(run.text, { characterSpacing }) / 0.75;
    }
  }

  /** A text, cut with an ellipsis where it is wider than `most` pixels. */
  cut(text: string, most: number, style: Style): string {
    if (this.width(text, style) <= most + ROUNDING) return text;
    const letters = [...text];
    let [fits, tooMany] = [0, letters.length];
    while (tooMany - fits > 1) {
      const middle = (fits + tooMany) >> 1;
      if (this.width(`${letters.slice(0, middle).join('')}…`, style) <= most) fits = middle;
      else tooMany = middle;
    }
    return `${letters.slice(0, fits).join('').trimEnd()}…`;
  }

  /** Writes it smaller where it is too wide, and cut where that is not enough; answers its width. */
  fitted(text: string, x: number, baseline: number, most: number, style: Style): number {
    const part = Math.min(1, most / this.width(text, style));
    const fitting = { ...style, size: style.size * Math.max(SMALLEST_PART, part) };
    const shown = this.cut(text, most, fitting);
    this.text(shown, x, baseline, fitting);
    return this.width(shown, fitting);
  }

  rule(y: number, color: string, thick: number): void {
    this.doc
      .moveTo(px(LEFT), px(y))
      .lineTo(px(RIGHT), px(y))
      .lineWidth(px(thick))
      .strokeColor(color)
      .stroke();
  }

  box(x: number, y: number, width: number, height: number, color: string): void {
    this.doc.rect(px(x), px(y), px(width), px(height)).fill(color);
  }

  /** A name on the left, dots, and on the right a value, cut where it would meet the name. */
  leader(name: string, whole: string, left: number, right: number, baseline: number): void {
    const [soft, strong]: Style[] = [
      { size: 15, color: SOFT },
      { cut: 'semiBold', size: 15 },
    ];
    const from = left + this.width(name, soft!) + 11;
    const value = this.cut(whole, right - 10 - from, strong!);
    this.text(name, left, baseline, soft!);
    this.text(value, right, baseline, { ...strong!, align: 'right' });
    const until = right - this.width(value, strong!) - 10;
    // Dots stand at the same places in each line of a column.
    for (let x = right - Math.floor((right - from) / 6) * 6; x < until; x += 6)
      this.doc.circle(px(x), px(baseline - 0.5), px(0.8)).fill(SOFT);
  }
}

/** A signed figure of a line: `+84.00`, `-16.80`. */
const signed = (minor: number): string => `${minor > 0 ? '+' : ''}${grouped(minor)}`;

/** `1355.90` with commas between the thousands. */
const grouped = (minor: number): string => decimalFromMinor(minor).replace(/\B(?=(?:\d{3})+(?!\d))/g, ',');

/** Draws a statement and answers the file. */
export async function statementPdf(paper: Paper): Promise<Buffer> {
  const doc = new PDFDocument({
    size: 'A4',
    margin: 0,
    bufferPages: true,
    lang: 'en-US',
    displayTitle: true,
    info: {
      Title: `Encore statement, ${paper.month}`,
      Author: 'Encore',
      Creator: 'Encore',
      Producer: 'Encore',
      CreationDate: paper.madeAt,
    },
  });
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => doc.on('end', resolve).on('error', reject));
  doc.on('data', (chunk: Buffer) => void chunks.push(chunk));
  const pen = new Pen(doc);
  drawHead(pen, paper);
  let y = drawTableHead(pen, 333);
  const newPage = (): number => {
    doc.addPage({ size: 'A4', margin: 0 });
    drawEdge(pen);
    return drawTableHead(pen, 60);
  };
  y = drawBalance(pen, y, paper.firstDay, 'Opening balance', paper.openingMinor);
  for (const line of paper.lines) {
    if (y + ROW > LOWEST) {
      y = newPage();
      // Whoever else waits for this process has a turn after each page.
      await setImmediate();
    }
    y = drawLine(pen, y, line);
  }
  if (y + ROW > LOWEST) y = newPage();
  y = drawBalance(pen, y, paper.lastDay, paper.closing, paper.closingMinor, paper);
  pen.rule(y, INK, 1.5);
  if (paper.proof) {
    if (y + 22 + PROOF_HEIGHT > LOWEST) {
      doc.addPage({ size: 'A4', margin: 0 });
      drawEdge(pen);
      y = 38;
    }
    drawProof(pen, y + 22, paper.proof);
    const { file } = paper.proof;
    if (file)
      doc.file(Buffer.from(file.content), {
        name: file.name,
        type: 'application/json',
        description: file.about,
        creationDate: paper.madeAt,
        modifiedDate: paper.madeAt,
      });
  }
  drawFeet(pen, paper);
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}

function drawEdge(pen: Pen): void {
  pen.box(0, 0, 794, 10, VELVET);
}

function drawHead(pen: Pen, paper: Paper): void {
  drawEdge(pen);
  pen.text('Statement', LEFT, 84, { cut: 'figure', size: 34, spacing: -1.5 });
  pen.text(paper.month, LEFT, 109, { size: 17, color: SOFT });
  drawWordmark(pen);
  pen.fitted(paper.name, LEFT, 175, 309, { cut: 'heading', size: 19 });
  if (paper.handle !== undefined) pen.fitted(paper.handle, LEFT, 198, 309, { size: 15, color: SOFT });
  pen.text(paper.closing, 425, 153, { cut: 'semiBold', size: 13, color: SOFT });
  const [units = '', cents = ''] = dollarsFromMinor(paper.closingMinor).split('.');
  const figure: Style = { cut: 'figure', size: 40, spacing: -2.2 };
  pen.text(units, 425, 194, figure);
  pen.text(`.${cents}`, 425 + pen.width(units, figure), 194, { ...figure, color: SOFT });
  const facts = [
    ['Account', paper.account],
    ['Period', paper.period],
    ['Currency', paper.currency],
  ] as const;
  facts.forEach(([name, value], n) => pen.leader(name, value, LEFT, 369, 233 + n * 28));
  const sums = [
    ['Opening balance', dollarsFromMinor(paper.openingMinor)],
    ['In', `+${dollarsFromMinor(paper.receivedMinor)}`],
    ['Out', `-${dollarsFromMinor(paper.sentMinor)}`],
  ] as const;
  sums.forEach(([name, value], n) => pen.leader(name, value, 425, RIGHT, 233 + n * 28));
}

/** Encore, with its sign: two dots, a thin bar, a thick bar. */
function drawWordmark(pen: Pen): void {
  pen.text('Encore', 707, 71, { cut: 'figure', size: 22, align: 'right', spacing: -2 });
  const [x, y] = [714, 54];
  for (const at of [6.6, 13.4]) pen.doc.circle(px(x + 2.4), px(y + at), px(2.4)).fill(VELVET);
  pen.box(x + 7.6, y, 2.4, 20, INK);
  pen.doc.roundedRect(px(x + 13), px(y), px(6.6), px(20), px(1)).fill(INK);
}

function drawTableHead(pen: Pen, top: number): number {
  const head: Style = { cut: 'semiBold', size: 13, color: SOFT };
  const baseline = top + 10;
  pen.text('Date', LEFT, baseline, head);
  pen.text('What', COLUMNS.what, baseline, head);
  pen.text('In', COLUMNS.received, baseline, { ...head, align: 'right' });
  pen.text('Out', COLUMNS.sent, baseline, { ...head, align: 'right' });
  pen.text('Balance', RIGHT, baseline, { ...head, align: 'right' });
  pen.rule(top + 23.5, INK, 1.5);
  return top + 24;
}

/** The opening or the closing balance, and of the latter what the month came to. */
function drawBalance(
  pen: Pen,
  y: number,
  date: string,
  what: string,
  balanceMinor: number,
  sums?: { readonly receivedMinor: number; readonly sentMinor: number },
): number {
  const strong: Style = { cut: 'semiBold', size: 14 };
  const right = { ...strong, align: 'right' } as const;
  pen.box(LEFT, y, RIGHT - LEFT, ROW, BAND);
  pen.text(date, LEFT, y + 19, { ...strong, color: SOFT });
  pen.text(what, COLUMNS.what, y + 19, strong);
  if (sums) {
    if (sums.receivedMinor > 0) pen.text(signed(sums.receivedMinor), COLUMNS.received, y + 19, right);
    if (sums.sentMinor > 0) pen.text(signed(-sums.sentMinor), COLUMNS.sent, y + 19, right);
  }
  pen.text(grouped(balanceMinor), RIGHT, y + 19, right);
  pen.rule(y + ROW - 0.5, HAIR, 1);
  return y + ROW;
}

function drawLine(pen: Pen, y: number, line: PaperLine): number {
  const plain: Style = { size: 14 };
  const strong: Style = { cut: 'semiBold', size: 14 };
  const most = (line.amountMinor > 0 ? COLUMNS.received : COLUMNS.sent) - 80 - COLUMNS.what;
  pen.text(line.date, LEFT, y + 19, { ...plain, color: SOFT });
  const width = pen.fitted(line.what, COLUMNS.what, y + 19, most, strong);
  if (line.note !== undefined && most - width > 60)
    pen.fitted(`“${line.note}”`, COLUMNS.what + width + 11, y + 19, most - width - 11, {
      ...plain,
      color: SOFT,
    });
  const column = line.amountMinor > 0 ? COLUMNS.received : COLUMNS.sent;
  pen.text(signed(line.amountMinor), column, y + 19, { ...plain, align: 'right' });
  pen.text(grouped(line.balanceMinor), RIGHT, y + 19, { ...strong, align: 'right' });
  pen.rule(y + ROW - 0.5, HAIR, 1);
  return y + ROW;
}

const PROOF_HEIGHT = 152;

/**
 * What the month can be compared with: the hash in groups of eight digits, in two rows, and a code beside it.
 */
function drawProof(pen: Pen, y: number, { says, label, hex, address }: PaperProof): void {
  pen.doc
    .roundedRect(px(LEFT + 0.5), px(y + 0.5), px(RIGHT - LEFT - 1), px(PROOF_HEIGHT), px(16))
    .lineWidth(px(1))
    .strokeColor(FRAME)
    .stroke();
  if (address !== undefined) drawCode(pen.doc, address, px(72), px(y + 7), px(140));
  const left = address === undefined ? 85 : 225;
  const said: Style = { size: 14, color: SOFT };
  const lines = linesWithin(pen, says, RIGHT - 25 - left, said);
  pen.text('Proof', left, y + 36, { cut: 'heading', size: 17 });
  lines.forEach((line, n) => pen.text(line, left, y + 60 + n * 20, said));
  const top = y + 110 + Math.max(0, lines.length - 2) * 12;
  pen.text(label, left, top, { cut: 'semiBold', size: 13, color: SOFT });
  const groups = hex.match(/.{1,8}/g) ?? [];
  const x = left + pen.width(label, { cut: 'semiBold', size: 13 }) + 16;
  [groups.slice(0, 4), groups.slice(4)].forEach((row, n) =>
    pen.text(row.join(' '), x, top + n * 19, { cut: 'semiBold', size: 13, spacing: 2 }),
  );
}

/** A text broken between its words into lines of at most `most` pixels. */
function linesWithin(pen: Pen, text: string, most: number, style: Style): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && pen.width(longer, style) <= most) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function drawFeet(pen: Pen, { foot, made }: Paper): void {
  const { start, count } = pen.doc.bufferedPageRange();
  const soft: Style = { size: 13, color: SOFT };
  for (let page = 0; page < count; page += 1) {
    pen.doc.switchToPage(start + page);
    pen.rule(FOOT_LINE + 0.5, HAIR, 1);
    pen.text(foot, LEFT, 1_082, soft);
    pen.text(made, 467, 1_082, { ...soft, align: 'center' });
    pen.text(`Page ${page + 1} of ${count}`, RIGHT, 1_082, { ...soft, align: 'right' });
  }
}
