/** Answers made of views: what a schema names, taken from a view, times as ISO texts. */
import type { z } from 'zod';

/** A view that has all that an answer names; where that says a text, a time will do. */
type Answerable<Answer> = {
  readonly [K in keyof Answer]: Answer[K] | (Extract<Answer[K], string> extends never ? never : Date);
};

/**
 * The answer of a schema out of a view, in the schema's order. What the schema does not name is left out, so
 * a new field is answered once the schema has it.
 */
export function answerFrom<S extends z.ZodObject>(schema: S, view: Answerable<z.infer<S>>): z.infer<S> {
  const given: Readonly<Record<string, unknown>> = view;
  return Object.fromEntries(
    Object.keys(schema.shape).map((name) => {
      const value = given[name];
      return [name, value instanceof Date ? value.toISOString() : value];
    }),
  ) as z.infer<S>;
}
