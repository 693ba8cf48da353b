/**
 * Holds the books against the balance at the card provider, movement by movement and from both sides: the log
 * alone says what each of the provider's objects was booked with, and every movement of the balance must be
 * there, or be counted as somebody else's. It shares no code with the ledger's own hourly comparison.
 */
import { currencyOf, isPersonal, platform } from '#contracts/plain/accounts';
import { JOURNAL, postingsOf, type JournalEvent } from '#contracts/events/journal';
import { recorded, type EventLog } from '#log/event-log';
import type { Check } from './report.js';

/** A movement of the balance as the provider shows it; amounts in minor units, above zero came in. */
export interface ProviderMovement {
  readonly id: string;
  readonly type: string;
  readonly netMinor: number;
  readonly currency: string;
  readonly createdAt: string;
  /** What kind of object it came from, and that object's id. */
  readonly source: { readonly kind: string; readonly id?: string | undefined };
}

/** The provider's side: read when it is asked for. */
export interface ProviderSide {
  /** Available and pending, by currency. */
  total(): Promise<ReadonlyMap<string, number>>;
  movements(): AsyncIterable<ProviderMovement>;
  /** Movements that the ledger has counted as somebody else's, or as ours and not booked yet, by id. */
  counted(): Promise<ReadonlyMap<string, 'foreign' | 'unbooked'>>;
}

/** The balance may move while it is read; so often it is read again. */
const TRIES = 3;

/** Throws LogUnavailable, and what the provider's side throws. */
export async function checkProvider(log: EventLog, provider: ProviderSide): Promise<readonly Check[]> {
  for (let tries = 1; ; tries++) {
    const before = await provider.total();
    const movements: ProviderMovement[] = [];
    for await (const movement of provider.movements()) movements.push(movement);
    const counted = await provider.counted();
    const books = await BooksAtProvider.of(log);
    const after = await provider.total();
    if (tries < TRIES && !isSame(before, after)) continue;
    return checksOf({ total: after, movements, counted, books });
  }
}

const isSame = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean =>
  one.size === other.size && [...one].every(([currency, minor]) => other.get(currency) === minor);

/** What the journal has booked in card clearing, by the provider's object that it booked. */
class BooksAtProvider {
  /** By the object's key and currency: what card clearing was debited, in minor units. */
  readonly booked = new Map<string, number>();
  /** All balances, credit minus debit. */
  readonly balances = new Map<string, number>();

  static async of(log: EventLog): Promise<BooksAtProvider> {
    const books = new BooksAtProvider();
    for await (const raw of log.readStream(JOURNAL, 0)) {
      const event = recorded(raw) as JournalEvent & { readonly revision: number };
      books.#add(event);
    }
    return books;
  }

  #add(event: JournalEvent & { readonly revision: number }): void {
    const key = objectOf(event) ?? `entry ${event.revision} of the journal (${event.type})`;
    for (const { debit, credit, amountMinor } of postingsOf(event)) {
      add(this.balances, debit, -amountMinor);
      add(this.balances, credit, amountMinor);
      if (isClearing(debit)) add(this.booked, inCurrency(key, currencyOf(debit)), amountMinor);
      if (isClearing(credit)) add(this.booked, inCurrency(key, currencyOf(credit)), -amountMinor);
    }
  }

  /** Card clearing's debit. */
  clearing(currency: string): number {
    return -(this.balances.get(platform('card-clearing', currency)) ?? 0);
  }
}

const isClearing = (account: string): boolean => account === platform('card-clearing', currencyOf(account));
const inCurrency = (key: string, currency: string): string => `${key} ${currency}`;

function add(sums: Map<string, number>, key: string, byMinor: number): void {
  sums.set(key, (sums.get(key) ?? 0) + byMinor);
}

/** The provider's object that an entry books in card clearing. */
function objectOf(event: JournalEvent): string | undefined {
  switch (event.type) {
    case 'PaymentSettled':
    case 'UnappliedReceived':
      return `charge ${event.data.chargeId}`;
    case 'PaymentRefunded':
    case 'UnappliedRefunded':
      return `refund ${event.data.refundId}`;
    case 'RefundFailed':
    case 'UnappliedRefundFailed':
      return `failed refund ${event.data.refundId}`;
    case 'PayoutTransferred':
      return `transfer ${event.data.providerTransferId}`;
    case 'PayoutFailed':
      return event.data.reversalId === undefined ? undefined : `reversal ${event.data.reversalId}`;
    default:
      return 'balanceTransactionId' in event.data ? `movement ${event.data.balanceTransactionId}` : undefined;
  }
}

/** The keys under which the books may have a movement. */
function keysOf({ id, type, source }: ProviderMovement): string[] {
  const kind = source.kind === 'refund' && type.endsWith('_failure') ? 'failed refund' : source.kind;
  return source.id === undefined ? [`movement ${id}`] : [`${kind} ${source.id}`, `movement ${id}`];
}

