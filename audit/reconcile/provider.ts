/**
 * Holds the books against the balance at the card provider, movement by movement and from both sides: the log
 * alone says what each of the provider's objects was booked with, and every movement of the balance must be
 * there, or be somebody else's. It shares no code with the ledger's own hourly comparison.
 */
import { inWords } from './amounts.js';
import {
  BookedMovements,
  subjectsOf,
  type BookedMovement,
  type ReconciledEntry,
} from './booked-movements.js';
import { ownerOf, type DifferenceClass, type ReconciledItem } from './differences.js';
import type { ProviderMovement } from './provider-movement.js';

/** What the provider's side says, and as of when. */
export interface ProviderStatement {
  readonly movements: Iterable<ProviderMovement>;
  /**
   * Movements that the ledger has counted as somebody else's, or as ours and not booked yet, by id. Absent
   * where only a file is there: then what the log does not name is somebody else's in an account that is
   * shared.
   */
  readonly counted?: ReadonlyMap<string, 'foreign' | 'unbooked'> | undefined;
  /** Whether nobody else uses the account at the provider. */
  readonly isExclusive: boolean;
  /** The first moment of the movements; undefined: they begin with the account. */
  readonly since?: Date | undefined;
  /** What is compared is how both sides stood at this moment. */
  readonly at: Date;
  /** The provider's balances at `at` by currency, where it tells them apart from the movements. */
  readonly endingMinor?: ReadonlyMap<string, number> | undefined;
  /**
   * The provider's balances at `since`; needed for ending balances where the movements do not begin with the
   * account.
   */
  readonly openingMinor?: ReadonlyMap<string, number> | undefined;
}

/** One currency's balances at the end, in minor units: theirs, less what explains it, must be ours. */
export interface EndingBalance {
  readonly currency: string;
  readonly theirMinor: number;
  /**
   * What the movements add up to, the opening balance included; where the provider tells its balance by
   * itself.
   */
  readonly movementsMinor: number;
  readonly foreignMinor: number;
  readonly timingMinor: number;
  /** By what the two sides differed before the movements begin; zero where they begin with the account. */
  readonly broughtForwardMinor: number;
  /** Card clearing's debit. */
  readonly ourMinor: number;
  /** What is left: zero where the ending balances are equal. */
  readonly differenceMinor: number;
}

/** Gross, fee and net of one of the provider's types in one currency, on both sides, in minor units. */
interface TypeSum {
  readonly type: string;
  readonly currency: string;
  readonly count: number;
  readonly theirs: { readonly grossMinor: number; readonly feeMinor: number; readonly netMinor: number };
  readonly ourNetMinor: number;
}

export interface ProviderReconciliation {
  readonly items: readonly ReconciledItem[];
  /** Absent where the movements begin in the middle and nobody says with which balance. */
  readonly endings: readonly EndingBalance[] | undefined;
  readonly types: readonly TypeSum[];
  /** The moment that both sides were compared for. */
  readonly at: Date;
}

/** What is ours by the log may wait for its entry so long: workers look hourly, and retry for a day. */
const GRACE_MS = 24 * 3_600_000;
/** Two clocks are at work, and an entry follows its movement a little later. */
export const SKEW_MS = 15 * 60_000;

/** Compares. What `entries` throws, it throws. */
export async function reconcileProvider(
  entries: AsyncIterable<ReconciledEntry>,
  statement: ProviderStatement,
): Promise<ProviderReconciliation> {
  const books = new BookedMovements();
  for await (const entry of entries) books.add(entry);
  return new Comparison(books, statement).result();
}

/** What the comparison knows of a movement: the pair, or one side alone. */
interface Pair {
  readonly movement?: ProviderMovement | undefined;
  readonly booked?: BookedMovement | undefined;
}

class Comparison {
  readonly #atMs: number;
  readonly #sinceMs: number;
  readonly #items: ReconciledItem[] = [];
  readonly #types = new Map<string, TypeSum>();

