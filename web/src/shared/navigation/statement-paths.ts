/**
 * Paths of the statements and of an account's entries. They stand behind the history's: the first load is
 * without them.
 */
import { PATHS } from './paths.js';

/** The list of months. */
export const STATEMENTS = `${PATHS.history}/statements`;

/** One month's statement. */
export const statementPath = (month: string): string => `${STATEMENTS}?${new URLSearchParams({ month })}`;

/** Every entry of an account: `available`, `payouts`, or a wallet's id. */
export const entriesPath = (account: string): string =>
  `${PATHS.history}?${new URLSearchParams({ account })}`;
