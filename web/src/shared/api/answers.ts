/**
 * Answers as the screens take them. Whoever stands in for the server knows what spec.md §3 and §7 name and no
 * more, and may send an amount as a number: what an answer leaves out has its usual value, and each amount is
 * decimal text.
 *
 *     const payoutOf = answerOf<Payout>({ amounts: ['amount'], usually: { completedAt: null } });
 *     transformResponse: (payouts: unknown) => listOf(payouts, payoutOf)
 */

interface Shape<T> {
  /** Which of its fields are amounts. */
  readonly amounts?: readonly (keyof T)[];
  /** What stands for a field that is missing or null. */
  readonly usually?: Partial<T>;
}

/** An amount as decimal text, without noughts after its cents; nothing is `0.00`. */
const decimalOf = (amount: unknown): unknown =>
  typeof amount === 'string' ? amount.replace(/(\.\d\d)0+$/, '$1') : Number(amount ?? 0).toFixed(2);

/** What reads an answer. One with nothing in it is read as one that leaves out all. */
export const answerOf =
  <T extends object>({ amounts = [], usually = {} }: Shape<T>) =>
  (answer: unknown): T => {
    const read = { ...usually, ...(answer as T) };
    for (const name of Object.keys(usually) as (keyof T)[]) read[name] ??= usually[name]!;
    for (const name of amounts) read[name] = decimalOf(read[name]) as T[keyof T];
    return read;
  };

/** The rows of an answer; null for one that is no list, as for a list that was refused. */
export const listOf = <T>(answer: unknown, rowOf: (row: unknown) => T): T[] | null =>
  Array.isArray(answer) ? answer.map(rowOf) : null;