  constructor(
    private readonly books: BookedMovements,
    private readonly statement: ProviderStatement,
  ) {
    this.#atMs = statement.at.getTime();
    this.#sinceMs = statement.since?.getTime() ?? Number.NEGATIVE_INFINITY;
  }

  result(): ProviderReconciliation {
    const seen = new Set<string>();
    const alone: ProviderMovement[] = [];
    const candidates = new Map<BookedMovement, ProviderMovement[]>();
    const sums = new Map<string, number>();
    for (const movement of this.statement.movements) {
      if (this.#isTheirs(movement)) add(sums, movement.currency, movement.netMinor);
      const booked = this.books.of(movement);
      if (seen.has(movement.id)) this.#put({ movement }, 'only-theirs', 'it is listed a second time');
      else if (booked) candidates.set(booked, [...(candidates.get(booked) ?? []), movement]);
      else alone.push(movement);
      seen.add(movement.id);
    }
    for (const [booked, movements] of candidates) {
      if (isInParts(movements, booked)) {
        this.#putParts(movements, booked);
        continue;
      }
      const movement = bestOf(movements, booked);
      this.#compare(movement, booked);
      alone.push(...movements.filter((other) => other !== movement));
    }
    const { pairs, rest } = withoutPairs(alone);
    for (const movement of pairs)
      if (this.#isTheirs(movement))
        this.#put({ movement }, 'matched', 'it left and came back before it was booked');
    for (const movement of rest) this.#onlyTheirs(movement);
    for (const booked of this.books.all())
      if (!candidates.has(booked))
        this.#onlyOurs(
          booked,
          [...booked.transactionIds].some((id) => seen.has(id)),
        );
    const types = [...this.#types].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
    return { items: this.#items, endings: this.#endings(sums), types, at: this.statement.at };
  }

  #compare(movement: ProviderMovement, booked: BookedMovement): void {
    const { netMinor, grossMinor, feeMinor, currency } = movement;
    if (!this.#isTheirs(movement) && this.#minorAtEnd(booked) === 0) return;
    const otherId = [...booked.transactionIds].find((id) => id !== movement.id);
    if (otherId !== undefined)
      return this.#put({ movement, booked }, 'amount', `the books name ${otherId} for it`);
    if (booked.netMinor !== netMinor) {
      const isFeeToCome = booked.lacksFee && booked.netMinor === grossMinor && this.#isYoung(movement);
      if (isFeeToCome) return this.#put({ movement, booked }, 'timing', 'its fee is not booked yet');
      const said = `net ${inWords(netMinor, currency)} there, ${inWords(booked.netMinor, currency)} in the books`;
      return this.#put({ movement, booked }, 'amount', said);
    }
    if (booked.feeMinor !== feeMinor && !isFeeAlone(movement)) {
      const said = `fee ${inWords(feeMinor, currency)} there, ${inWords(booked.feeMinor, currency)} in the books`;
      return this.#put({ movement, booked }, 'amount', said);
    }
    if (grossMinor - feeMinor !== netMinor)
      return this.#put({ movement, booked }, 'amount', 'there, gross less fee is not the net');
    const [theirs, ours] = [this.#isTheirs(movement), this.#minorAtEnd(booked) === booked.netMinor];
    if (theirs && ours) return this.#put({ movement, booked }, 'matched', '');
    this.#put(
      { movement, booked },
      'timing',
      theirs ? 'it was booked after the end' : 'there, it came after the end',
    );
  }

  /** All of it came back, in several movements, and one entry says so. */
  #putParts([first, ...others]: readonly ProviderMovement[], booked: BookedMovement): void {
    const isThere = [first!, ...others].every((movement) => this.#isTheirs(movement));
    const of = isThere && this.#minorAtEnd(booked) === booked.netMinor ? 'matched' : 'timing';
    this.#put({ movement: first, booked }, of, 'it came back in parts');
    for (const movement of others) this.#put({ movement }, of, 'it came back in parts');
  }

  #onlyTheirs(movement: ProviderMovement): void {
    if (movement.netMinor === 0 && movement.feeMinor === 0) return;
    if (!this.#isTheirs(movement)) return;
    const { counted, isExclusive } = this.statement;
    const kind = counted?.get(movement.id);
    const isOurs = this.books.knows(movement) || kind === 'unbooked';
    const isForeign = !isOurs && (kind === 'foreign' || (counted === undefined && !isExclusive));
    if (isForeign) return this.#put({ movement }, 'foreign', 'it is somebody else’s');
    if (isOurs && this.#isYoung(movement)) return this.#put({ movement }, 'timing', 'it is not booked yet');
    this.#put(
      { movement },
      'only-theirs',
      isOurs ? 'it is ours by the log, and is in no entry' : 'it is in no entry',
    );
  }

  #onlyOurs(booked: BookedMovement, isTaken: boolean): void {
    if (booked.netMinor === 0 || this.#minorAtEnd(booked) === 0) return;
    const { occurredAtMs } = booked;
    if (occurredAtMs < this.#sinceMs - SKEW_MS) return;
    if (occurredAtMs < this.#sinceMs || occurredAtMs > this.#atMs - SKEW_MS)
      return this.#put({ booked }, 'timing', 'it happened at the edge of the provider’s period');
    const because = isTaken ? 'another entry books its movement' : 'the provider shows no movement of it';
    this.#put({ booked }, 'only-ours', because);
  }

  #put({ movement, booked }: Pair, of: DifferenceClass, because: string): void {
    const currency = movement?.currency ?? booked?.currency ?? '';
    const theirMinor = movement && this.#isTheirs(movement) ? movement.netMinor : 0;
    const ourMinor = booked ? this.#minorAtEnd(booked) : 0;
    const sinceMs = Math.min(
      movement ? Date.parse(movement.createdAt) : Number.POSITIVE_INFINITY,
      booked?.occurredAtMs ?? Number.POSITIVE_INFINITY,
    );
    const isWaiting = of !== 'matched' && of !== 'foreign';
    this.#items.push({
      class: of,
      owner: ownerOf(of),
      currency,
      theirId: movement?.id,
      subject: booked?.subject ?? (movement ? subjectsOf(movement)[0]! : ''),
      theirMinor,
      ourMinor,
      revisions: booked?.postings.map(({ revision }) => revision) ?? [],
      since: new Date(sinceMs).toISOString(),
      ageMs: isWaiting ? Math.max(0, this.#atMs - sinceMs) : 0,
      because,
    });
    this.#count(movement?.type ?? 'in the books alone', currency, movement, ourMinor);
  }

  #count(type: string, currency: string, movement: ProviderMovement | undefined, ourMinor: number): void {
    const key = `${currency} ${type}`;
    const sum = this.#types.get(key);
    const has = movement && this.#isTheirs(movement) ? movement : { grossMinor: 0, feeMinor: 0, netMinor: 0 };
    this.#types.set(key, {
      type,
      currency,
      count: (sum?.count ?? 0) + 1,
      theirs: {
        grossMinor: (sum?.theirs.grossMinor ?? 0) + has.grossMinor,
        feeMinor: (sum?.theirs.feeMinor ?? 0) + has.feeMinor,
        netMinor: (sum?.theirs.netMinor ?? 0) + has.netMinor,
      },
      ourNetMinor: (sum?.ourNetMinor ?? 0) + ourMinor,
    });
  }

