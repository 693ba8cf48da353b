/**
 * Money is a whole number of minor units (cents) inside and a decimal string on the wire. Text is turned into
 * minor units digit by digit: no floating-point number is ever part of the arithmetic.
 */
import { z } from 'zod';

export {
  CARD_MAX_MINOR,
  CARD_MIN_MINOR,
  CURRENCY,
  decimalFromMinor,
  dollarsFromMinor,
  minorFromDecimal,
  type AmountProblem,
} from './decimal.js';

/** A whole number of minor units (cents), positive: what a posting or a request moves. */
export const AmountMinor = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);
