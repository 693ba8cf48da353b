/**
 * How long what must not happen at once is put off, and what time it is for it: a part of its own, so that a
 * suite can let days pass.
 */
export abstract class Waits {
  /** The time by which what was put off is judged. */
  abstract now(): Date;
  /** From the start of an account's recovery until it can be completed. */
  abstract readonly recoveryMs: number;
  /** From being asked to forget somebody until it is done. */
  abstract readonly forgettingMs: number;
}