  #endings(sums: ReadonlyMap<string, number>): EndingBalance[] | undefined {
    const { since, openingMinor, endingMinor } = this.statement;
    if (since !== undefined && openingMinor === undefined) return undefined;
    const ours = new Map<string, number>();
    for (const booked of this.books.all()) add(ours, booked.currency, this.#minorAtEnd(booked));
    const currencies = new Set([...sums.keys(), ...ours.keys(), ...(endingMinor?.keys() ?? [])]);
    return [...currencies].sort().map((currency) => {
      const items = this.#items.filter((item) => item.currency === currency);
      const differenceOf = (of: DifferenceClass): number =>
        items.reduce((sum, item) => sum + (item.class === of ? item.theirMinor - item.ourMinor : 0), 0);
      const opening = openingMinor?.get(currency) ?? 0;
      const movementsMinor = opening + (sums.get(currency) ?? 0);
      const ourMinor = ours.get(currency) ?? 0;
      // What no item lists was booked before the movements begin.
      const ourListed = items.reduce((sum, item) => sum + item.ourMinor, 0);
      const broughtForwardMinor = since === undefined ? 0 : opening - (ourMinor - ourListed);
      const theirMinor = endingMinor === undefined ? movementsMinor : (endingMinor.get(currency) ?? 0);
      const [foreignMinor, timingMinor] = [differenceOf('foreign'), differenceOf('timing')];
      const differenceMinor = theirMinor - foreignMinor - timingMinor - broughtForwardMinor - ourMinor;
      return {
        ...{ currency, theirMinor, movementsMinor, foreignMinor, timingMinor },
        ...{ broughtForwardMinor, ourMinor, differenceMinor },
      };
    });
  }

