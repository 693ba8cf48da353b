/** The journal's postings as CSV, one line for each: for a spreadsheet, or any program that adds up. */
import type { LogSource } from '#log/event-log';
import { positionText } from '#contracts/log';
import { entries } from '../derivation/entries.js';
import { textFromMinor } from '../reconcile/amounts.js';

const HEADER = 'revision,position,recorded_at,type,id,hash,debit,credit,amount,amount_minor,currency';

/**
 * The file, piece by piece. Ids and amounts alone are in it: nothing that people wrote. Throws as `entries`
 * does.
 */
export async function* postingsCsv(source: Pick<LogSource, 'readStream'>): AsyncGenerator<string> {
  yield `${HEADER}\n`;
  for await (const { revision, position, recordedAt, type, id, hash, postings } of entries(source))
    yield postings
      .map(({ debit, credit, amountMinor, currency }) =>
        [
          ...[revision, positionText(position), recordedAt, type, id, hash, debit, credit],
          ...[textFromMinor(amountMinor, currency), amountMinor, currency],
        ].join(','),
      )
      .map((line) => `${line}\n`)
      .join('');
}
