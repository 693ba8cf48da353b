/**
 * Books what the provider proves and the log lacks. Ours is what the log names, and what carries our seal: a
 * sealed object that no entry knows is booked again from its metadata. Everything is said to the journal each
 * time, which takes what it has already for a repeat: a recovery that was killed is run again and goes on.
 */
import { available } from '#contracts/plain/accounts';
import { isGuest } from '#contracts/plain/guest';
import type { Occurrence } from '#contracts/events/journal';
import type { JournalCommand } from '../journal/commands.js';
import type { Journal } from '../journal/journal.js';
import type { Receipt } from '../journal/receipt.js';
import type { Payout } from '../journal/state.js';
import { Rejected } from '../rejection.js';
import { attemptsToBook, endingsToBook, type ChargeOwners } from '../stripe/bookings.js';
import type {
  ListedPayment,
  ListedPayout,
  ListedReversal,
  ListedTransfer,
  ProviderHistory,
} from '../stripe/provider-history.js';

/** What a recovery needs of the journal. Everything of it must be resident: rows know another history. */
type RecoveryJournal = Pick<
  Journal,
  'execute' | 'look' | 'balanceOf' | 'paymentOfIntent' | 'bookedCharge' | 'openPayouts'
>;

/** Why an object of ours, or one that says so, is in no entry after the recovery. */
type UnbookedReason =
  /** Its payment or payout has another object already: this may be a copy of its metadata. */
  | 'second-object'
  /** The journal declined an entry of it. */
  | 'declined';

/** An object at the provider that somebody must look at. */
export interface Unbooked {
  readonly object: string;
  /** The payment or payout that it names. */
  readonly names: string | undefined;
  readonly why: UnbookedReason;
  /** The journal's reason, where it declined. */
  readonly reason?: string;
}

export interface ProviderRecovery {
  /** Objects that the lists told of, and how many of those are somebody else's. */
  readonly payments: number;
  readonly transfers: number;
  readonly foreign: number;
  /** Payments and payouts that no entry of the log knew. */
  readonly paymentsWonBack: number;
  readonly payoutsWonBack: number;
  /** Entries written, by type of the command. */
  readonly entries: ReadonlyMap<JournalCommand['type'], number>;
  readonly unbooked: readonly Unbooked[];
  /** What the payments that were won back collect of schedules. */
  readonly occurrences: readonly (Occurrence & { readonly paymentId: string })[];
  /** By user: the account to which the last of their payouts went, by its transfer's seal. */
  readonly paidOutTo: ReadonlyMap<string, string>;
  /** By user: the customer whose saved card their last payment was made with. */
  readonly paidWith: ReadonlyMap<string, string>;
}

/** Payments and payouts that are booked side by side: they share the journal's appends. */
const AT_A_TIME = 512;
const CAUSE = { correlationId: 'recovery' } as const;

/**
 * The epoch of a recovery: begun before the first thing that no entry knew, since the log has lost something.
 */
interface RecoveryEpoch {
  readonly hasBegun: boolean;
  begin(): Promise<void>;
}

/**
 * Books everything since a time. Entries are marked as recovered once an epoch has begun: what the provider
 * knows later than a log that has lost nothing is booked as on any day. Throws Unavailable and
 * ProviderRefused: run it again.
 */
