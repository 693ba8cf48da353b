/**
 * What must be so when a story has come to rest, seen from the log and from the provider's own books. Each
 * thing that is not so is one sentence; none is a good story.
 */
import { isInOrder, SchedulesReport } from '#audit/schedules-report';
import { verifyLog } from '#audit/verify-log';
import { isPersonal, platform } from '#contracts/plain/accounts';
import {
  drawnBy,
  JOURNAL,
  postingsOf,
  unclaimedBy,
  type JournalEvent,
  type UnclaimedItem,
} from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { recorded, type RawEvent } from '#log/event-log';
import { isOfJournal, Lookout, type JournalRecord } from './lookout.js';
import type { SimulatedWorld, StoryLoss } from './world.js';

/** What may take a person's balance below zero: what they did not do themselves. */
const DEBTS: ReadonlySet<JournalEvent['type']> = new Set([
  'PaymentRefunded',
  'DisputeFundsWithdrawn',
] as const);

export interface Verdict {
  readonly wrongs: readonly string[];
  /** What the story was made of, by kind of event. */
  readonly counts: ReadonlyMap<string, number>;
}

export async function judge(world: SimulatedWorld): Promise<Verdict> {
  const events = world.log.all.map((raw) => recorded(raw));
  const entries = events.filter(isOfJournal);
  const counts = new Map<string, number>();
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
  const wrongs = [
    ...world.surprises.map((what) => `It threw what it must not: ${what}`),
    ...(await chain(world)),
    ...judgeLog(events, acknowledgedOf(world), lostSchedulesOf(world, events)),
    ...(world.loss ? judgeRecovery(world, world.loss, entries) : []),
    ...books(world, entries),
    ...provider(world, entries),
    ...(await schedules(world)),
    ...(await rows(world)),
    ...rest(world),
  ];
  return { wrongs, counts };
}

/**
 * What can be said of a log by itself, wherever it was written: of debts, keys, attempts, and the effects of
 * occurrences.
 */
export function judgeLog(
  events: readonly RecordedEvent[],
  acknowledged: ReadonlySet<string>,
  lostSchedules: ReadonlySet<string> = new Set(),
): string[] {
  const entries = events.filter(isOfJournal);
  return [
    ...debts(entries),
    ...keys(acknowledged, entries),
    ...steps(events),
    ...tries(entries),
    ...resolutions(entries),
    ...unclaimed(entries),
    ...occurrences(
      entries.filter(
        ({ data }) =>
          !('occurrence' in data && data.occurrence && lostSchedules.has(data.occurrence.scheduleId)),
      ),
      events,
    ),
  ];
}

/** Schedules that are in the log of before the loss, and of which no source has anything. */
function lostSchedulesOf({ loss }: SimulatedWorld, events: readonly RecordedEvent[]): ReadonlySet<string> {
  const idsOf = (of: readonly { readonly stream: string }[]): string[] =>
    of.flatMap(({ stream }) => /^(?:subscription|scheduled-payment)-(.+)$/.exec(stream)?.[1] ?? []);
  const there = new Set(idsOf(events));
  return new Set(idsOf(loss?.before ?? []).filter((id) => !there.has(id)));
}

/** What somebody was told is done, but for what a recovery listed as known to no source. */
const acknowledgedOf = ({ acknowledged, loss }: SimulatedWorld): ReadonlySet<string> =>
  new Set([...acknowledged].filter((key) => loss === undefined || loss.hasArchive || !loss.listed.has(key)));

