/** Text in the house's face on a PDF that is answered. */
import type PDFDocument from 'pdfkit';
import { ARCHIVO, COVERED } from './archivo.js';

export type Cut = 'regular' | 'semiBold' | 'heading' | 'figure';
type Doc = InstanceType<typeof PDFDocument>;

const isIn = (ranges: readonly (readonly [number, number])[], letter: string): boolean => {
  const code = letter.codePointAt(0) ?? 0;
  return ranges.some(([from, to]) => code >= from && code <= to);
};
const isExtended = (letter: string): boolean => isIn(COVERED.ext, letter);
const isCovered = (letter: string): boolean => isExtended(letter) || isIn(COVERED.latin, letter);
const lettersOf = (text: string): string[] => [...text.normalize('NFC')];

/** Whether the face has a sign for each letter. */
export const canWrite = (text: string): boolean => lettersOf(text).every(isCovered);

/** Whether the text has letters that only the plain and the semibold cut have. */
export const hasExtended = (text: string): boolean => lettersOf(text).some(isExtended);

export interface Run {
  readonly text: string;
  readonly font: Cut | 'regularExt' | 'semiBoldExt';
}

/** A text as stretches of one font each. What the face has no sign for is written as a question mark. */
export function runsOf(text: string, cut: Cut): readonly Run[] {
  const runs: { text: string; font: Run['font'] }[] = [];
  for (const letter of lettersOf(text)) {
    const shown = isCovered(letter) ? letter : '?';
    const font = !isExtended(letter) ? cut : cut === 'regular' ? 'regularExt' : 'semiBoldExt';
    const last = runs.at(-1);
    if (last?.font === font) last.text += shown;
    else runs.push({ text: shown, font });
  }
  return runs;
}

/** Gives the document the fonts that {@link runsOf} names. */
export function registerFonts(doc: Doc): void {
  for (const name of Object.keys(ARCHIVO) as Run['font'][]) doc.registerFont(name, ARCHIVO[name]());
}
