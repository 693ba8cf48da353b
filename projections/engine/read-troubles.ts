/** What of the rows cannot be shown as it is in the log, in sentences for whoever runs the processes. */
import { countParked, knowsParking, listParked } from './parking.js';
import type { Queryable } from './read-model.js';
import { unreadableTexts } from './text-reader.js';

/** So many people without a key are no accident of one row: the vault is older than the log. */
const VAULT_IS_OLDER_FROM = 3;

/** Streams that are parked and texts that do not open, each kind in one sentence with what mends it. */
export async function readTroubles(db: Queryable): Promise<string[]> {
  if (!(await knowsParking(db))) return [];
  const [count, [first], texts] = await Promise.all([
    countParked(db),
    listParked(db, 1),
    unreadableTexts(db),
  ]);
  const sentences: string[] = [];
  if (first)
    sentences.push(
      `${count} ${count === 1 ? 'stream is' : 'streams are'} parked at an event that cannot be read, the first ${first.stream} at revision ${first.revision}: ${first.reason} Run "encore operate quarantine --list".`,
    );
  for (const marked of texts) sentences.push(sentenceOf(marked));
  return sentences;
}

function sentenceOf({ because, texts, people }: Awaited<ReturnType<typeof unreadableTexts>>[number]): string {
  const what = `Rows with texts that cannot be read: ${texts}, of ${people} ${people === 1 ? 'person' : 'people'}`;
  switch (because) {
    case 'key-missing':
      return `${what}, whose data keys are missing. ${people < VAULT_IS_OLDER_FROM ? '' : 'The vault is older than the log, or another one. '}Restore the schema "vault", then run "encore rebuild".`;
    case 'other-master-key':
      return `${what}, whose data keys are wrapped by another master key. Set the one that wraps them, then run "encore rebuild".`;
    case 'damaged':
      return `${what}: texts or keys were changed or damaged. The log lines "a text cannot be read" name them.`;
  }
}
