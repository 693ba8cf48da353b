/**
 * What a person is told of a command. Its form tells it; and where the form was left for a sign-in, the sheet
 * that goes on for it tells the same.
 */
export interface Outcome<Answer, Body = unknown> {
  /** Over the amount, where the command is to be confirmed: `Pay out`. */
  readonly label?: string;
  readonly done: (answer: Answer, body: Body) => readonly [title: string, description?: string];
  /** Whether it was carried out and came to nothing, such as a payment that was declined. */
  readonly hasFailed?: (answer: Answer) => boolean;
  /** The sentence for a refusal without one of its own, and its title where it is not `Error`. */
  readonly failed: string;
  readonly failedTitle?: string;
  /** What the server says of a refusal stands at the form; the toast says only `failed` (spec.md §8). */
  readonly plainToast?: true;
}
