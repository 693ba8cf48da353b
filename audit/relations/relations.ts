/**
 * Every relation that verify follows, over one derivation: what each entry's postings must be, and how
 * entries and other streams fit. In the order of the log; memory grows with payments, payouts and accounts,
 * not with entries.
 */
import { postingsOf } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { currencyOf } from '#contracts/plain/accounts';
import type { LogSource } from '#log/event-log';
import { Derivation, Underivable, type DerivedPosting } from '../derivation/derivation.js';
import type { Balances } from '../derivation/balances.js';
import { MonthEnds } from './closed-months.js';
import type { Check } from '../report.js';
import { Accounts } from './accounts.js';
import { Charges } from './charges.js';
import { Consent, type DueClock } from './consent.js';
import { Epochs } from './epochs.js';
import { Keys } from './keys.js';
import { Payments } from './payments.js';
import { Payouts } from './payouts.js';
import { People } from './people.js';
import { shown, whereOf, type JournalEntry, type Relation } from './relation.js';
import { WriteOffs } from './write-offs.js';

export class Relations {
  readonly #derivation = new Derivation();
  readonly #relations: readonly Relation[];
  readonly #months = new MonthEnds(this.#derivation);
  readonly #findings: string[] = [];
  #entries = 0;
  /** Of each check, how many findings are not told. */
  #told: readonly number[] = [];

  /** `dueClock` is by which clock schedules are due. */
  constructor(dueClock?: DueClock) {
    const writeOffs = new WriteOffs(this.#derivation);
    const payments = new Payments(this.#derivation, writeOffs);
    this.#relations = [
      new Keys(),
      payments,
      new Charges(payments, writeOffs),
      new Payouts(writeOffs),
      new Consent(dueClock),
      new People(),
      new Accounts(this.#derivation),
      new Epochs(),
      this.#months,
    ];
  }

  /** The balances that follow from the entries so far, whatever postings they carry. */
  get balances(): Balances {
    return this.#derivation.balances;
  }

  /** Takes an event of a stream other than the journal. */
  other(event: RecordedEvent): void {
    for (const relation of this.#relations) relation.other?.(event);
  }

  entry(entry: JournalEntry): void {
    this.#entries += 1;
    for (const relation of this.#relations) relation.entry(entry);
    try {
      this.#compare(entry, this.#derivation.next(entry));
    } catch (error) {
      if (!(error instanceof Underivable || error instanceof RangeError)) throw error;
      this.#findings.push(`${whereOf(entry)}: ${error.message}`);
    }
  }

  /** What takes another look at the log, once all of it was taken. */
  async lookAgain(log: LogSource): Promise<void> {
    await this.#months.checkTrees(log);
  }

  /** What was found so far is not told any more. */
  judgeFromHere(): void {
    this.#told = this.#all().map(({ findings }) => findings.length);
  }

  checks(): readonly Check[] {
    return this.#all().map((check, at) => ({
      ...check,
      findings: check.findings.slice(this.#told[at] ?? 0),
    }));
  }

  /** Each relation's findings in the order of the log, all of them. */
  #all(): readonly Check[] {
    const postings: Check = {
      name: 'postings follow from the entry',
      figure: `${this.#entries} entries`,
      findings: this.#findings,
    };
    return [postings, ...this.#relations.map((relation) => relation.check())];
  }

  #compare(entry: JournalEntry, derived: readonly DerivedPosting[]): void {
    const [said, due] = [legsOf(postingsOf(entry)), legsOf(derived)];
    for (const { debit, credit, currency } of derived)
      for (const account of [debit, credit]) {
        const held = currencyOf(account);
        if (held !== currency)
          this.#findings.push(
            `${whereOf(entry)}: ${entry.type} moves ${shown(currency)} on ${account}, which holds ${held}`,
          );
      }
    if (said === due) return;
    this.#findings.push(
      `${whereOf(entry)}: ${entry.type} moves ${said}; by its fields it should move ${due}`,
    );
  }
}

type Moved = Pick<DerivedPosting, 'debit' | 'credit' | 'amountMinor'>;

/** Postings in one line; two legs between the same accounts in another order are other postings. */
const legsOf = (postings: readonly Moved[]): string =>
  postings.map(({ debit, credit, amountMinor }) => `${amountMinor} from ${debit} to ${credit}`).join(', ') ||
  'nothing';
