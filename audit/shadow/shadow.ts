/**
 * The audit's derivation beside the running ledger: it follows the journal by the audit's own table of
 * postings and compares what it comes to with the table of balances, at the same entry. It only looks: a
 * difference is told, and stops nothing.
 */
import { isOutage } from '#contracts/outage';
import { JOURNAL, type JournalEvent } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { recorded, type EventLog } from '#log/event-log';
import { Derivation } from '../derivation/derivation.js';
import { entryOf } from '../derivation/entries.js';

/** Balances as the read models have them, in one snapshot with the entry through which they have come. */
export interface SeenBalances {
  /** The last journal entry that is in them; -1 before the first. */
  readonly journalRevision: number;
  /** Credits less debits in minor units, by account; those that have no row are absent. */
  readonly balances: ReadonlyMap<string, number>;
}

/** The read models' side. Both answer undefined while there are no read models. */
export interface ShadowedRows {
  /** All balances, or those of these accounts. */
  balances(accounts?: readonly string[]): Promise<SeenBalances | undefined>;
}

/** One account whose balance is not what its entries come to, in minor units. */
interface BalanceDifference {
  readonly account: string;
  readonly rowMinor: number;
  readonly derivedMinor: number;
}

interface ShadowState {
  /** The entry at which both sides were compared last; undefined before that. */
  readonly revision: number | undefined;
  readonly differences: readonly BalanceDifference[];
  /** When nothing differed last. */
  readonly lastGoodAt: Date | undefined;
  /** Why it cannot compare, where that is no outage. */
  readonly trouble: string | undefined;
}

/** Every account is compared so often; in between those that have moved. */
const WHOLE_EVERY_MS = 15 * 60_000;
/** Whoever else works in this process gets as much time as the derivation takes. */
const SLICE_MS = 20;

interface ShadowOptions {
  readonly log: Pick<EventLog, 'readStream' | 'witness'>;
  readonly rows: ShadowedRows;
  readonly now?: () => Date;
  /** Gives way to others for about so long. */
  readonly pause: (ms: number) => Promise<void>;
}

/** The log has no entry at which the rows stand. */
class LogTooShort extends Error {
  override readonly name = 'LogTooShort';
}

export class Shadow {
  #derivation = new Derivation();
  #revision = -1;
  /** Accounts that have moved since they were compared, and those that differed. */
  #toCompare = new Set<string>();
  #wholeAtMs = Number.NEGATIVE_INFINITY;
  #spentMs = 0;
  #state: ShadowState = {
    revision: undefined,
    differences: [],
    lastGoodAt: undefined,
    trouble: undefined,
  };

  constructor(private readonly options: ShadowOptions) {}

  get state(): ShadowState {
    return this.#state;
  }

  /** How long it has worked since it was made, in seconds, pauses left out. */
  get spentSeconds(): number {
    return this.#spentMs / 1000;
  }

  /** Compares once. Throws the stores' outages and the end of a pause: the state stays as it was. */
  async pass(): Promise<void> {
    const now = this.#now();
    const isWhole = now.getTime() - this.#wholeAtMs >= WHOLE_EVERY_MS;
    try {
      let found = await this.#compare(isWhole);
      if (found === undefined) return;
      const known = new Set(this.#state.differences.map(({ account }) => account));
      // A log that was won back may have other entries than those that were followed: derived from the first
      // one again before anybody is told.
      if (found.some(({ account }) => !known.has(account))) {
        this.#startOver();
        found = (await this.#compare(true)) ?? [];
        this.#wholeAtMs = now.getTime();
      } else if (isWhole) this.#wholeAtMs = now.getTime();
      this.#state = {
        revision: this.#revision,
        differences: found,
        lastGoodAt: found.length === 0 ? now : this.#state.lastGoodAt,
        trouble: undefined,
      };
    } catch (error) {
      const isEnding = error instanceof Error && error.name === 'AbortError';
      if (isEnding || isOutage(error)) throw error;
      this.#state = { ...this.#state, trouble: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The differences; undefined while there are no read models. */
  async #compare(isWhole: boolean): Promise<BalanceDifference[] | undefined> {
    const { rows } = this.options;
    const place = await rows.balances([]);
    if (!place) return undefined;
    // Rows of an earlier entry than the last time: another log, or one that is being projected again.
    if (place.journalRevision < this.#revision) this.#startOver();
    await this.#follow(place.journalRevision);
    const asked = isWhole ? undefined : [...this.#toCompare];
    const seen = await rows.balances(asked);
    if (!seen) return undefined;
    await this.#follow(seen.journalRevision);
    const accounts = asked ?? new Set([...seen.balances.keys(), ...this.#derivation.balances.all().keys()]);
    // What moved between the two looks is compared the next time.
    if (asked === undefined) this.#toCompare = new Set();
    else for (const account of asked) this.#toCompare.delete(account);
    const found: BalanceDifference[] = [];
    for (const account of accounts) {
      const [rowMinor, derivedMinor] = [
        seen.balances.get(account) ?? 0,
        this.#derivation.balances.of(account),
      ];
      if (rowMinor === derivedMinor) continue;
      found.push({ account, rowMinor, derivedMinor });
      this.#toCompare.add(account);
    }
    return found;
  }

  /** Derives up to an entry. */
  async #follow(revision: number): Promise<void> {
    if (revision <= this.#revision) return;
    const leader = this.options.log.witness();
    let sliceFrom = performance.now();
    for await (const raw of this.options.log.readStream(JOURNAL, this.#revision + 1)) {
      const { postings } = entryOf(recorded(raw) as RecordedEvent<JournalEvent>, this.#derivation);
      this.#revision = raw.revision;
      for (const { debit, credit } of postings) this.#toCompare.add(debit).add(credit);
      const workedMs = performance.now() - sliceFrom;
      const isThere = raw.revision >= revision;
      if (!isThere && workedMs < SLICE_MS) continue;
      this.#spentMs += workedMs;
      if (isThere) return;
      await this.options.pause(workedMs);
      sliceFrom = performance.now();
    }
    // A node that was cut off from the others knows less than the rows, which another process may have
    // written.
    await leader.confirm();
    throw new LogTooShort(
      `The balances stand at entry ${revision} of the journal, and the log ends with ${this.#revision}.`,
    );
  }

  #startOver(): void {
    this.#derivation = new Derivation();
    this.#revision = -1;
    this.#toCompare = new Set();
  }

  #now(): Date {
    return this.options.now?.() ?? new Date();
  }
}

/** What is amiss, in sentences for whoever runs the processes; none where all is well. */
export function shadowReasons({ differences, revision, trouble }: ShadowState): string[] {
  const [first] = differences;
  const differing =
    first === undefined
      ? []
      : [
          `The balances of ${differences.length} ${differences.length === 1 ? 'account' : 'accounts'} are not what the audit derives from the journal through entry ${revision}: ${first.account} has ${first.rowMinor} minor units in the table, and ${first.derivedMinor} by its entries. Run "encore audit verify".`,
        ];
  return trouble === undefined
    ? differing
    : [...differing, `The audit cannot follow the journal: ${trouble} Run "encore audit verify".`];
}
