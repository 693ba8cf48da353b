/** The amount of a card payment as a call carries it: a number or text in dollars, read into minor units. */
import { z } from 'zod';
import { CARD_MAX_MINOR, CARD_MIN_MINOR, minorFromDecimal, type AmountProblem } from '../money.js';

const SMALLEST = 'The smallest payment is $0.50.';
const LARGEST = 'The largest payment is $999,999.99.';
const NOT_POSITIVE = 'Please enter a valid amount greater than 0.';
const SENTENCES: Readonly<Record<AmountProblem, string>> = {
  missing: 'Please enter an amount.',
  'not-a-number': 'The amount must be a plain number of dollars, such as 20 or 12.50.',
  'too-many-decimals': 'An amount has at most two decimals, such as 12.50.',
  'too-large': LARGEST,
};

/** The minor units of a written card amount, or the sentence that says why it is none. */
export function cardAmount(written: unknown): { minor: number } | { sentence: string } {
  if (/^-/.test(String(written).trim())) return { sentence: NOT_POSITIVE };
  const read = minorFromDecimal(typeof written === 'string' ? written.trim() : written);
  if ('problem' in read) return { sentence: SENTENCES[read.problem] };
  if (read.minor === 0) return { sentence: NOT_POSITIVE };
  if (read.minor < CARD_MIN_MINOR) return { sentence: SMALLEST };
  if (read.minor > CARD_MAX_MINOR) return { sentence: LARGEST };
  return read;
}

/** $0.50 to $999,999.99, at most two decimals; parsed into minor units. */
export const CardAmount = z
  .union([z.number(), z.string()], {
    error: (issue) => SENTENCES[issue.input === undefined || issue.input === null ? 'missing' : 'not-a-number'],
  })
  .transform((written, context): number => {
    const read = cardAmount(written);
    if ('minor' in read) return read.minor;
    context.addIssue({ code: 'custom', message: read.sentence });
    return z.NEVER;
  })
  .describe('Dollars, from 0.50 to 999999.99, at most two decimals: a number or decimal text.');
