/**
 * Bodies, queries and headers, read by the schemas of contracts/api: what is wrong is said in the schema's
 * sentence.
 */
import { Injectable, type PipeTransform } from '@nestjs/common';
import type { z } from 'zod';
import { Refusal } from './refusal.js';

/** The parsed value. Throws a {@link Refusal} (400) with the first problem's sentence. */
export function read<T extends z.ZodType>(schema: T, written: unknown): z.infer<T> {
  const result = schema.safeParse(written);
  if (result.success) return result.data;
  throw new Refusal(400, result.error.issues[0]?.message ?? 'The request could not be understood.');
}

/** `@Body(new Validated(Schema))`. */
@Injectable()
export class Validated<T extends z.ZodType> implements PipeTransform<unknown, z.infer<T>> {
  constructor(readonly schema: T) {}

  transform(written: unknown): z.infer<T> {
    return read(this.schema, written);
  }
}
