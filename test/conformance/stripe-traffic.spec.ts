/** What the card provider's stand-in refuses as one call too many, in a time of the spec's own. */
import { expect, it } from '@jest/globals';
import { Traffic } from '#local/stand-ins/stripe/traffic';

const HOUR_MS = 3_600_000;

it('takes a thousand changes of one payment intent in an hour, and as many of another', () => {
  let now = 0;
  const traffic = new Traffic(() => now);
  const changes = (intent: string, count: number) =>
    Array.from({ length: count }, () => traffic.noteChange(intent)).filter((reason) => reason !== undefined);
  expect(changes('pi_1', 1_002)).toEqual(['resource-specific', 'resource-specific']);
  expect(changes('pi_2', 1_000)).toEqual([]);
  now = HOUR_MS;
  expect(changes('pi_1', 1)).toEqual([]);
});
