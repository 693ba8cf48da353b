/**
 * The longest text that a list is searched for. Apart from the schemas, for fields that let nobody write
 * more.
 */
export const SEARCH_MAX = 100;
