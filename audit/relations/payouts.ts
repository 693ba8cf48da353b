/**
 * A payout takes its steps in order, each with the user, amount and provider's ids of the one before, and
 * goes to a bank account and an account at the provider that are its owner's.
 */
import { BANK_ACCOUNTS_PREFIX, type BankAccountEvent } from '#contracts/events/bank-account';
import type { JournalEventOf } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { Column, IdTable, Names, TextColumn } from '../flat/id-table.js';
import type { Check } from '../report.js';
import { differing, isRecovered, whereOf, type JournalEntry, type Relation } from './relation.js';
import type { WriteOffs } from './write-offs.js';

const STATUSES = ['requested', 'transferred', 'submitted', 'completed', 'returned', 'failed'] as const;
type Status = (typeof STATUSES)[number];
interface Payout {
  readonly row: number;
  readonly userId: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** Where its owner asked for it to go. */
  readonly bankAccountId: string;
  readonly status: Status;
  /** The entry since which its money was not in its owner's balance. */
  readonly since: number;
  readonly providerPayoutId: string | undefined;
}
type PayoutEntry = JournalEventOf<
  | 'PayoutRequested'
  | 'PayoutTransferred'
  | 'PayoutSubmitted'
  | 'PayoutCompleted'
  | 'PayoutReturned'
  | 'PayoutFailed'
>;

/** From which states a step may be taken, and to which it leads. */
const STEPS: Readonly<
  Record<Exclude<PayoutEntry['type'], 'PayoutRequested'>, { from: readonly Status[]; to: Status }>
> = {
  PayoutTransferred: { from: ['requested'], to: 'transferred' },
  PayoutSubmitted: { from: ['transferred'], to: 'submitted' },
  PayoutCompleted: { from: ['submitted'], to: 'completed' },
  PayoutReturned: { from: ['submitted', 'completed'], to: 'returned' },
  PayoutFailed: { from: ['requested', 'transferred', 'returned'], to: 'failed' },
};

const isPayoutEntry = (entry: JournalEntry): entry is JournalEntry & PayoutEntry => 'payoutId' in entry.data;

/** Payouts by id, as rows of numbers: a long log has many, and each stays known for a bank's late return. */
class PayoutRows {
  readonly #ids = new IdTable();
  readonly #user = new Column(Uint32Array);
  readonly #amountMinor = new Column(Float64Array);
  readonly #currency = new Column(Uint8Array);
  readonly #currencies = new Names();
  readonly #bank = new Column(Uint32Array);
  readonly #banks = new Names();
  readonly #status = new Column(Uint8Array);
  readonly #since = new Column(Uint32Array);
  readonly #providerPayoutId = new TextColumn();

  constructor(private readonly users: Names) {}

  get size(): number {
    return this.#ids.size;
  }

  add(
    payoutId: string,
    {
      userId,
      amountMinor,
      currency,
      bankAccountId,
      since,
    }: Pick<Payout, 'userId' | 'amountMinor' | 'currency' | 'bankAccountId' | 'since'>,
  ): void {
    const row = this.#ids.row(payoutId);
    this.#user.set(row, this.users.numberOf(userId));
    this.#amountMinor.set(row, amountMinor);
    this.#currency.set(row, this.#currencies.numberOf(currency));
    this.#bank.set(row, this.#banks.numberOf(bankAccountId));
    this.#since.set(row, since);
    this.setStatus(row, 'requested');
  }

