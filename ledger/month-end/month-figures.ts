/**
 * What a month of the books came to, read from the journal from its first entry on. It is read once a month,
 * in the background of everything else: the ledger keeps no copy of balances as they were.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { JOURNAL, Posting, type AccountTotal } from '#contracts/events/journal';
import { currencyOf, kindOf } from '#contracts/plain/accounts';
import type { TimeSpan } from '#contracts/plain/months';
import type { EventLog, RawEvent } from '#log/event-log';
import type { MonthFigures } from '../journal/commands.js';

/** After so many entries others have their turn. */
const ENTRIES_AT_ONCE = 1_000;

/** What is read of an entry; older ones may lack postings where no money moved. */
const Entry = z.object({ postings: z.array(Posting).optional() });
const Recorded = z.object({ recordedAt: z.iso.datetime() });

/**
 * Adds up a month from the journal's entries, which are taken from the first one on. Amounts are minor units.
 */
export class MonthFold {
  readonly #balances = new Map<string, number>();
  #throughRevision = -1;
  #entryCount = 0;

  constructor(private readonly span: TimeSpan) {}

  /**
   * Takes the next entry; answers whether it is before the month's end. Times never go back from one to the
   * next.
   */
  take({ revision, data, metadata }: Pick<RawEvent, 'revision' | 'data' | 'metadata'>): boolean {
    const atMs = Date.parse(Recorded.parse(metadata.value).recordedAt);
    if (atMs >= this.span.untilMs) return false;
    for (const { debit, credit, amountMinor } of Entry.parse(data.value).postings ?? []) {
      this.#move(debit, -amountMinor);
      this.#move(credit, amountMinor);
    }
    this.#throughRevision = revision;
    if (atMs >= this.span.fromMs) this.#entryCount += 1;
    return true;
  }

  get figures(): MonthFigures {
    return {
      throughRevision: this.#throughRevision,
      entryCount: this.#entryCount,
      totals: totalsOf(this.#balances),
      balancesHash: hashOf(this.#balances),
    };
  }

  #move(account: string, byMinor: number): void {
    this.#balances.set(account, (this.#balances.get(account) ?? 0) + byMinor);
  }
}

/** Reads the figures of a month. Throws LogUnavailable. */
export async function monthFigures(log: Pick<EventLog, 'readStream'>, span: TimeSpan): Promise<MonthFigures> {
  const fold = new MonthFold(span);
  for await (const raw of log.readStream(JOURNAL, 0)) {
    if (!fold.take(raw)) break;
    if (raw.revision % ENTRIES_AT_ONCE === 0) await setImmediate();
  }
  return fold.figures;
}

/** Balances by kind of account and currency, in that order. */
function totalsOf(balances: ReadonlyMap<string, number>): AccountTotal[] {
  const totals = new Map<string, AccountTotal>();
  for (const [account, minor] of balances) {
    const [kind, currency] = [kindOf(account), currencyOf(account)];
    const key = `${kind} ${currency}`;
    const balanceMinor = (totals.get(key)?.balanceMinor ?? 0) + minor;
    totals.set(key, { kind, currency, balanceMinor });
  }
  return [...totals].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total);
}

/**
 * SHA-256, as base64url, of a line `account balance` for each account that is not at zero, in order of names.
 */
function hashOf(balances: ReadonlyMap<string, number>): string {
  const hash = createHash('sha256');
  const names = [...balances.keys()].sort((one, other) => (one < other ? -1 : 1));
  for (const name of names) {
    const minor = balances.get(name) ?? 0;
    if (minor !== 0) hash.update(`${name} ${minor}\n`);
  }
  return hash.digest('base64url');
}
