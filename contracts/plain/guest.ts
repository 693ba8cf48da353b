/** Guests: who pays without an account. Their ids are told apart from users' by how they begin. */

export const GUEST_ID_PREFIX = 'gst_';

/** Whether a payer is a guest. Users' ids begin otherwise. */
export const isGuest = (payerId: string): boolean => payerId.startsWith(GUEST_ID_PREFIX);

/** The id of the guest of this digest. */
export const guestIdOf = (digest: string): string => `${GUEST_ID_PREFIX}${digest}`;

/** What a receipt link ends with: 128 random bits that the payer's browser drew, written in 22 characters. */
export const RECEIPT_TOKEN = /^[A-Za-z0-9_-]{21}[AQgw]$/;

/** How a guest who gave no name is called. */
export const ANONYMOUS_GUEST = 'A guest';

/** A name as it stands within a sentence: "$10.00 from a guest". */
export const withinSentence = (name: string): string => (name === ANONYMOUS_GUEST ? 'a guest' : name);