/** What must be so of a log that lost its end and was recovered, beyond what is so of every log. */
function judgeRecovery(
  { provider: there }: SimulatedWorld,
  { before, after, hasArchive, kept, since, provider: recovered, links }: StoryLoss,
  entries: readonly JournalRecord[],
): string[] {
  const named = ({ stream, revision, id, metadata }: RawEvent): string =>
    `${stream}@${revision} ${id} ${metadata.bytes.toString()}`;
  const wrongs = [...recovered.unbooked, ...links.unlinked].map(
    ({ object, names, why, reason }) =>
      `The recovery left ${object} of ${names} alone: ${why} ${reason ?? ''}.`,
  );
  const same = hasArchive ? before.length : kept;
  before.slice(0, same).forEach((event, n) => {
    if (after[n] === undefined || named(after[n]) !== named(event))
      wrongs.push(`Event ${n} of the log (${event.stream}@${event.revision}) is not what it was.`);
  });
  const epochs = entries.filter(({ type }) => type === 'EpochBegun').length;
  if (epochs !== Number(!hasArchive && kept < before.length)) wrongs.push(`There are ${epochs} new epochs.`);
  const unapplied = new Set(
    entries.flatMap((e) => (e.type === 'UnappliedReceived' ? [e.data.chargeId] : [])),
  );
  const settledBy = new Map(
    entries.flatMap((e) =>
      e.type === 'PaymentSettled' ? [[e.data.paymentId, e.data.chargeId] as const] : [],
    ),
  );
  const returned = new Set(there.refunds.flatMap(({ isOurs, charge }) => (isOurs ? [charge.chargeId] : [])));
  for (const raw of before) {
    const event = recorded(raw);
    if (event.type !== 'PaymentSettled' || !unapplied.has(event.data.chargeId)) continue;
    // Of two charges that no ledger had given back yet, nobody knows which one it was.
    const instead = settledBy.get(event.data.paymentId);
    if (instead === undefined || returned.has(instead))
      wrongs.push(`${event.data.chargeId} had settled ${event.data.paymentId}, and is unapplied now.`);
  }
  const linksOf = (events: readonly RawEvent[]): string[] =>
    events
      .map(recorded)
      .flatMap(({ type, data }) =>
        type === 'CardCustomerOpened'
          ? [`${data.userId} ${data.customerId}`]
          : type === 'PayoutAccountOpened'
            ? [`${data.userId} ${data.connectAccountId}`]
            : [],
      );
  const linked = new Set(linksOf(after));
  const listed = new Set([
    ...[...there.customers].flatMap(([userId, { customerId, at }]) =>
      at >= since.getTime() ? [`${userId} ${customerId}`] : [],
    ),
    ...[...there.accounts.values()].flatMap(({ userId, connectAccountId, at }) =>
      at >= since.getTime() ? [`${userId} ${connectAccountId}`] : [],
    ),
  ]);
  for (const link of linksOf(before))
    if (listed.has(link) && !linked.has(link)) wrongs.push(`The recovery lost that ${link} belong together.`);
  const standing = count(there.transfers.flatMap((it) => (it.reversalId === undefined ? [it.payoutId] : [])));
  const sent = count(there.payouts.flatMap((it) => (it.status === 'failed' ? [] : [it.payoutId])));
  for (const [what, times] of [...standing, ...sent])
    if (times > 1) wrongs.push(`${what} was paid ${times} times.`);
  const paid = [...there.intents.values()].flatMap(({ intentId, booking }) =>
    booking?.occurrence && there.isPaid(intentId) ? [booking.occurrence.occurrenceId] : [],
  );
  for (const [id, times] of count(paid))
    if (times > 1) wrongs.push(`Occurrence ${id} was charged ${times} times.`);
  return wrongs;
}

/** Nobody signs in here: accounts are opened without a registration, which auditors miss. */
export const isOfSignIn = (finding: string): boolean => finding.endsWith(' never registered');

/** What auditors check of every log: chains, order, keys, money. */
async function chain({ log }: SimulatedWorld): Promise<string[]> {
  const { checks } = await verifyLog(log);
  return checks.flatMap(({ name, findings }) =>
    findings.filter((finding) => !isOfSignIn(finding)).map((finding) => `${name}: ${finding}`),
  );
}

/** Nobody's balance goes below zero by their own act. */
function debts(entries: readonly JournalRecord[]): string[] {
  const wrongs: string[] = [];
  balancesOf(entries, (account, balance, entry) => {
    // What a recovery won back had been covered once.
    if (isPersonal(account) && balance < 0 && !DEBTS.has(entry.type) && !entry.metadata.recovered)
      wrongs.push(`${entry.type} (${JOURNAL}@${entry.revision}) leaves ${account} at ${balance}.`);
  });
  return wrongs;
}

