/** The amount of a card payment as a call carries it: a number or text in dollars, read into minor units. */
import { z } from 'zod';
import { AMOUNT_SENTENCES, cardAmount } from '../plain/card-amount.js';

/** $0.50 to $999,999.99, at most two decimals; parsed into minor units. */
export const CardAmount = z
  .union([z.number(), z.string()], {
    error: (issue) =>
      AMOUNT_SENTENCES[issue.input === undefined || issue.input === null ? 'missing' : 'not-a-number'],
  })
  .transform((written, context): number => {
    const read = cardAmount(written);
    if ('minor' in read) return read.minor;
    context.addIssue({ code: 'custom', message: read.sentence });
    return z.NEVER;
  })
  .describe('Dollars, from 0.50 to 999999.99, at most two decimals: a number or decimal text.');