  /** The provider had it by the end. */
  #isTheirs({ createdAt }: ProviderMovement): boolean {
    return Date.parse(createdAt) <= this.#atMs;
  }

  #isYoung({ createdAt }: ProviderMovement): boolean {
    return this.#atMs - Date.parse(createdAt) < GRACE_MS;
  }

  /** What the books had of it by the end. */
  #minorAtEnd({ postings }: BookedMovement): number {
    return postings.reduce(
      (sum, { netMinor, recordedAtMs }) => sum + (recordedAtMs <= this.#atMs ? netMinor : 0),
      0,
    );
  }
}

function add(sums: Map<string, number>, key: string, byMinor: number): void {
  sums.set(key, (sums.get(key) ?? 0) + byMinor);
}

/** Whether somebody at the provider took some of a transfer back by hand, and we the rest. */
const isInParts = (movements: readonly ProviderMovement[], { netMinor }: BookedMovement): boolean =>
  movements.length > 1 &&
  movements.every(({ source }) => source.kind === 'reversal') &&
  movements.reduce((sum, movement) => sum + movement.netMinor, 0) === netMinor;

/** A charge of the provider's may stand in the fee alone: then it is what moved. */
const isFeeAlone = ({ grossMinor }: ProviderMovement): boolean => grossMinor === 0;

/** Of several movements of one object the one that the books name, else the first of their sum. */
function bestOf(movements: readonly ProviderMovement[], booked: BookedMovement): ProviderMovement {
  const inOrder = [...movements].sort((one, other) =>
    one.createdAt === other.createdAt
      ? one.id.localeCompare(other.id)
      : one.createdAt.localeCompare(other.createdAt),
  );
  return (
    inOrder.find(({ id }) => booked.transactionIds.has(id)) ??
    inOrder.find(({ netMinor }) => netMinor === booked.netMinor) ??
    inOrder[0]!
  );
}

/** Parts off what left the balance by a refund and came back: that is no entry where neither was booked. */
function withoutPairs(alone: readonly ProviderMovement[]) {
  const sums = new Map<string, number>();
  const keyOf = ({ source, currency, id }: ProviderMovement): string =>
    source.kind === 'refund' ? `${source.id ?? id} ${currency}` : id;
  for (const movement of alone) add(sums, keyOf(movement), movement.netMinor);
  const isPaired = (movement: ProviderMovement): boolean =>
    movement.netMinor !== 0 && sums.get(keyOf(movement)) === 0;
  return { pairs: alone.filter(isPaired), rest: alone.filter((movement) => !isPaired(movement)) };
}
