/** Telling somebody something: what every slice asks of the slice of messages. Filled in processes/ledger. */
import type { MessageContent } from '#contracts/api/messages';

/** What is told, to whom, of what. */
export type NewMessage = MessageContent & {
  readonly userId: string;
  /**
   * What tells its cause from any other of this user and kind: an id of the thing that happened, the same
   * however often it is told, also by another process or after a recovery. Never a personal text.
   */
  readonly key: string;
  /** When it happened. What is older than a day is shown, and never mailed. */
  readonly at: Date;
  /**
   * A path of this origin for the mail alone, such as a single-use link: it is kept sealed until the mail is
   * sent, and shown nowhere else. It must sign nobody in.
   */
  readonly mailLink?: string;
};

export abstract class Messages {
  /**
   * Keeps a message to be shown and mailed. The same kind and key of the same user again is quietly nothing,
   * and so is a message to somebody who is forgotten. Throws when Postgres does not answer: whoever needs it
   * told calls again.
   */
  abstract put(message: NewMessage): Promise<void>;
}