/** Balances by the postings alone: zero in all, and what each process holds in memory. */
function books({ processes }: SimulatedWorld, entries: readonly JournalRecord[]): string[] {
  const wrongs: string[] = [];
  const balances = balancesOf(entries);
  for (const { name, journal } of processes) {
    const sums = Object.values(journal.trialBalance());
    if (sums.some((sum) => sum !== 0)) wrongs.push(`The trial balance of ${name} is ${sums.join(', ')}.`);
    for (const [account, balance] of balances)
      if (journal.balanceOf(account) !== balance)
        wrongs.push(
          `${name} holds ${account} to be ${journal.balanceOf(account)}; the entries add up to ${balance}.`,
        );
  }
  return wrongs;
}

function balancesOf(
  entries: readonly JournalRecord[],
  debited: (account: string, balance: number, entry: JournalRecord) => void = () => undefined,
): Map<string, number> {
  const balances = new Map<string, number>();
  const move = (account: string, byMinor: number): number => {
    const balance = (balances.get(account) ?? 0) + byMinor;
    balances.set(account, balance);
    return balance;
  };
  for (const entry of entries) {
    if (!('postings' in entry.data)) continue;
    for (const { debit, credit, amountMinor } of entry.data.postings) {
      move(credit, amountMinor);
      debited(debit, move(debit, -amountMinor), entry);
    }
  }
  return balances;
}

/** Each key is in the journal once, and whatever somebody was told is done is in it. */
function keys(acknowledged: ReadonlySet<string>, entries: readonly JournalRecord[]): string[] {
  const found = count(entries.flatMap(({ metadata }) => metadata.key ?? []));
  return [
    ...[...found]
      .filter(([, times]) => times > 1)
      .map(([key, times]) => `The key ${key} is in the journal ${times} times.`),
    ...[...acknowledged]
      .filter((key) => !found.has(key))
      .map((key) => `${key} was acknowledged, and is not in the journal.`),
  ];
}

/** Each attempt at a step of a payout is begun once: its number is the key that the provider knows it by. */
function steps(events: readonly RecordedEvent[]): string[] {
  const begun = count(
    events.flatMap((event) =>
      event.type === 'PayoutStepBegun'
        ? [`${event.data.step} ${event.data.attempt} of ${event.data.payoutId}`]
        : [],
    ),
  );
  return [...begun]
    .filter(([, times]) => times > 1)
    .map(([step, times]) => `${step} was begun ${times} times.`);
}

/**
 * What becomes of an attempt at an occurrence is decided once, and by none while an earlier attempt's payment
 * may still be paid.
 */
function tries(entries: readonly JournalRecord[]): string[] {
  const wrongs: string[] = [];
  const decided = new Set<string>();
  /** By occurrence: its payments that have neither settled nor been canceled. */
  const open = new Map<string, Set<string>>();
  for (const entry of entries) {
    const occurrence = 'occurrence' in entry.data ? entry.data.occurrence : undefined;
    if (!occurrence) continue;
    const { occurrenceId, attempt } = occurrence;
    const unresolved = open.get(occurrenceId) ?? new Set();
    open.set(occurrenceId, unresolved);
    if (entry.type === 'PaymentSettled' || entry.type === 'PaymentCanceled')
      unresolved.delete(entry.data.paymentId);
    else if (
      entry.type === 'TransferPosted' ||
      entry.type === 'PaymentOpened' ||
      entry.type === 'CollectionRefused'
    ) {
      const name = `attempt ${attempt} at ${occurrenceId}`;
      if (decided.has(name)) wrongs.push(`${entry.type}: ${name} was decided before.`);
      decided.add(name);
      if (unresolved.size > 0)
        wrongs.push(`${entry.type}: ${name} was decided while ${[...unresolved].join()} was not resolved.`);
      if (entry.type === 'PaymentOpened') unresolved.add(entry.data.paymentId);
    }
  }
  return wrongs;
}

