/** The longest note to a payment. Apart from the schemas, for forms that let nobody write more. */
export const NOTE_MAX_CHARACTERS = 500;

/**
 * Embeddings, overrides and isolates: what is not closed turns the reading direction of all that stands after
 * it.
 */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text without what turns the text around it. Letters that are read from the right stay as they are. */
export const withoutTurns = (text: string): string => text.replaceAll(TURNS, '');
