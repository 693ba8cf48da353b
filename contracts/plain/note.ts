/** The longest note to a payment. Apart from the schemas, for forms that let nobody write more. */
export const NOTE_MAX_CHARACTERS = 500;
