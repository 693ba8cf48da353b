/** Checks the months that the journal says are closed against what their entries come to. */
import { JOURNAL, type JournalEvent, type JournalEventOf } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { currencyOf, kindOf } from '#contracts/plain/accounts';
import { DEFAULT_TIME_ZONE, monthAfter, monthOf } from '#contracts/plain/months';
import { recorded } from '#log/event-log';
import type { Check } from '../report.js';
import type { Balances } from '../derivation/balances.js';
import { Derivation } from '../derivation/derivation.js';
import type { BooksSource } from './fold.js';
import { balancesHash } from './trial-balance.js';

type Closing = JournalEventOf<'MonthClosed'>['data'];
type Figures = Pick<Closing, 'throughRevision' | 'entryCount' | 'balancesHash'> & { readonly totals: string };

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
export class MonthEnds {
  readonly findings: string[] = [];
  closed = 0;
  readonly #figures = new Map<string, Figures>();
  #zone = DEFAULT_TIME_ZONE;
  #first: string | undefined;
  #present = '';
  #entryCount = 0;
  #closedThrough: string | undefined;

  /** Is told of each entry, with the balances before it. */
  next(event: RecordedEvent<JournalEvent>, before: Balances): void {
    if (this.#first === undefined && event.type === 'LedgerFounded')
      this.#zone = event.data.timeZone ?? DEFAULT_TIME_ZONE;
    const month = monthOf(Date.parse(event.metadata.recordedAt), this.#zone);
    this.#first ??= this.#present = month;
    if (month > this.#present) this.#end(month, event.revision - 1, before);
    this.#entryCount += 1;
    if (event.type === 'MonthClosed') this.#check(event.data, event.revision);
  }

  #end(month: string, throughRevision: number, balances: Balances): void {
    const figures = { throughRevision, balancesHash: balancesHash(balances), totals: totalsOf(balances) };
    for (let ended = this.#present; ended < month; ended = monthAfter(ended)) {
      this.#figures.set(ended, { ...figures, entryCount: this.#entryCount });
      this.#entryCount = 0;
    }
    this.#present = month;
  }

  #check(closing: Closing, revision: number): void {
    this.closed += 1;
    const { month } = closing;
    const wrong = (what: string): number => this.findings.push(`entry ${revision} closes ${month}: ${what}`);
    const due = this.#closedThrough === undefined ? this.#first : monthAfter(this.#closedThrough);
    if (month !== due) wrong(`it is the turn of ${due}`);
    this.#closedThrough = month;
    if (closing.timeZone !== this.#zone)
      wrong(`it says time zone ${closing.timeZone}, and the books are kept in ${this.#zone}`);
    const derived = this.#figures.get(month);
    if (!derived) {
      wrong('the month was not over');
      return;
    }
    const told: Figures = { ...closing, totals: totalsText(closing.totals) };
    for (const name of ['throughRevision', 'entryCount', 'totals', 'balancesHash'] as const)
      if (told[name] !== derived[name])
        wrong(`it says ${name} ${told[name]}, and the entries come to ${derived[name]}`);
  }
}

/** Compares every closed month with its entries. Throws LogUnavailable, UnreadableEvent and Underivable. */
export async function checkClosedMonths(source: BooksSource): Promise<Check> {
  const derivation = new Derivation();
  const months = new MonthEnds();
  for await (const raw of source.readStream(JOURNAL, 0)) {
    const event = recorded(raw) as RecordedEvent<JournalEvent>;
    months.next(event, derivation.balances);
    derivation.next(event);
  }
  return { name: 'months closed', figure: `${months.closed} months`, findings: months.findings };
}