/**
 * A payment is canceled once, and not after it was paid; nothing but what was paid goes back, and never more
 * than that.
 */
function resolutions(entries: readonly JournalRecord[]): string[] {
  const wrongs: string[] = [];
  const paid = new Map<string, { left: number }>();
  const canceled = new Set<string>();
  for (const entry of entries) {
    const { type, data } = entry;
    if (type === 'PaymentSettled') paid.set(data.paymentId, { left: data.amountMinor });
    else if (type === 'PaymentCanceled') {
      if (paid.has(data.paymentId)) wrongs.push(`${data.paymentId} was canceled after it was paid.`);
      if (canceled.has(data.paymentId)) wrongs.push(`${data.paymentId} was canceled twice.`);
      canceled.add(data.paymentId);
    } else if (type === 'PaymentRefunded' || type === 'RefundFailed') {
      const payment = paid.get(data.paymentId);
      if (!payment) {
        wrongs.push(`${type} of ${data.paymentId}, which was not paid.`);
        continue;
      }
      payment.left += type === 'RefundFailed' ? data.amountMinor : -data.amountMinor;
      if (payment.left < 0) wrongs.push(`More of ${data.paymentId} went back than was paid.`);
      if (data.refundedMinor !== data.originalMinor - payment.left)
        wrongs.push(
          `${type} says that ${data.refundedMinor} of ${data.paymentId} went back, and that is not what did.`,
        );
    }
  }
  return wrongs;
}

/**
 * Everything that the provider did has exactly one entry, every entry is of something that it did, and both
 * hold the same money.
 */
function provider({ provider: there }: SimulatedWorld, entries: readonly JournalRecord[]): string[] {
  const of = (pick: (entry: JournalRecord) => string | undefined): string[] =>
    entries.flatMap((entry) => pick(entry) ?? []);
  // Somebody else's is in nobody's books, and its money nowhere among ours.
  const charges = there.charges.filter((charge) => charge.status === 'succeeded' && !there.isForeign(charge));
  const ours = <T extends { readonly charge: Parameters<typeof there.isForeign>[0] }>(
    items: readonly T[],
  ): T[] => items.filter(({ charge }) => !there.isForeign(charge));
  const wrongs = [
    ...oneEach(
      'charge',
      charges.map(({ chargeId }) => chargeId),
      of((entry) =>
        entry.type === 'PaymentSettled' || entry.type === 'UnappliedReceived'
          ? entry.data.chargeId
          : undefined,
      ),
    ),
    ...oneEach(
      'fee',
      charges.map(({ chargeId }) => `txn_fee_${chargeId}`),
      of((entry) => (entry.type === 'ProviderFeeBooked' ? entry.data.balanceTransactionId : undefined)),
    ),
    ...oneEach(
      'transfer',
      there.transfers.map(({ providerTransferId }) => providerTransferId),
      of((entry) => (entry.type === 'PayoutTransferred' ? entry.data.providerTransferId : undefined)),
    ),
    ...oneEach(
      'reversal',
      there.transfers.flatMap(({ reversalId }) => reversalId ?? []),
      of((entry) => (entry.type === 'PayoutFailed' ? entry.data.reversalId : undefined)),
    ),
    ...oneEach(
      'payout',
      there.payouts.map(({ providerPayoutId }) => providerPayoutId),
      of((entry) => (entry.type === 'PayoutSubmitted' ? entry.data.providerPayoutId : undefined)),
    ),
    ...oneEach(
      'payout that came back',
      there.payouts
        .filter(({ status }) => status === 'failed')
        .map(({ providerPayoutId }) => providerPayoutId),
      of((entry) => (entry.type === 'PayoutReturned' ? entry.data.providerPayoutId : undefined)),
    ),
    ...oneEach(
      'dispute',
      ours(there.disputes).map(({ disputeId }) => disputeId),
      of((entry) => (entry.type === 'DisputeOpened' ? entry.data.disputeId : undefined)),
    ),
    ...oneEach(
      'refund that stands',
      ours(there.refunds)
        .filter(({ status }) => status !== 'failed')
        .map(({ refundId }) => refundId),
      standing(entries),
    ),
    ...charges.flatMap(({ paymentId }, at) =>
      paymentId !== undefined && charges.slice(0, at).some((other) => other.paymentId === paymentId)
        ? twiceTaken(paymentId, entries)
        : [],
    ),
  ];
  const balances = balancesOf(entries);
  const holds = (account: string, minor: number, what: string): void => {
    const booked = -(balances.get(account) ?? 0);
    if (booked !== minor) wrongs.push(`${what}: the provider has ${minor}, ${account} says ${booked}.`);
  };
  const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
  holds(platform('card-clearing'), there.balanceMinor - there.foreignMinor, 'Our balance');
  holds(
    platform('connect-clearing'),
    sum([...there.accounts.values()].map(({ balanceMinor }) => balanceMinor)),
    'What users’ accounts hold',
  );
  holds(
    platform('bank-clearing'),
    sum(there.payouts.filter(({ status }) => status === 'underway').map(({ amountMinor }) => amountMinor)),
    'What is on its way to banks',
  );
  return wrongs;
}

