/**
 * What every refused call answers: a status and one plain sentence; a code where a program can do something
 * about it.
 */
import { z } from 'zod';
import { RequestedConfirmation } from './step-up.js';

export const ErrorAnswer = z.object({
  message: z.string(),
  code: z
    .string()
    .optional()
    .describe(
      'What a program can do: card_required, ask for a card; passkey_required, confirm with a passkey; sign_in_required, sign in again; outage, wait for as long as Retry-After says; then send the same again.',
    ),
  confirm: RequestedConfirmation.optional().describe(
    'What is to be confirmed, where the code asks for that.',
  ),
});
export type ErrorAnswer = z.infer<typeof ErrorAnswer>;

/** What an error that a caller may see is answered with. An error without one is a fault of ours: 500. */
export interface CallerAnswer {
  readonly status: number;
  /** One plain sentence for people. Absent where the error's own words are not for callers. */
  readonly message?: string;
  /** For a program, where the sentence alone does not say what to do next. */
  readonly code?: string | undefined;
  /** What the caller has to confirm first. */
  readonly confirm?: RequestedConfirmation | undefined;
  /** How soon the same may be sent again, in seconds; for a 503. */
  readonly retryAfterSeconds?: number;
}

/** An error that knows its answer, wherever it was thrown: the edge needs to know no class of it. */
export interface AnsweredError extends Error {
  readonly answer: CallerAnswer;
  /** A refusal that is nothing unusual but worth an information line: what that line says of it. */
  readonly logged?: Readonly<Record<string, unknown>>;
}

/** The answer that an error carries, if it carries one. */
export const answerOf = (error: unknown): CallerAnswer | undefined =>
  error instanceof Error && 'answer' in error ? (error as AnsweredError).answer : undefined;