  get(payoutId: string): Payout | undefined {
    const row = this.#ids.find(payoutId);
    if (row < 0) return undefined;
    return {
      row,
      userId: this.users.nameOf(this.#user.get(row)),
      amountMinor: this.#amountMinor.get(row),
      currency: this.#currencies.nameOf(this.#currency.get(row)),
      bankAccountId: this.#banks.nameOf(this.#bank.get(row)),
      status: STATUSES[this.#status.get(row)]!,
      since: this.#since.get(row),
      providerPayoutId: this.#providerPayoutId.get(row),
    };
  }

  setStatus(row: number, status: Status): void {
    this.#status.set(row, STATUSES.indexOf(status));
  }

  setProviderPayoutId(row: number, providerPayoutId: string): void {
    this.#providerPayoutId.set(row, providerPayoutId);
  }
}

/**
 * A payout may be written so long after its bank account was removed, both of the owner's asking at one
 * moment: they stand in two streams, and no order holds between them. Many times what a command may take, and
 * as far as the clocks of two writers may be apart: each may be five minutes ahead of the store's.
 */
const UNDER_WAY_MS = 6 * 60_000;

/** Who owns a thing, by its id; nobody, some time after it was taken away. */
class Owners {
  readonly #ids = new IdTable();
  /** The owner's number + 1. */
  readonly #owner = new Column(Uint32Array);
  /** When it was taken away, in milliseconds since 1970; 0 while it was not. */
  readonly #removedAtMs = new Column(Float64Array);

  constructor(private readonly users: Names) {}

  set(id: string, userId: string): void {
    const row = this.#ids.row(id);
    this.#owner.set(row, this.users.numberOf(userId) + 1);
    this.#removedAtMs.set(row, 0);
  }

  remove(id: string, atMs: number): void {
    const row = this.#ids.find(id);
    if (row >= 0) this.#removedAtMs.set(row, atMs);
  }

  get(id: string): string | undefined {
    const row = this.#ids.find(id);
    const owner = row < 0 ? 0 : this.#owner.get(row);
    return owner === 0 ? undefined : this.users.nameOf(owner - 1);
  }

  /** Whose it was for what was written at that time and asked for before. */
  at(id: string, atMs: number): string | undefined {
    const row = this.#ids.find(id);
    const removedAtMs = row < 0 ? 0 : this.#removedAtMs.get(row);
    return removedAtMs > 0 && atMs > removedAtMs + UNDER_WAY_MS ? undefined : this.get(id);
  }
}

const anothers = (what: string, id: string, owner: string | undefined, userId: string): string[] =>
  owner === undefined || owner === userId ? [] : [`${what} ${id} is ${owner}’s already`];

export class Payouts implements Relation {
  readonly #users = new Names();
  readonly #payouts = new PayoutRows(this.#users);
  /** Bank accounts by id, and accounts at the provider, with their owners; a removed one is none. */
  readonly #banks = new Owners(this.#users);
  readonly #connected = new Owners(this.#users);
  /** Bank accounts that their owner has asked for. */
  readonly #submitted = new IdTable();
  /** What the provider calls bank accounts, each with the bank account that it was made for. */
  readonly #external = new IdTable();
  /** What the provider calls the transfers, payouts and reversals that were booked: each is of one payout. */
  readonly #booked = new IdTable();
  readonly #findings: string[] = [];

  constructor(private readonly writeOffs: WriteOffs) {}

  other(event: RecordedEvent): void {
    if (event.type === 'PayoutStepBegun') this.#stepBegun(event);
    if (!event.stream.startsWith(BANK_ACCOUNTS_PREFIX)) return;
    const { type, data } = event as RecordedEvent<BankAccountEvent>;
    const wrong = this.#notTheirs(event as RecordedEvent<BankAccountEvent>);
    if (wrong.length > 0) this.#findings.push(`${whereOf(event)}: ${type}: ${wrong.join('; ')}`);
    if (type === 'BankAccountAdded') {
      this.#banks.set(data.bankAccountId, data.userId);
      this.#external.row(`${data.bankAccountId} ${data.externalAccountId}`);
    } else if (type === 'BankAccountRemoved')
      this.#banks.remove(data.bankAccountId, Date.parse(event.metadata.recordedAt));
    else if (type === 'PayoutAccountOpened') this.#connected.set(data.connectAccountId, data.userId);
  }

  /**
   * What is asked of the provider is asked for the user whose payout it is, with their account there; and
   * what is sent goes to the bank account that the payout was asked for.
   */
  #stepBegun(event: Extract<RecordedEvent, { type: 'PayoutStepBegun' }>): void {
    const { payoutId, userId, connectAccountId, externalAccountId } = event.data;
    const payout = this.#payouts.get(payoutId);
    if (event.metadata.recovered === true) return;
    const wrong = [
      ...(payout ? differing('userId', userId, payout.userId) : [`payout ${payoutId} was never requested`]),
      ...(this.#connected.get(connectAccountId) === userId
        ? []
        : [`account ${connectAccountId} at the provider is none of ${userId}`]),
      ...(externalAccountId === undefined ||
      !payout ||
      this.#external.has(`${payout.bankAccountId} ${externalAccountId}`)
        ? []
        : [
            `${externalAccountId} at the provider is not bank account ${payout.bankAccountId}, which was asked for`,
          ]),
    ];
    if (wrong.length > 0) this.#findings.push(`${whereOf(event)}: ${event.type}: ${wrong.join('; ')}`);
  }

  /**
   * A bank account is asked for by its owner, and neither it nor an account at the provider is ever
   * another's.
   */
  #notTheirs({ type, data, metadata }: RecordedEvent<BankAccountEvent>): readonly string[] {
    switch (type) {
      case 'BankAccountSubmitted':
        this.#submitted.row(`${data.userId} ${data.bankAccountId}`);
        return metadata.actorId === data.userId
          ? []
          : [`it is ${data.userId}’s to ask for and was asked for by ${metadata.actorId ?? 'nobody'}`];
      case 'BankAccountAdded':
        return [
          ...anothers('bank account', data.bankAccountId, this.#banks.get(data.bankAccountId), data.userId),
          // What a recovery wins back had been asked for in what is lost.
          ...(metadata.recovered === true || this.#submitted.has(`${data.userId} ${data.bankAccountId}`)
            ? []
            : [`${data.userId} never asked for bank account ${data.bankAccountId}`]),
        ];
      case 'PayoutAccountOpened': {
        const { connectAccountId, userId } = data;
        return anothers('account', connectAccountId, this.#connected.get(connectAccountId), userId);
      }
      default:
        return [];
    }
  }

  entry(entry: JournalEntry): void {
    if (!isPayoutEntry(entry)) return;
    const wrong =
      entry.type === 'PayoutRequested'
        ? this.#requested(
            entry.data,
            entry.revision,
            Date.parse(entry.metadata.recordedAt),
            isRecovered(entry),
          )
        : this.#step(entry, isRecovered(entry));
    if (wrong.length > 0)
      this.#findings.push(
        `${whereOf(entry)}: ${entry.type} of payout ${entry.data.payoutId}: ${wrong.join('; ')}`,
      );
  }