export async function recoverFromProvider(
  journal: RecoveryJournal,
  history: ProviderHistory,
  since: Date,
  epoch: RecoveryEpoch,
  tell: (line: string) => void = () => undefined,
): Promise<ProviderRecovery> {
  const [payments, transfers] = await Promise.all([history.payments(since), history.transfers(since)]);
  const firsts = firstObjects(payments, transfers);
  const recovery = new Recovery(journal, epoch, firsts);
  tell(
    `The provider lists ${payments.length} payments and ${transfers.length} transfers since ${since.toISOString()}.`,
  );
  // Accounts first: two payments that are booked side by side may name one user.
  const missing = [...partiesOf(payments, transfers)].filter(
    (userId) => journal.balanceOf(available(userId)) === undefined,
  );
  if (missing.length > 0) await epoch.begin();
  await sideBySide(missing, async (userId) => void (await recovery.say({ type: 'OpenAccount', userId })));
  await sideBySide(await recovery.inTurns(payments), async (turns) => {
    for (const payment of turns) await recovery.payment(payment);
  });
  tell(`The payments are booked: ${recovery.paymentsWonBack} of them the log did not know.`);
  await sideBySide(transfers, (transfer) => recovery.transfer(transfer));
  const accounts = [
    ...transfers.flatMap(({ booking, connectAccountId }) => (booking ? [connectAccountId] : [])),
    ...journal.openPayouts().flatMap(({ connectAccountId }) => connectAccountId ?? []),
  ];
  const payouts = await history.payouts(accounts, since);
  tell(`The provider lists ${payouts.length} payouts of ${new Set(accounts).size} accounts.`);
  await sideBySide(payouts, (payout) => recovery.payout(payout));
  await sideBySide(transfers, (transfer) => recovery.reversal(transfer));
  await recovery.reversalsOfOlder(await history.reversals(since));
  return {
    payments: payments.length,
    transfers: transfers.length,
    foreign: recovery.foreign,
    paymentsWonBack: recovery.paymentsWonBack,
    payoutsWonBack: recovery.payoutsWonBack,
    entries: recovery.entries,
    unbooked: recovery.unbooked,
    occurrences: payments.flatMap(({ booking }) =>
      booking?.occurrence ? [{ ...booking.occurrence, paymentId: booking.paymentId }] : [],
    ),
    paidOutTo: new Map(
      transfers.flatMap(({ booking, connectAccountId }) =>
        booking ? [[booking.userId, connectAccountId] as const] : [],
      ),
    ),
    paidWith: new Map(
      payments.flatMap(({ intentId, booking, savedCard }) =>
        booking && savedCard && firsts.get(booking.paymentId) === intentId
          ? [[booking.payerId, savedCard.customerId] as const]
          : [],
      ),
    ),
  };
}

/**
 * The end of a payment that the provider has no object of: what followed it is proven, and followed only what
 * had ended. How it ended is in the part of the log that was lost.
 */
export const endOfUnsent = (paymentId: string, occurredAt: string): JournalCommand => ({
  type: 'CancelPayment',
  paymentId,
  reason: 'ended in a part of the log that was lost',
  occurredAt,
});

class Recovery {
  readonly entries = new Map<JournalCommand['type'], number>();
  readonly unbooked: Unbooked[] = [];
  foreign = 0;
  paymentsWonBack = 0;
  payoutsWonBack = 0;

  constructor(
    private readonly journal: RecoveryJournal,
    private readonly epoch: RecoveryEpoch,
    /** Which object of a payment or payout is its own, by what all of them name. */
    private readonly firsts: ReadonlyMap<string, string>,
  ) {}

  /** Says one thing to the journal. Its no is final and is told to the operator. */
  async say(command: JournalCommand, key?: string, object?: string): Promise<Receipt | undefined> {
    try {
      const recovered = this.epoch.hasBegun ? (true as const) : undefined;
      const receipt = await this.journal.execute(command, { ...CAUSE, recovered, key });
      if (!receipt.repeated) this.entries.set(command.type, (this.entries.get(command.type) ?? 0) + 1);
      return receipt;
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      // A refund that was never seen as given has nothing to take back.
      if (error.reason !== 'RefundNotFound')
        this.unbooked.push({
          object: object ?? command.type,
          names: 'paymentId' in command ? command.paymentId : undefined,
          why: 'declined',
          reason: `${command.type}: ${error.reason}`,
        });
      return undefined;
    }
  }

