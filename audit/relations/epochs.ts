/**
 * The journal's own history: it is founded first and once, an epoch names the entry that both histories have,
 * and what stands still of a user is resumed only after it was suspended.
 */
import type { RecordedEvent } from '#contracts/log';
import type { Check } from '../report.js';
import { differing, whereOf, type JournalEntry, type Relation } from './relation.js';

/**
 * What moves money between users here: the provider knows nothing of it, so only an archive has it, word for
 * word.
 */
const NEVER_WON_BACK: ReadonlySet<JournalEntry['type']> = new Set([
  'TransferPosted',
  'WalletOpened',
  'WalletFunded',
  'WalletWithdrawn',
  'WalletRenamed',
  'WalletClosed',
]);

export class Epochs implements Relation {
  readonly #suspended = new Set<string>();
  readonly #findings: string[] = [];
  #epochs = 0;
  #last: { readonly revision: number; readonly hash: string } | undefined;

  other(event: RecordedEvent): void {
    if (event.metadata.recovered && this.#epochs === 0)
      this.#findings.push(
        `${whereOf(event)}: ${event.type}: it says that a recovery wrote it, and no recovery is recorded before it`,
      );
  }

  entry(entry: JournalEntry): void {
    const wrong = this.#wrong(entry);
    if (wrong.length > 0) this.#findings.push(`${whereOf(entry)}: ${entry.type}: ${wrong.join('; ')}`);
    this.#last = { revision: entry.revision, hash: entry.metadata.hash };
  }

  check(): Check {
    return { name: 'epochs and suspensions fit', figure: `${this.#epochs} epochs`, findings: this.#findings };
  }

  #wrong({ type, data, revision, metadata }: JournalEntry): readonly string[] {
    if (type === 'EpochBegun') {
      this.#epochs += 1;
      const { commonRevision, commonHash, lostRevision } = data;
      const last = this.#last;
      return [
        ...(commonRevision < revision ? [] : [`commonRevision is ${commonRevision}, which is not before it`]),
        ...(commonRevision === last?.revision ? differing('commonHash', commonHash, last.hash) : []),
        ...(lostRevision !== undefined && lostRevision <= commonRevision
          ? [`lostRevision is ${lostRevision}, which is not behind commonRevision ${commonRevision}`]
          : []),
      ];
    }
    if (type === 'DebitsSuspended') {
      const again = this.#suspended.has(data.userId);
      this.#suspended.add(data.userId);
      return again ? [`debits of ${data.userId} were suspended before`] : [];
    }
    if (type === 'DebitsResumed')
      return this.#suspended.delete(data.userId) ? [] : [`debits of ${data.userId} were not suspended`];
    if (metadata.recovered && NEVER_WON_BACK.has(type))
      return ['it says that a recovery wrote it, and no recovery writes such entries'];
    return metadata.recovered && this.#epochs === 0
      ? ['it says that a recovery wrote it, and no recovery is recorded before it']
      : [];
  }
}