  check(): Check {
    return {
      name: 'payouts take their course',
      figure: `${this.#payouts.size} payouts`,
      findings: this.#findings,
    };
  }

  #requested(
    { payoutId, userId, amountMinor, currency, bankAccountId }: JournalEventOf<'PayoutRequested'>['data'],
    since: number,
    atMs: number,
    recovered: boolean,
  ): readonly string[] {
    if (this.#payouts.get(payoutId)) return ['it was requested before'];
    this.#payouts.add(payoutId, { userId, amountMinor, currency, bankAccountId, since });
    const owner = this.#banks.at(bankAccountId, atMs);
    if (recovered || owner === userId) return [];
    return [
      owner === undefined
        ? `bank account ${bankAccountId} is none of ${userId}`
        : `bank account ${bankAccountId} is ${owner}’s, not ${userId}’s`,
    ];
  }

  #step(entry: Exclude<PayoutEntry, { type: 'PayoutRequested' }>, recovered: boolean): readonly string[] {
    const payout = this.#payouts.get(entry.data.payoutId);
    if (!payout) return ['it was never requested'];
    const { from, to } = STEPS[entry.type];
    const was = payout.status;
    this.#payouts.setStatus(payout.row, to);
    return [
      ...(from.includes(was) ? [] : [`it was ${was} and should be ${from.join(' or ')}`]),
      ...differing('userId', entry.data.userId, payout.userId),
      ...differing('amountMinor', entry.data.amountMinor, payout.amountMinor),
      ...differing('currency', entry.data.currency, payout.currency),
      ...this.#ids(entry, payout, was, recovered),
    ];
  }

  #ids(
    entry: Exclude<PayoutEntry, { type: 'PayoutRequested' }>,
    payout: Payout,
    was: Status,
    recovered: boolean,
  ): readonly string[] {
    switch (entry.type) {
      case 'PayoutTransferred': {
        const owner = this.#connected.get(entry.data.connectAccountId);
        return [
          ...this.#once('transfer', entry.data.providerTransferId),
          ...(recovered || owner === payout.userId
            ? []
            : [`account ${entry.data.connectAccountId} at the provider is none of ${payout.userId}`]),
        ];
      }
      case 'PayoutSubmitted':
        this.#payouts.setProviderPayoutId(payout.row, entry.data.providerPayoutId);
        return this.#once('payout', entry.data.providerPayoutId);
      case 'PayoutCompleted':
        return differing('providerPayoutId', entry.data.providerPayoutId, payout.providerPayoutId);
      case 'PayoutReturned':
        return [
          ...differing('providerPayoutId', entry.data.providerPayoutId, payout.providerPayoutId),
          ...differing('afterCompletion', entry.data.afterCompletion, was === 'completed'),
        ];
      case 'PayoutFailed': {
        const { userId, amountMinor, ownerMinor = amountMinor, madeUpMinor = 0, reversalId } = entry.data;
        const parts = [
          ...this.writeOffs.cameBack(userId, payout.since, amountMinor, entry.data),
          ...differing('ownerMinor', ownerMinor, amountMinor - madeUpMinor),
        ];
        if (reversalId === undefined)
          return [...parts, ...(was === 'requested' ? [] : ['no reversal of the transfer is named'])];
        return [
          ...parts,
          ...(was === 'requested' ? [`${reversalId} reverses a transfer, and there was none`] : []),
          ...this.#once('reversal', reversalId),
        ];
      }
    }
  }

  #once(as: 'transfer' | 'payout' | 'reversal', id: string): readonly string[] {
    const before = this.#booked.size;
    this.#booked.row(id);
    return this.#booked.size > before ? [] : [`the provider's ${as} ${id} was booked before`];
  }
}
