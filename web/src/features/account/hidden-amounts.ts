/** Sentences of the server in privacy mode: their amounts are hidden as all others are. */

const AMOUNT = /\$\d[\d,]*\.\d{2}/g;

/** A sentence with each amount masked. */
export const withoutAmounts = (text: string): string => text.replaceAll(AMOUNT, '$••••');
