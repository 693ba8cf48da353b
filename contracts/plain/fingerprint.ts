/**
 * A fingerprint is a keyed digest of what was asked, by which a repeat is known. Keys are rotated, and what
 * is in the log is never made again: what comes with a command is therefore a list, with blanks, of the same
 * body's digests under every key that there was, the newest first. The first is recorded; a recorded one is
 * looked for among all.
 */

/** What is kept of a command's fingerprint. */
export const recordedFingerprint = (given: string): string => given.split(' ')[0]!;

/** Whether a recorded fingerprint is of the same body as a command's. */
export const sameFingerprint = (recorded: string, given: string | undefined): boolean =>
  given !== undefined && given.split(' ').includes(recorded);