interface BothSides {
  readonly total: ReadonlyMap<string, number>;
  readonly movements: readonly ProviderMovement[];
  readonly counted: ReadonlyMap<string, 'foreign' | 'unbooked'>;
  readonly books: BooksAtProvider;
}

function checksOf({ total, movements, counted, books }: BothSides): Check[] {
  const left = new Map(books.booked);
  const sums = new Map<string, number>();
  const foreign = new Map<string, number>();
  const unexplained: { readonly movement: ProviderMovement; readonly bookedMinor: number }[] = [];
  for (const movement of movements) {
    const { id, netMinor, currency } = movement;
    add(sums, currency, netMinor);
    const keys = keysOf(movement).map((key) => inCurrency(key, currency));
    const bookedMinor = keys.reduce((sum, key) => sum + (left.get(key) ?? 0), 0);
    for (const key of keys) left.delete(key);
    if (bookedMinor === netMinor) continue;
    if (bookedMinor === 0 && counted.get(id) === 'foreign') add(foreign, currency, netMinor);
    else unexplained.push({ movement, bookedMinor });
  }
  const open = withoutPairs(unexplained);
  const currencies = [...new Set([...total.keys(), ...sums.keys(), ...clearingCurrencies(books)])].sort();
  return [
    {
      name: 'movements add up to the balance',
      figure: `${movements.length} movements`,
      findings: currencies
        .filter((currency) => (sums.get(currency) ?? 0) !== (total.get(currency) ?? 0))
        .map(
          (currency) =>
            `the provider's movements add up to ${inWords(sums.get(currency), currency)}, and its balance is ${inWords(total.get(currency), currency)}`,
        ),
    },
    {
      name: 'balance = books + foreign',
      figure: currencies.map((currency) => figureOf(currency)).join('; ') || 'no money',
      findings: currencies
        .filter((currency) => differenceOf(currency) !== 0)
        .map((currency) => findingOf(currency)),
    },
    {
      name: 'every movement is explained',
      figure: `${movements.length - open.length} of ${movements.length}`,
      findings: open.map((each) => wordsOf(each, counted)),
    },
    {
      name: 'every entry has its movement',
      figure: `${books.booked.size} objects booked`,
      findings: [...left]
        .filter(([, minor]) => minor !== 0)
        .map(([key, minor]) => `the books have ${minor} minor units for ${key}, and the provider shows none`),
    },
    { name: 'owed to people', figure: owedWords(books), findings: [] },
  ];

  function differenceOf(currency: string): number {
    return (total.get(currency) ?? 0) - books.clearing(currency) - (foreign.get(currency) ?? 0);
  }
  function figureOf(currency: string): string {
    return `${inWords(total.get(currency), currency)} = ${inWords(books.clearing(currency), currency)} + ${inWords(foreign.get(currency), currency)}`;
  }
  function findingOf(currency: string): string {
    return `the balance is ${inWords(differenceOf(currency), currency)} off what books and foreign movements explain`;
  }
}

const clearingCurrencies = ({ balances }: BooksAtProvider): string[] =>
  [...balances.keys()].filter(isClearing).map(currencyOf);

/** What left the balance and came back before anybody booked it is no entry, and nothing is missing. */
function withoutPairs(
  unexplained: readonly { readonly movement: ProviderMovement; readonly bookedMinor: number }[],
) {
  const sums = new Map<string, number>();
  const keyOf = ({ source, currency, id }: ProviderMovement): string =>
    source.kind === 'refund' ? inCurrency(source.id ?? id, currency) : id;
  for (const { movement, bookedMinor } of unexplained)
    add(sums, keyOf(movement), movement.netMinor - bookedMinor);
  return unexplained.filter(({ movement }) => sums.get(keyOf(movement)) !== 0);
}

function wordsOf(
  { movement, bookedMinor }: { readonly movement: ProviderMovement; readonly bookedMinor: number },
  counted: BothSides['counted'],
): string {
  const { id, type, netMinor, currency, createdAt, source } = movement;
  const what = `${id} (${type}${source.id === undefined ? '' : ` of ${source.id}`}, ${createdAt}): ${inWords(netMinor, currency)}`;
  if (bookedMinor !== 0) return `${what}, and the books have ${inWords(bookedMinor, currency)} of it`;
  return counted.get(id) === 'unbooked'
    ? `${what}, which is ours by its log or its seal, and has no entry`
    : `${what}, which is in no entry and was not counted as somebody else's`;
}

/** What people are owed, what they owe, and the platform's own: debts never net. */
function owedWords({ balances }: BooksAtProvider): string {
  let owed = 0;
  let debts = 0;
  for (const [account, balance] of balances) {
    if (isPersonal(account) && balance < 0) debts -= balance;
    else if (isPersonal(account) || account === platform('unclaimed')) owed += balance;
  }
  return `${inWords(owed, 'usd')}; debts ${inWords(debts, 'usd')}`;
}

const inWords = (minor: number | undefined, currency: string): string =>
  `${((minor ?? 0) / 100).toFixed(2)} ${currency}`;
