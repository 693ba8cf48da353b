/** Stands in the built start page where each answer's nonce belongs. */
export const NONCE_PLACEHOLDER = 'nonce-of-this-answer';
