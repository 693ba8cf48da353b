/** What stands in the place of a sealed text that does not open: people see that something is there. */
export const UNREADABLE_TEXT = 'This text cannot be read.';

/** First and last name of somebody whose profile does not open. */
export const UNREADABLE_NAME = { firstName: 'This name', lastName: 'cannot be read' } as const;
