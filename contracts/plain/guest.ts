/** Guests: who pays without an account. Their ids are told apart from users' by how they begin. */

const PREFIX = 'gst_';

/** Whether a payer is a guest. Users' ids begin otherwise. */
export const isGuest = (payerId: string): boolean => payerId.startsWith(PREFIX);

/** The id of the guest of this digest. */
export const guestIdOf = (digest: string): string => `${PREFIX}${digest}`;

/** What a receipt link ends with: 128 random bits that the payer's browser drew, written in 22 characters. */
export const RECEIPT_TOKEN = /^[A-Za-z0-9_-]{21}[AQgw]$/;

/** How a guest who gave no name is called. */
export const ANONYMOUS_GUEST = 'A guest';

/** The code of a refused payment that was to take the place of one that was made, or still may be. */
export const EARLIER_STANDS = 'earlier-payment-stands';

/** How many earlier payments of a guest one call may name. */
export const MOST_INSTEAD_OF = 20;
