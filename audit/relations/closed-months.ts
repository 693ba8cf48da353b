/** Checks the months that the journal says are closed against what their entries come to. */
import type { JournalEventOf } from '#contracts/events/journal';
import { currencyOf, kindOf } from '#contracts/plain/accounts';
import { DEFAULT_TIME_ZONE, monthAfter, monthOf, spanOfMonth } from '#contracts/plain/months';
import type { LogSource } from '#log/event-log';
import { leafOf } from '#log/transparency/leaf';
import { leafHash } from '#log/transparency/merkle';
import { GrowingTree } from '#log/transparency/tiles';
import type { Check } from '../report.js';
import { ourEvents } from '../transparency/log-tree.js';
import type { Balances } from '../derivation/balances.js';
import type { Derivation } from '../derivation/derivation.js';
import { differing, whereOf, type JournalEntry, type Relation } from './relation.js';
import { balancesHash } from '../books/trial-balance.js';

type Closing = JournalEventOf<'MonthClosed'>['data'];
type Figures = Pick<Closing, 'throughRevision' | 'entryCount' | 'balancesHash'> & { readonly totals: string };

/** What a closed month says of the log's tree, and where it says so. */
interface NamedTree {
  readonly where: string;
  readonly size: number;
  readonly root: string;
}

/** Totals by kind and currency as text; a kind at zero says nothing. */
const totalsText = (totals: Closing['totals']): string =>
  totals
    .filter(({ balanceMinor }) => balanceMinor !== 0)
    .map(({ kind, currency, balanceMinor }) => `${kind} ${currency} ${balanceMinor}`)
    .sort()
    .join(', ');

function totalsOf(balances: Balances): string {
  const totals = new Map<string, { kind: string; currency: string; balanceMinor: number }>();
  for (const [account, minor] of balances.all()) {
    const [kind, currency] = [kindOf(account), currencyOf(account)];
    const total = totals.get(`${kind} ${currency}`) ?? { kind, currency, balanceMinor: 0 };
    totals.set(`${kind} ${currency}`, total);
    total.balanceMinor += minor;
  }
  return totalsText([...totals.values()]);
}

/** Follows the journal entry by entry, and keeps what each month came to. */
export class MonthEnds implements Relation {
  readonly #findings: string[] = [];
  readonly #figures = new Map<string, Figures>();
  #zone = DEFAULT_TIME_ZONE;
  #first: string | undefined;
  #present = '';
  /** When the present month is over. */
  #untilMs = Number.NEGATIVE_INFINITY;
  #entryCount = 0;
  #closed = 0;
  #closedThrough: string | undefined;
  readonly #trees: NamedTree[] = [];

  constructor(private readonly derivation: Derivation) {}

  /** Takes an entry, before its postings are in the balances. */
  entry(event: JournalEntry): void {
    const atMs = Date.parse(event.metadata.recordedAt);
    if (this.#first === undefined && event.type === 'LedgerFounded')
      this.#zone = event.data.timeZone ?? DEFAULT_TIME_ZONE;
    if (atMs >= this.#untilMs) this.#begin(monthOf(atMs, this.#zone), event.revision);
    this.#entryCount += 1;
    if (event.type === 'MonthClosed') this.#check(event);
  }

  check(): Check {
    return { name: 'closed months add up', figure: `${this.#closed} months`, findings: this.#findings };
  }

  /**
   * Looks whether the tree that each closed month names is that of this log: builds it once more, up to the
   * largest of them. To be asked once all entries were taken; does nothing where no month names a tree.
   */
  async checkTrees(source: LogSource): Promise<void> {
    const waiting = this.#trees.toSorted((one, other) => one.size - other.size);
    if (waiting.length === 0) return;
    const tree = new GrowingTree();
    const compare = (): void => {
      for (; waiting[0]?.size === tree.size; waiting.shift()) {
        const { where, size, root } = waiting[0];
        const due = tree.root().toString('base64');
        if (root !== due)
          this.#findings.push(
            `${where}: the root over the first ${size} events was ${root} when the month was closed, and is ${due}`,
          );
      }
    };
    compare();
    for await (const raw of ourEvents(source)) {
      if (waiting.length === 0) break;
      tree.append(leafHash(leafOf(raw)));
      compare();
    }
    for (const { where, size } of waiting)
      this.#findings.push(`${where}: the tree had ${size} events by then, and the log has ${tree.size}`);
  }

  #begin(month: string, revision: number): void {
    if (this.#first === undefined) this.#first = month;
    else this.#end(month, revision - 1);
    this.#present = month;
    this.#untilMs = spanOfMonth(month, this.#zone).untilMs;
  }

  #end(next: string, throughRevision: number): void {
    const { balances } = this.derivation;
    const figures = { throughRevision, balancesHash: balancesHash(balances), totals: totalsOf(balances) };
    for (let ended = this.#present; ended < next; ended = monthAfter(ended)) {
      this.#figures.set(ended, { ...figures, entryCount: this.#entryCount });
      this.#entryCount = 0;
    }
  }

  #check(event: JournalEntry & { readonly type: 'MonthClosed' }): void {
    this.#closed += 1;
    const { month, timeZone, totals } = event.data;
    const due = this.#closedThrough === undefined ? this.#first : monthAfter(this.#closedThrough);
    const derived = this.#figures.get(month);
    this.#closedThrough = month;
    this.#nameTree(event);
    const told: Figures = { ...event.data, totals: totalsText(totals) };
    const wrong = [
      ...differing('month', month, due),
      ...differing('timeZone', timeZone, this.#zone),
      ...(derived === undefined
        ? ['the month was not over']
        : (['throughRevision', 'entryCount', 'totals', 'balancesHash'] as const).flatMap((name) =>
            differing(name, told[name], derived[name]),
          )),
    ];
    if (wrong.length > 0)
      this.#findings.push(`${whereOf(event)}: ${event.type} of ${month}: ${wrong.join('; ')}`);
  }

  #nameTree({
    data: { month, treeSize, root },
    ...event
  }: JournalEntry & { readonly type: 'MonthClosed' }): void {
    if (treeSize !== undefined && root !== undefined)
      this.#trees.push({ where: `${whereOf(event)}: ${event.type} of ${month}`, size: treeSize, root });
  }
}