/** A payment settles once; whatever else was taken under its name must be held apart. */
function twiceTaken(paymentId: string, entries: readonly JournalRecord[]): string[] {
  const settled = entries.filter(
    (entry) => entry.type === 'PaymentSettled' && entry.data.paymentId === paymentId,
  );
  return settled.length > 1 ? [`${paymentId} was settled ${settled.length} times.`] : [];
}

/**
 * What waits unclaimed for somebody bears what is taken from them: it never waits beside a loss by the same
 * person. Items are drawn from and paid as far as they are left, and add up to what is unclaimed.
 */
function unclaimed(entries: readonly JournalRecord[]): string[] {
  const wrongs: string[] = [];
  const items = new Map<string, UnclaimedItem>();
  const losses = new Map<string, number>();
  let heldMinor = 0;
  const take = ({ type, revision }: JournalRecord, itemId: string, amountMinor: number): void => {
    const item = items.get(itemId);
    const left = (item?.amountMinor ?? 0) - amountMinor;
    if (item) items.set(itemId, { ...item, amountMinor: left });
    if (left < 0 || (type === 'UnclaimedPaid' && left > 0))
      wrongs.push(`${type} (${JOURNAL}@${revision}) takes ${amountMinor} of ${itemId}, and leaves ${left}.`);
  };
  for (const entry of entries) {
    const { type, data } = entry;
    const userId = 'recipientId' in data ? data.recipientId : 'userId' in data ? data.userId : undefined;
    for (const { debit, credit, amountMinor } of postingsOf(entry)) {
      const signed = (account: string): number =>
        (credit === account ? amountMinor : 0) - (debit === account ? amountMinor : 0);
      heldMinor += signed(platform('unclaimed'));
      if (userId !== undefined) losses.set(userId, (losses.get(userId) ?? 0) - signed(platform('losses')));
    }
    if (type === 'UnclaimedPaid') take(entry, data.itemId, data.amountMinor);
    for (const { itemId, amountMinor } of drawnBy(entry)) take(entry, itemId, amountMinor);
    const came = unclaimedBy(entry);
    if (came) items.set(came.itemId, came);
    const waiting = sumOf([...items.values()].filter((item) => item.userId === userId));
    const lost = losses.get(userId ?? '') ?? 0;
    if (waiting > 0 && lost > 0)
      wrongs.push(
        `${type} (${JOURNAL}@${entry.revision}) leaves ${waiting} for ${userId}, by whom ${lost} were lost.`,
      );
  }
  const waiting = sumOf([...items.values()]);
  if (waiting !== heldMinor) wrongs.push(`${waiting} wait unclaimed, and ${heldMinor} are held.`);
  return wrongs;
}

const sumOf = (items: readonly UnclaimedItem[]): number =>
  items.reduce((sum, { amountMinor }) => sum + amountMinor, 0);