  /** Attempts at one occurrence one after the other: the next began when the one before it had ended. */
  async inTurns(payments: readonly ListedPayment[]): Promise<ListedPayment[][]> {
    const turns = new Map<string, { readonly listed: ListedPayment; readonly attempt: number }[]>();
    for (const listed of payments) {
      const { occurrenceId = listed.intentId, attempt = 0 } = (await this.#occurrenceOf(listed)) ?? {};
      turns.set(occurrenceId, [...(turns.get(occurrenceId) ?? []), { listed, attempt }]);
    }
    return [...turns.values()].map((of) =>
      of.sort((a, b) => a.attempt - b.attempt).map(({ listed }) => listed),
    );
  }

  /** What a payment collects of a schedule: one older than the lists shows no booking, and has its entry. */
  async #occurrenceOf({ intentId, booking }: ListedPayment): Promise<Occurrence | undefined> {
    if (booking) return booking.occurrence;
    const paymentId = await this.journal.paymentOfIntent(intentId);
    return paymentId === undefined
      ? undefined
      : (await this.journal.look('payment', paymentId, 0))?.occurrence;
  }

  /** Earlier attempts at an occurrence that are open in the journal and never came to the provider. */
  async #unsentBefore({ occurrenceId, attempt }: Occurrence): Promise<readonly string[]> {
    const unsent: string[] = [];
    for (const route of (await this.journal.look('occurrence', occurrenceId, 0))?.routes ?? []) {
      if (route.attempt >= attempt || !('paymentId' in route)) continue;
      const { paymentId } = route;
      if ((await this.journal.look('payment', paymentId, 0))?.status === 'opened') unsent.push(paymentId);
    }
    return unsent;
  }

  async payment(listed: ListedPayment): Promise<void> {
    const { intentId } = listed;
    const owner = await this.#ownerOf(listed);
    if (owner === undefined) return;
    const seen = { ...listed, paymentId: owner.paymentId };
    const owners = new Map<string, { readonly paymentId: string } | 'unapplied'>(
      await this.#bookedBefore(listed),
    );
    for (const command of settlingFirst(attemptsToBook(seen), listed.returnedByUs)) {
      const receipt = await this.say(command, undefined, intentId);
      if (command.type !== 'SettlePayment' || receipt === undefined) continue;
      const paymentId = receipt.subject ?? command.paymentId;
      if (receipt.key.startsWith('unapplied:')) owners.set(command.chargeId, 'unapplied');
      else if (paymentId !== undefined) owners.set(command.chargeId, { paymentId });
    }
    for (const command of endingsToBook(seen, owners)) await this.say(command, undefined, intentId);
  }

  /** The payment that an intent is booked to, opened again if need be; undefined where it is left alone. */
  async #ownerOf(listed: ListedPayment): Promise<{ readonly paymentId: string | undefined } | undefined> {
    const { intentId, booking, savedCard, charges } = listed;
    const recorded = await this.journal.paymentOfIntent(intentId);
    if (recorded !== undefined) return { paymentId: recorded };
    for (const { chargeId, status } of charges) {
      if (status !== 'succeeded') continue;
      const booked = await this.journal.bookedCharge(chargeId);
      if (booked) return { paymentId: booked.paymentId };
    }
    if (booking === undefined) {
      // Neither its metadata nor an entry say that it is ours; its refunds and disputes go by their charge.
      const booked = await this.#bookedBefore(listed);
      if (booked.size > 0) return { paymentId: undefined };
      this.foreign += 1;
      return undefined;
    }
    const { paymentId, key, payerId, recipientId, method, occurrence, amountMinor, currency } = booking;
    const known = await this.journal.look('payment', paymentId, 0);
    if ((known && known.intentIds.length > 0) || this.firsts.get(paymentId) !== intentId) {
      this.unbooked.push({ object: intentId, names: paymentId, why: 'second-object' });
      return undefined;
    }
    if (!known) {
      await this.epoch.begin();
      for (const before of occurrence ? await this.#unsentBefore(occurrence) : [])
        await this.say(endOfUnsent(before, listed.at), undefined, intentId);
      const terms = { paymentId, payerId, recipientId, amountMinor, currency, method };
      const opened = await this.say(
        { type: 'RecoverPayment', ...terms, occurrence, savedCard: occurrence && savedCard },
        key,
        intentId,
      );
      if (opened && !opened.repeated) this.paymentsWonBack += 1;
    }
    await this.say({ type: 'SubmitPayment', paymentId, intentId }, undefined, intentId);
    return { paymentId };
  }

  /** What the journal booked the charges of refunds and disputes to, whose charge is older than the lists. */
  async #bookedBefore({ charges, refunds, disputes }: ListedPayment): Promise<ChargeOwners> {
    const owners = new Map<string, { readonly paymentId: string } | 'unapplied'>();
    const listed = new Set(charges.map(({ chargeId }) => chargeId));
    for (const { chargeId } of [...refunds, ...disputes]) {
      if (listed.has(chargeId) || owners.has(chargeId)) continue;
      const booked = await this.journal.bookedCharge(chargeId);
      if (!booked) continue;
      owners.set(chargeId, booked.paymentId === undefined ? 'unapplied' : { paymentId: booked.paymentId });
    }
    return owners;
  }

  async transfer(listed: ListedTransfer): Promise<void> {
    const { providerTransferId, connectAccountId, booking, amountMinor, currency, at: occurredAt } = listed;
    // One of before transfers were sealed is ours where an entry names it, and then nothing of it is lost.
    if (booking === undefined) return void (this.foreign += (await this.#payoutOf(listed)) ? 0 : 1);
    const { payoutId, userId, bankAccountId, key } = booking;
    const known = await this.journal.look('payout', payoutId, 0);
    if ((known?.providerTransferId ?? this.firsts.get(payoutId)) !== providerTransferId)
      return void this.unbooked.push({ object: providerTransferId, names: payoutId, why: 'second-object' });
    if (!known) {
      await this.epoch.begin();
      const asked = {
        type: 'RecoverPayout',
        payoutId,
        userId,
        bankAccountId,
        amountMinor,
        currency,
      } as const;
      const requested = await this.say(asked, key, providerTransferId);
      if (requested && !requested.repeated) this.payoutsWonBack += 1;
    }
    await this.say(
      { type: 'RecordPayoutTransferred', payoutId, providerTransferId, connectAccountId, occurredAt },
      undefined,
      providerTransferId,
    );
  }

  async payout(listed: ListedPayout): Promise<void> {
    const {
      providerPayoutId,
      payoutId,
      isSealed,
      status,
      failure,
      arrivesOn,
      createdAt: occurredAt,
    } = listed;
    const known = payoutId === undefined ? undefined : await this.journal.look('payout', payoutId, 0);
    if (payoutId === undefined || !known || (!isSealed && known.providerPayoutId !== providerPayoutId))
      return void (this.foreign += 1);
    // Sent from another user's account, it carries a copy of the metadata.
    if (known.connectAccountId !== undefined && known.connectAccountId !== listed.connectAccountId)
      return void this.unbooked.push({ object: providerPayoutId, names: payoutId, why: 'second-object' });
    if (known.providerPayoutId !== undefined && known.providerPayoutId !== providerPayoutId)
      return void this.unbooked.push({ object: providerPayoutId, names: payoutId, why: 'second-object' });
    const step = { payoutId, providerPayoutId, occurredAt };
    await this.say({ type: 'SubmitPayout', ...step, arrivesOn }, undefined, providerPayoutId);
    if (status === 'paid') await this.say({ type: 'CompletePayout', ...step }, undefined, providerPayoutId);
    if (failure) await this.say({ type: 'ReturnPayout', ...step, ...failure }, undefined, providerPayoutId);
  }

  /** The payout that a transfer was recorded for. */
  async #payoutOf({ payoutId, providerTransferId }: ListedTransfer): Promise<Payout | undefined> {
    const known = payoutId === undefined ? undefined : await this.journal.look('payout', payoutId, 0);
    return known?.providerTransferId === providerTransferId ? known : undefined;
  }

  /** A transfer that came back whole ends its payout; after the payouts, which say why. */
  async reversal(listed: ListedTransfer): Promise<void> {
    const { reversal, providerTransferId } = listed;
    if (!reversal) return;
    const known = await this.#payoutOf(listed);
    if (!known || known.status === 'failed') return;
    await this.#fail(known, providerTransferId, reversal);
  }

  /**
   * A payout under way in the log, whose transfer is older than the lists: it has ended where all of its
   * money came back. Nobody may send it again, and no list of transfers says so.
   */
  async reversalsOfOlder(reversals: readonly ListedReversal[]): Promise<void> {
    const byTransfer = new Map<string, ListedReversal[]>();
    // A list that goes on while it is read may show an item twice.
    for (const one of new Map(reversals.map((listed) => [listed.reversalId, listed])).values())
      byTransfer.set(one.providerTransferId, [...(byTransfer.get(one.providerTransferId) ?? []), one]);
    for (const payout of this.journal.openPayouts()) {
      const { providerTransferId, amountMinor, status } = payout;
      // Of one that was sent, the bank's answer comes first: workers ask for it.
      if (status === 'submitted') continue;
      const parts = (providerTransferId !== undefined && byTransfer.get(providerTransferId)) || [];
      const last = parts.at(-1);
      if (last && parts.reduce((sum, part) => sum + part.amountMinor, 0) >= amountMinor)
        await this.#fail(payout, last.providerTransferId, last);
    }
  }

  async #fail(
    known: Payout,
    providerTransferId: string,
    { reversalId, at: occurredAt }: { readonly reversalId: string; readonly at: string },
  ): Promise<void> {
    const { payoutId } = known;
    const why = known.returned ?? { code: 'reversed', reason: 'The payout was not sent to the bank.' };
    await this.say(
      { type: 'FailPayout', payoutId, reversalId, ...why, occurredAt },
      undefined,
      providerTransferId,
    );
  }
}

