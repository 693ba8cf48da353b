/**
 * Holds what the provider paid out to the platform's own bank (`PlatformPaidOut`, less what came back)
 * against the bank's statements. A line that names a payout belongs to it; one that names none and looks like
 * the provider's is matched by amount and day. Everything else at the bank is other business.
 */
import { inWords } from './amounts.js';
import type { BankLine, BankStatement } from './bank-file.js';
import type { ReconciledEntry } from './booked-movements.js';
import { ownerOf, type DifferenceClass, type ReconciledItem } from './differences.js';

const DAY_MS = 86_400_000;
/** So long money may be on its way to a bank. */
const ON_ITS_WAY_MS = 7 * DAY_MS;
/** A bank books by its own calendar day, which may begin before the provider's. */
const EARLY_MS = 2 * DAY_MS;

interface BankInput {
  readonly statements: readonly BankStatement[];
  /** What a line of the provider's has in its texts, in any case: its name as the bank writes it. */
  readonly providerName: string;
}

export interface BankReconciliation {
  readonly items: readonly ReconciledItem[];
  /** Statements that do not add up, or do not follow on each other. */
  readonly broken: readonly string[];
}

/** What of one payout should be at the bank. */
interface PaidOut {
  /** The payout's id at the provider, or its balance transaction's. */
  readonly id: string;
  readonly currency: string;
  readonly transactionIds: string[];
  readonly revisions: number[];
  paidAtMs: number;
  /** What the bank should have had of it: zero once it came back. */
  netMinor: number;
}

/** Compares. What `entries` throws, it throws. */
export async function reconcileBank(
  entries: AsyncIterable<ReconciledEntry>,
  { statements, providerName }: BankInput,
): Promise<BankReconciliation> {
  const payouts = new Map<string, PaidOut>();
  for await (const entry of entries) note(payouts, entry);
  const comparison = new BankComparison(statements, providerName.toLowerCase());
  comparison.together([...payouts.values()]);
  for (const payout of payouts.values()) comparison.byName(payout);
  comparison.byAmount();
  comparison.leftOver();
  return { items: comparison.items, broken: brokenIn(statements) };
}

/** What the provider keeps back of a payout, and gives back at once: none of it goes to a bank. */
const KEPT_BACK: ReadonlySet<string> = new Set([
  'payout_minimum_balance_hold',
  'payout_minimum_balance_release',
]);

function note(payouts: Map<string, PaidOut>, { type, data, revision }: ReconciledEntry): void {
  if (type !== 'PlatformPaidOut' && type !== 'PlatformPayoutReturned') return;
  if (KEPT_BACK.has(data.providerType)) return;
  const id = data.sourceId ?? data.balanceTransactionId;
  const payout = payouts.get(id) ?? {
    id,
    currency: data.currency,
    transactionIds: [],
    revisions: [],
    paidAtMs: Date.parse(data.occurredAt),
    netMinor: 0,
  };
  payout.transactionIds.push(data.balanceTransactionId);
  payout.revisions.push(revision);
  payout.netMinor += type === 'PlatformPaidOut' ? data.amountMinor : -data.amountMinor;
  payouts.set(id, payout);
}

class BankComparison {
  readonly items: ReconciledItem[] = [];
  readonly #free: Set<BankLine>;
  readonly #fromMs: number;
  readonly #toMs: number;
  #unnamed: PaidOut[] = [];
  /** Payouts that stand together in a line. */
  readonly #told = new Set<PaidOut>();
  readonly #words: LineWords;

  constructor(
    statements: readonly BankStatement[],
    private readonly providerName: string,
  ) {
    this.#free = new Set();
    const seen = new Set<string>();
    this.#fromMs = Math.min(...statements.map(({ from }) => Date.parse(from)));
    this.#toMs = Math.max(...statements.map(({ to }) => Date.parse(to))) + DAY_MS;
    for (const { account, lines } of statements)
      for (const line of lines) {
        const key = `${account} ${line.id}`;
        if (seen.has(key)) this.#put(undefined, [line], 'only-theirs', 'the bank lists it a second time');
        else this.#free.add(line);
        seen.add(key);
      }
    this.#words = new LineWords(this.#free);
  }

