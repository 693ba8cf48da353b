/**
 * The part of the provider's search language that finds payments: `metadata['paymentId']:'p1' AND
 * status:'succeeded'`.
 */
import { invalidParameter } from './errors.js';
import type { PaymentIntent } from './objects.js';

const CLAUSE =
  /^\s*(?:metadata\[(["'])([^"']+)\1\]|(status|currency|customer|amount))\s*:\s*(?:(["'])([^"']*)\4|(\d+))\s*$/;

/** Whether an intent is one that the query asks for. Throws a 400 for what this stand-in cannot search by. */
export function matcherOf(query: string): (intent: PaymentIntent) => boolean {
  const tests = query.split(/\sAND\s/).map((text) => {
    const clause = CLAUSE.exec(text);
    if (!clause) throw invalidParameter('query', `We were unable to parse your search query: ${text.trim()}`);
    const key = clause[2];
    const field = clause[3];
    const wanted = clause[5] ?? clause[6] ?? '';
    return (intent: PaymentIntent): boolean => {
      if (key !== undefined) return intent.metadata[key] === wanted;
      const fields: Record<string, unknown> = { ...intent };
      return field !== undefined && String(fields[field]) === wanted;
    };
  });
  return (intent) => tests.every((test) => test(intent));
}