/**
 * Of two charges of one payment one settles it and the other goes back: which of them went back we signed, so
 * the other settled. Its payer has paid once then, and not been given everything back.
 */
const settlingFirst = (
  commands: readonly JournalCommand[],
  returnedByUs: readonly string[],
): readonly JournalCommand[] => {
  const wentBack = (command: JournalCommand): boolean =>
    command.type === 'SettlePayment' && returnedByUs.includes(command.chargeId);
  return [...commands].sort((a, b) => Number(wentBack(a)) - Number(wentBack(b)));
};

/**
 * Of the sealed objects that name one payment or payout, the first that was made: another may be a copy of
 * its metadata.
 */
function firstObjects(
  payments: readonly ListedPayment[],
  transfers: readonly ListedTransfer[],
): ReadonlyMap<string, string> {
  const firsts = new Map<string, string>();
  const note = (names: string | undefined, object: string): void => {
    if (names !== undefined && !firsts.has(names)) firsts.set(names, object);
  };
  for (const { booking, intentId } of payments) note(booking?.paymentId, intentId);
  for (const { booking, providerTransferId } of transfers) note(booking?.payoutId, providerTransferId);
  return firsts;
}

/** Everybody whom the sealed objects name, in the order of time. */
function partiesOf(payments: readonly ListedPayment[], transfers: readonly ListedTransfer[]): Set<string> {
  const userIds = new Set<string>();
  for (const { booking } of payments)
    if (booking) {
      if (!isGuest(booking.payerId)) userIds.add(booking.payerId);
      userIds.add(booking.recipientId);
    }
  for (const { booking } of transfers) if (booking) userIds.add(booking.userId);
  return userIds;
}

/** Works on all of them, many at a time: what a recovery writes shares the log's appends. */
export async function sideBySide<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, items.length) }, worker));
}