  /** Takes the lines that name several payouts, which the bank booked as one. */
  together(payouts: readonly PaidOut[]): void {
    const namedIn = new Map<BankLine, PaidOut[]>();
    for (const payout of payouts)
      for (const line of this.#words.naming(payout))
        namedIn.set(line, [...(namedIn.get(line) ?? []), payout]);
    for (const line of this.#free) {
      const named = namedIn.get(line) ?? [];
      if (named.length < 2) continue;
      const [first] = named as [PaidOut];
      this.#free.delete(line);
      for (const payout of named) this.#told.add(payout);
      this.#compare(
        {
          ...first,
          id: named.map(({ id }) => id).join(' '),
          revisions: named.flatMap(({ revisions }) => revisions),
          paidAtMs: Math.min(...named.map(({ paidAtMs }) => paidAtMs)),
          netMinor: named.reduce((minor, { netMinor }) => minor + netMinor, 0),
        },
        [line],
      );
    }
  }

  /** Takes the lines that name the payout alone. */
  byName(payout: PaidOut): void {
    if (this.#told.has(payout)) return;
    const lines = this.#words.naming(payout).filter((line) => this.#free.has(line));
    if (lines.length === 0) return void this.#unnamed.push(payout);
    for (const line of lines) this.#free.delete(line);
    this.#compare(payout, lines);
  }

  #compare(payout: PaidOut, lines: readonly BankLine[]): void {
    const sum = lines.reduce((minor, { amountMinor }) => minor + amountMinor, 0);
    const isSame = sum === payout.netMinor && lines.every(({ currency }) => currency === payout.currency);
    if (isSame) return this.#put(payout, lines, 'matched', '');
    const said = `${inWords(sum, lines[0]!.currency)} at the bank, ${inWords(payout.netMinor, payout.currency)} in the books`;
    this.#put(payout, lines, 'amount', said);
  }

