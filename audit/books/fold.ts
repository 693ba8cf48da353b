/** Reads the journal up to a moment: what every report of the books begins with. */
import type { LogSource } from '#log/event-log';
import { Derivation } from '../derivation/derivation.js';
import { entries, type Entry } from '../derivation/entries.js';
import type { Moment } from './moments.js';

export type BooksSource = Pick<LogSource, 'readStream'>;

/**
 * The entries up to a moment, in order. `derivation` holds the balances just after the entry that is yielded.
 */
export async function* entriesUntil(
  source: BooksSource,
  { beforeMs, throughRevision }: Moment,
  derivation = new Derivation(),
): AsyncGenerator<Entry> {
  // An entry that is too late must not reach the balances: it is seen before they take it.
  const early = {
    async *readStream(...asked: Parameters<BooksSource['readStream']>) {
      for await (const raw of source.readStream(...asked)) {
        const told: unknown = raw.metadata.value;
        const at = typeof told === 'object' && told !== null && 'recordedAt' in told ? told.recordedAt : '';
        if (raw.revision > throughRevision || Date.parse(String(at)) >= beforeMs) return;
        yield raw;
      }
    },
  };
  yield* entries(early, derivation);
}

/** Reads up to a moment, and answers the last entry and what every account held then. */
export async function balancesAt(
  source: BooksSource,
  until: Moment,
): Promise<{ readonly last: Entry | undefined; readonly derivation: Derivation }> {
  const derivation = new Derivation();
  let last: Entry | undefined;
  for await (const entry of entriesUntil(source, until, derivation)) last = entry;
  return { last, derivation };
}
