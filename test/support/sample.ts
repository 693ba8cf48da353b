/**
 * `make test` looks at some of what is alike, and `make prove PART=whole` at all of it (WHOLE=yes):
 * each hostile value at each field, all pairs of device and width. Suites that take a sample say so by
 * importing this, and are run whole there.
 */

/** Whether nothing is left out. */
export const isWholeRun = process.env.WHOLE === 'yes';

/** All of it in a whole run, otherwise a few. */
export const sampled = <T>(all: T, few: T): T => (isWholeRun ? all : few);