/** The refunds that were booked and not taken back. */
function standing(entries: readonly JournalRecord[]): string[] {
  const failed = new Set(
    entries.flatMap((entry) =>
      entry.type === 'RefundFailed' || entry.type === 'UnappliedRefundFailed' ? [entry.data.refundId] : [],
    ),
  );
  return entries.flatMap((entry) =>
    (entry.type === 'PaymentRefunded' || entry.type === 'UnappliedRefunded') &&
    !failed.has(entry.data.refundId)
      ? [entry.data.refundId]
      : [],
  );
}

/** Each occurrence moved money once if it was collected, and else not at all. */
function occurrences(entries: readonly JournalRecord[], events: readonly RecordedEvent[]): string[] {
  const effects = count(
    entries.flatMap((entry) =>
      entry.type === 'TransferPosted' || entry.type === 'PaymentSettled'
        ? (entry.data.occurrence?.occurrenceId ?? [])
        : [],
    ),
  );
  const collected = count(
    events.flatMap((event) => (event.type === 'OccurrenceCollected' ? [event.data.occurrenceId] : [])),
  );
  return [...new Set([...effects.keys(), ...collected.keys()])].flatMap((id) => {
    const [moved, told] = [effects.get(id) ?? 0, collected.get(id) ?? 0];
    return moved === 1 && told === 1
      ? []
      : [`Occurrence ${id} moved money ${moved} times and was collected ${told} times.`];
  });
}

async function schedules({ log, now }: SimulatedWorld): Promise<string[]> {
  const report = await SchedulesReport.of(log);
  return report.days(now).flatMap((day) => {
    const found = report.on(day, now);
    if (isInOrder(found)) return [];
    return [
      `${day}: missing ${found.missing.join()}; doubled ${found.doubled.join()}; ${found.disagreements.join()}.`,
    ];
  });
}

/** The rows of schedules, written as the story went, are those that a replay of its log writes at once. */
async function rows({ log, lookout }: SimulatedWorld): Promise<string[]> {
  const rebuilt = new Lookout(log);
  await rebuilt.feed(Infinity);
  const text = (row: object): string => JSON.stringify(Object.entries(row).sort());
  const live = new Map(lookout.scheduleRows().map((row) => [String(row['id']), text(row)]));
  const wrongs = rebuilt.scheduleRows().flatMap((row) => {
    const id = String(row['id']);
    const seen = live.get(id);
    live.delete(id);
    return seen === text(row)
      ? []
      : [`The row of ${id} is ${seen ?? 'not there'}, and rebuilt ${text(row)}.`];
  });
  return [...wrongs, ...[...live.keys()].map((id) => `The row of ${id} is not there when rebuilt.`)];
}

/** Nothing is left half done. */
function rest({ lookout, now }: SimulatedWorld): string[] {
  return [
    ...lookout
      .unresolvedPayments()
      .map(({ id, intentId }) => `Payment ${id} (${intentId}) is neither settled nor canceled.`),
    ...lookout.unfinishedPayouts().map(({ id, step }) => `Payout ${id} is stuck at ${step}.`),
    ...lookout.unappliedCharges().map(({ chargeId }) => `Charge ${chargeId} has not gone back.`),
    ...lookout
      .usersWithStuckBankAccounts(now)
      .map((userId) => `A bank account of ${userId} neither was added nor refused.`),
    ...lookout
      .scheduleRows()
      .filter((row) => row['stage'] !== null || row['wake_at'] !== null)
      .map(
        (row) => `Schedule ${String(row['id'])} is stuck: ${String(row['status'])}, ${String(row['stage'])}.`,
      ),
  ];
}

/** Both lists name the same things, each once. */
function oneEach(what: string, done: readonly string[], booked: readonly string[]): string[] {
  const times = count(booked);
  const known = new Set(done);
  return [
    ...done
      .filter((id) => times.get(id) !== 1)
      .map((id) => `The provider's ${what} ${id} has ${times.get(id) ?? 0} entries.`),
    ...[...times.keys()]
      .filter((id) => !known.has(id))
      .map((id) => `An entry of a ${what} ${id} that the provider does not have.`),
  ];
}

function count(names: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return times;
}
