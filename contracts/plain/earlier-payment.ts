/**
 * A payment that takes the place of earlier ones, which were left at Cash App or at a bank and could still be
 * paid.
 */

/** The code of a refused payment that was to take the place of one that was made, or still may be. */
export const EARLIER_STANDS = 'earlier-payment-stands';

/** How many earlier payments one call may name. */
export const MOST_INSTEAD_OF = 20;