  /**
   * Pairs what no line names with lines that name nothing: the oldest payout with the first line of its
   * amount.
   */
  byAmount(): void {
    const lines = [...this.#free]
      .filter((line) => this.#isProviders(line))
      .sort((one, other) => dayMs(one) - dayMs(other) || one.id.localeCompare(other.id));
    for (const payout of this.#unnamed.sort((one, other) => one.paidAtMs - other.paidAtMs)) {
      const line = lines.find(
        (each) =>
          this.#free.has(each) &&
          each.amountMinor === payout.netMinor &&
          each.currency === payout.currency &&
          dayMs(each) >= payout.paidAtMs - EARLY_MS &&
          dayMs(each) <= payout.paidAtMs + ON_ITS_WAY_MS + DAY_MS,
      );
      if (line) {
        this.#free.delete(line);
        this.#put(payout, [line], 'matched', '');
      } else this.#withoutLine(payout);
    }
  }

  leftOver(): void {
    for (const line of this.#free)
      if (!this.#isProviders(line))
        this.#put(undefined, [line], 'foreign', 'it is no business of the provider’s');
      else this.#put(undefined, [line], 'only-theirs', 'no payout in the books explains it');
  }

  #withoutLine(payout: PaidOut): void {
    // It came back, or was never sent: the bank has nothing of it, and should not.
    if (payout.netMinor === 0) return this.#put(payout, [], 'matched', 'it came back');
    const { paidAtMs } = payout;
    if (paidAtMs + ON_ITS_WAY_MS < this.#fromMs || paidAtMs > this.#toMs) return;
    if (paidAtMs < this.#fromMs)
      return this.#put(payout, [], 'timing', 'it may have arrived before the statement begins');
    if (paidAtMs + ON_ITS_WAY_MS > this.#toMs)
      return this.#put(payout, [], 'timing', 'it is on its way to the bank');
    this.#put(payout, [], 'only-ours', 'the bank shows no line of it');
  }

  #isProviders({ texts }: BankLine): boolean {
    return texts.some((text) => text.toLowerCase().includes(this.providerName));
  }

  #put(payout: PaidOut | undefined, lines: readonly BankLine[], of: DifferenceClass, because: string): void {
    const sinceMs = Math.min(payout?.paidAtMs ?? Infinity, ...lines.map(dayMs));
    const isWaiting = of !== 'matched' && of !== 'foreign';
    this.items.push({
      class: of,
      owner: of === 'only-theirs' ? 'finance' : ownerOf(of),
      currency: payout?.currency ?? lines[0]?.currency ?? '',
      theirId: lines.length === 0 ? undefined : lines.map(({ id }) => id).join(' '),
      subject: payout ? `payout ${payout.id}` : 'bank line',
      theirMinor: lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
      ourMinor: payout?.netMinor ?? 0,
      revisions: payout?.revisions ?? [],
      since: new Date(sinceMs).toISOString(),
      ageMs: isWaiting ? Math.max(0, this.#toMs - sinceMs) : 0,
      because,
    });
  }
}

const dayMs = ({ bookedOn }: BankLine): number => Date.parse(bookedOn);

/** A text as words of small letters and digits, between blanks: banks drop what is neither. */
const wordsOf = (written: string): string =>
  ` ${written
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()} `;

/**
 * The lines by the words in their texts: each payout is looked for in the few that have a word of its name.
 */
class LineWords {
  readonly #texts = new Map<BankLine, readonly string[]>();
  readonly #byWord = new Map<string, Set<BankLine>>();

  constructor(lines: Iterable<BankLine>) {
    for (const line of lines) {
      const texts = line.texts.map(wordsOf);
      this.#texts.set(line, texts);
      for (const word of texts.flatMap((text) => text.trim().split(' '))) {
        const having = this.#byWord.get(word) ?? new Set();
        this.#byWord.set(word, having.add(line));
      }
    }
  }

  /**
   * The lines that name a payout, in their order: by its own id or by that of one of its balance
   * transactions, as a word. `po_1` is not named by `po_12`.
   */
  naming({ id, transactionIds }: PaidOut): BankLine[] {
    const found = new Set<BankLine>();
    for (const name of [id, ...transactionIds].map(wordsOf)) {
      const [longest = ''] = name
        .trim()
        .split(' ')
        .sort((one, other) => other.length - one.length);
      for (const line of this.#byWord.get(longest) ?? [])
        if (this.#texts.get(line)?.some((text) => text.includes(name))) found.add(line);
    }
    return [...found];
  }
}

/** Each statement adds up, and begins with what the one before it ended with. */
function brokenIn(statements: readonly BankStatement[]): string[] {
  const broken: string[] = [];
  const byAccount = new Map<string, BankStatement[]>();
  for (const statement of statements) {
    const { id, currency, openingMinor, closingMinor, lines, account } = statement;
    // A bank may keep one account in several currencies, each with statements of its own.
    const key = `${account} ${currency}`;
    byAccount.set(key, [...(byAccount.get(key) ?? []), statement]);
    const sum = lines.reduce((minor, { amountMinor }) => minor + amountMinor, openingMinor);
    if (sum !== closingMinor)
      broken.push(
        `statement ${id} begins with ${inWords(openingMinor, currency)}, its lines end at ${inWords(sum, currency)}, and it says ${inWords(closingMinor, currency)}`,
      );
  }
  for (const ofAccount of byAccount.values()) {
    const inOrder = ofAccount.sort((one, other) => (one.from < other.from ? -1 : 1));
    for (const [n, { id, openingMinor, currency }] of inOrder.entries()) {
      const before = inOrder[n - 1];
      if (before && before.closingMinor !== openingMinor)
        broken.push(
          `statement ${id} begins with ${inWords(openingMinor, currency)}, and ${before.id} ended with ${inWords(before.closingMinor, currency)}`,
        );
    }
  }
  return broken;
}
