/**
 * The amount of a card payment as people write it, and why one is not taken. Apart from ./api/card-amount.ts,
 * so that a browser can say the same sentences without loading the schemas.
 */
import { CARD_MAX_MINOR, CARD_MIN_MINOR, minorFromDecimal, type AmountProblem } from './money.js';

const SMALLEST = 'The smallest payment is $0.50.';
const LARGEST = 'The largest payment is $999,999.99.';
/** `1,250` and `1.250,00` are read in two ways. */
export const UNCLEAR_SEPARATOR = 'Write thousands without a comma or point, such as 1250 or 1250.00.';
const NOT_POSITIVE = 'Please enter a valid amount greater than 0.';

/** What is said of a written amount that cannot be read. */
export const AMOUNT_SENTENCES: Readonly<Record<AmountProblem, string>> = {
  missing: 'Please enter an amount.',
  'not-a-number': 'The amount must be a plain number of dollars, such as 20 or 12.50.',
  'unclear-separator': UNCLEAR_SEPARATOR,
  'too-many-decimals': 'An amount has at most two decimals, such as 12.50.',
  'too-large': LARGEST,
};

/** The minor units of a written card amount, or the sentence that says why it is none. */
export function cardAmount(written: unknown): { minor: number } | { sentence: string } {
  // What is neither is never made into text: a JSON object may say that it has no toString.
  const trimmed = typeof written === 'string' ? written.trim() : written;
  if (typeof trimmed === 'string' ? trimmed.startsWith('-') : typeof trimmed === 'number' && trimmed < 0)
    return { sentence: NOT_POSITIVE };
  const read = minorFromDecimal(trimmed);
  if ('problem' in read) return { sentence: AMOUNT_SENTENCES[read.problem] };
  if (read.minor === 0) return { sentence: NOT_POSITIVE };
  if (read.minor < CARD_MIN_MINOR) return { sentence: SMALLEST };
  if (read.minor > CARD_MAX_MINOR) return { sentence: LARGEST };
  return read;
}
