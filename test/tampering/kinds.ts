/**
 * The kinds of tampering, each as one act on the complete story. Where the log alone cannot show one,
 * `because` says why, and the page of threats what does.
 */
import { available } from '#contracts/plain/accounts';
import { journalEvents } from '#contracts/events/journal';
import { dueTime } from '#contracts/plain/recurrence';
import { completeStory, DUE } from '#test/support/complete-story';
import { ADA, AT, CARD as CARD_OF_MILO, JUNO, MILO } from '#test/support/journal-spec';
import { StoredContent } from '#log/stored-content';
import type { Forger } from './forger.js';

export interface Kind {
  readonly group: Group;
  readonly name: string;
  readonly act: (forger: Forger) => void;
  /** Why verify cannot tell by the log alone; absent where it can. */
  readonly because?: string;
}

export const GROUPS = {
  raw: 'Raw edits: bytes changed in the store',
  order: 'Removals and order',
  legs: 'Postings changed, everything chained again',
  fields: 'What entries say changed, everything chained again',
  gone: 'Entries taken out, everything chained again',
  forged: 'Entries forged at the end, well chained',
  store: 'Acts of the store',
} as const;
export type Group = keyof typeof GROUPS;

/** What only an outside party can say; reconcile compares with the provider. */
const PROVIDER = 'only the provider knows; reconcile compares with it';
const OWN_WORDS = 'its words fit everything else that the log holds: only a head signed before knows it';
const CLIENT = 'the forger wrote the asker’s name: only a head signed before, and the asker, know better';

const story = completeStory();
const types = [...new Set(story.log.all.map(({ type }) => type))];
const moving = types.filter(
  (type) =>
    type in journalEvents &&
    story.log.all.some(
      (event) => event.type === type && (event.data.value as { postings?: unknown[] }).postings?.length,
    ),
);

type Posting = { debit: string; credit: string; amountMinor: number };
const legsOf = (forger: Forger, place: number): Posting[] => forger.dataOf(place).postings as Posting[];
/** The first event of a type that moves money. */
const movingAt = (forger: Forger, type: string): number => {
  for (let n = 0; ; n += 1) {
    const place = forger.at(type, n);
    if (legsOf(forger, place).length > 0) return place;
  }
};

/** Amount and every leg of an entry, so that it says and moves the same. */
function amount(forger: Forger, type: string, amountMinor: number, more: object = {}, n = 0): void {
  const place = forger.at(type, n);
  const postings = legsOf(forger, place).map((leg) => ({ ...leg, amountMinor }));
  forger.data(place, { amountMinor, postings, ...more });
}
function redirected(forger: Forger, type: string, fields: object, from: string, to: string, n = 0): void {
  const place = forger.at(type, n);
  const swap = (account: string): string => (account === from ? to : account);
  const postings = legsOf(forger, place).map(({ debit, credit, amountMinor }) => ({
    debit: swap(debit),
    credit: swap(credit),
    amountMinor,
  }));
  forger.data(place, { ...fields, postings });
}

const kind = (group: Group, name: string, act: Kind['act'], because?: string): Kind => ({
  group,
  name,
  act,
  ...(because === undefined ? {} : { because }),
});
const chained = (group: Group, name: string, act: Kind['act'], because?: string): Kind =>
  kind(
    group,
    name,
    (forger) => {
      act(forger);
      forger.rechain();
    },
    because,
  );

const CARD = 'platform/card-clearing';
const settled = {
  paymentId: 'pay_left',
  payerId: MILO,
  recipientId: JUNO,
  amountMinor: 700,
  currency: 'usd',
  intentId: 'pi_pay_left',
  chargeId: 'ch_new',
  occurredAt: AT,
};
const credit = (account: string, amountMinor: number): Posting[] => [
  { debit: CARD, credit: account, amountMinor },
];
const refundOf = (paymentId: string, refundId: string, amountMinor: number, refundedMinor: number) => ({
  paymentId,
  payerId: MILO,
  recipientId: JUNO,
  refundId,
  amountMinor,
  refundedMinor,
  originalMinor: 2_000,
  occurredAt: AT,
  postings: [{ debit: available(JUNO), credit: CARD, amountMinor }],
});
const payout = (userId: string, amountMinor: number, bankAccountId: string) => ({
  payoutId: 'out_forged',
  userId,
  amountMinor,
  currency: 'usd',
  bankAccountId,
  postings: [{ debit: available(userId), credit: `user/${userId}/payouts`, amountMinor }],
});
const transferred = (payerId: string, recipientId: string, amountMinor: number, occurrence?: object) => ({
  transferId: 'trf_forged',
  payerId,
  recipientId,
  amountMinor,
  currency: 'usd',
  ...(occurrence ? { occurrence } : {}),
  postings: [{ debit: available(payerId), credit: available(recipientId), amountMinor }],
});
const by = (actorId: string): { metadata: { actorId: string } } => ({ metadata: { actorId } });
const due = (scheduleId: string, occurrenceId: string, attempt = 1) => ({
  occurrenceId,
  kind: 'subscription',
  scheduleId,
  dueAt: Object.entries(DUE).find(([id]) => id === occurrenceId)?.[1] ?? AT,
  attempt,
});
const ownMoney = (id: string, providerType: string, amountMinor: number) => ({
  balanceTransactionId: id,
  providerType,
  amountMinor,
  feeMinor: 0,
  currency: 'usd',
  occurredAt: AT,
});
const movement = (walletId: string, userId: string, amountMinor: number) => ({
  movementId: 'wtx_forged',
  walletId,
  userId,
  amountMinor,
  currency: 'usd',
  postings: [{ debit: `wallet/${walletId}`, credit: available(userId), amountMinor }],
});

const rawEdits: readonly Kind[] = [
  ...types.map((type) =>
    kind('raw', `${type}: what it says`, (forger) => forger.data(forger.at(type), { forged: true })),
  ),
  ...(['recordedAt', 'actorId', 'key', 'correlationId', 'version', 'recovered'] as const).map((field) =>
    kind('raw', `metadata: ${field}`, (forger) =>
      forger.metadata(forger.at('TransferPosted'), {
        [field]: field === 'version' ? 2 : field === 'recovered' ? true : AT,
      }),
    ),
  ),
  kind('raw', 'the hash itself', (forger) => {
    const place = forger.at('TransferPosted');
    const metadata = forger.all[place]!.metadata.value as object;
    forger.put(place, { metadata: StoredContent.of({ ...metadata, hash: 'A'.repeat(43) }) });
  }),
  kind('raw', 'the hash taken away', (forger) => {
    const place = forger.at('TransferPosted');
    const { hash: _, ...metadata } = forger.all[place]!.metadata.value as { hash: string };
    forger.put(place, { metadata: StoredContent.of(metadata) });
  }),
  kind('raw', 'the id of an event', (forger) => forger.put(forger.at('TransferPosted'), { id: 'another' })),
  kind('raw', 'the type of an event', (forger) =>
    forger.put(forger.at('WalletFunded'), { type: 'WalletWithdrawn' }),
  ),
  kind('raw', 'spaces between the words of an event', (forger) => {
    const place = forger.at('TransferPosted');
    const text = JSON.stringify(forger.dataOf(place), undefined, 1);
    forger.put(place, {
      data: new StoredContent(Buffer.from(text), (bytes) => JSON.parse(bytes.toString())),
    });
  }),
  kind('raw', 'an event emptied', (forger) =>
    forger.put(forger.at('TransferPosted'), { data: StoredContent.of({}) }),
  ),
  kind('raw', 'the store’s own clock set back', (forger) =>
    forger.put(forger.at('TransferPosted'), { createdAt: new Date('2020-01-01T00:00:00Z') }),
  ),
];

const orders: readonly Kind[] = [
  kind('order', 'an entry removed', (forger) => forger.remove(forger.at('TransferPosted'))),
  kind('order', 'an entry removed and the rest counted anew', (forger) => {
    const place = forger.at('TransferPosted');
    forger.remove(place);
    forger.all.forEach((event, index) => {
      if (index >= place && event.stream === 'journal') forger.put(index, { revision: event.revision - 1 });
    });
  }),
  kind('order', 'the first entry removed', (forger) => forger.remove(forger.at('LedgerFounded'))),
  kind('order', 'an entry twice', (forger) => {
    const place = forger.at('TransferPosted');
    forger.all.splice(place, 0, forger.all[place]!);
  }),
  kind('order', 'two entries turned round', (forger) => {
    const place = forger.at('PaymentOpened');
    const [one, other] = [forger.all[place]!, forger.all[place + 1]!];
    forger.put(place, other).put(place + 1, one);
  }),
  kind('order', 'an entry moved to the end', (forger) => {
    const place = forger.at('TransferPosted');
    const [moved] = forger.all.splice(place, 1);
    forger.all.push(moved!);
    forger.renumber();
  }),
  kind('raw', 'an event put into another stream', (forger) =>
    forger.put(forger.at('ProfileChanged'), { stream: `user-${JUNO}` }),
  ),
  kind('order', 'a bank account’s whole stream removed', (forger) =>
    forger.keep(({ stream }) => stream !== `bank-accounts-${JUNO}`),
  ),
  kind('order', 'a subscription’s whole stream removed', (forger) =>
    forger.keep(({ stream }) => stream !== 'subscription-sub_1'),
  ),
  kind('order', 'a user’s whole stream removed', (forger) =>
    forger.keep(({ stream }) => stream !== `user-${MILO}`),
  ),
  kind('order', 'a settings stream removed', (forger) =>
    forger.keep(({ stream }) => !stream.startsWith('settings-')),
  ),
  kind('order', 'the whole journal removed', (forger) => forger.keep(({ stream }) => stream !== 'journal')),
  chained(
    'order',
    'the whole journal removed, and the streams of its payouts and schedules',
    (forger) => forger.keep(({ stream }) => !/^(journal$|payout-|subscription-|scheduled-)/.test(stream)),
    'a log without a journal is one of people who never paid: a head signed before, and the rows, know better',
  ),
  chained(
    'order',
    'a settings stream removed, and the closed months chained again',
    (forger) => forger.keep(({ stream }) => !stream.startsWith('settings-')),
    'nothing else in the log speaks of it: a head signed before, and the rows, do',
  ),
  kind(
    'order',
    'the end of the log cut off',
    (forger) => forger.remove(forger.all.length - 5, 5),
    'what is gone leaves no gap: a head signed before, the archive and the rows know more',
  ),
];

const legs: readonly Kind[] = moving.flatMap((type) => [
  chained('legs', `${type}: a cent more`, (forger) => {
    const place = movingAt(forger, type);
    const [first, ...rest] = legsOf(forger, place);
    forger.data(place, { postings: [{ ...first!, amountMinor: first!.amountMinor + 1 }, ...rest] });
  }),
  chained('legs', `${type}: to another account`, (forger) => {
    const place = movingAt(forger, type);
    const [first, ...rest] = legsOf(forger, place);
    const other = first!.credit === available(JUNO) ? available(MILO) : available(JUNO);
    forger.data(place, { postings: [{ ...first!, credit: other }, ...rest] });
  }),
]);

const fields: readonly Kind[] = [
  chained('fields', 'a settlement of more than was opened', (forger) =>
    amount(forger, 'PaymentSettled', 2_100),
  ),
  chained('fields', 'an opened payment of another amount', (forger) =>
    forger.data(forger.at('PaymentOpened'), { amountMinor: 2_100 }),
  ),
  chained(
    'fields',
    'a payment of another amount, from its opening to its last refund',
    (forger) => {
      forger.data(forger.at('PaymentOpened'), { amountMinor: 2_500 });
      amount(forger, 'PaymentSettled', 2_500);
      forger.data(forger.at('PaymentRefunded'), { originalMinor: 2_500 });
      forger.data(forger.at('PaymentRefunded', 1), { originalMinor: 2_500 });
      forger.data(forger.at('RefundFailed'), { originalMinor: 2_500 });
    },
    PROVIDER,
  ),
  chained('fields', 'a settlement credited to somebody else', (forger) =>
    redirected(forger, 'PaymentSettled', { recipientId: MILO }, available(JUNO), available(MILO)),
  ),
  chained('fields', 'a payment opened for somebody else', (forger) =>
    forger.data(forger.at('PaymentOpened'), { recipientId: ADA }),
  ),
  chained('fields', 'a payment opened in another’s name', (forger) =>
    forger.data(forger.at('PaymentOpened'), { payerId: ADA }),
  ),
  chained('fields', 'a settlement in another currency', (forger) =>
    forger.data(forger.at('PaymentSettled'), {
      currency: 'eur',
      postings: [{ debit: `${CARD}/eur`, credit: available(JUNO), amountMinor: 2_000 }],
    }),
  ),
  chained('fields', 'a charge that has paid another payment', (forger) =>
    forger.data(forger.at('PaymentSettled', 1), { chargeId: 'ch_pay_tip' }),
  ),
  chained('fields', 'a refund of more than it was', (forger) => amount(forger, 'PaymentRefunded', 1_300)),
  chained('fields', 'a refund of another payment', (forger) =>
    forger.data(forger.at('PaymentRefunded'), { paymentId: 'pay_gift' }),
  ),
  chained('fields', 'a failed refund of more than went', (forger) => amount(forger, 'RefundFailed', 1_300)),
  chained('fields', 'unapplied money that goes back more than came', (forger) =>
    amount(forger, 'UnappliedRefunded', 2_100),
  ),
  chained('fields', 'unapplied money of less than came', (forger) =>
    amount(forger, 'UnappliedReceived', 1_900),
  ),
  chained(
    'fields',
    'a transfer of another amount',
    (forger) => amount(forger, 'TransferPosted', 501),
    OWN_WORDS,
  ),
  chained('fields', 'a transfer of another’s money', (forger) =>
    redirected(forger, 'TransferPosted', { payerId: ADA }, available(JUNO), available(ADA)),
  ),
  chained(
    'fields',
    'a transfer to somebody else',
    (forger) => {
      const last = forger.all.filter(({ type }) => type === 'TransferPosted').length - 1;
      const to = available('usr_cleo');
      redirected(forger, 'TransferPosted', { recipientId: 'usr_cleo' }, available(JUNO), to, last);
    },
    OWN_WORDS,
  ),
  chained('fields', 'a subscription’s collection of another amount', (forger) =>
    amount(forger, 'TransferPosted', 150, {}, 1),
  ),
  chained('fields', 'a subscription’s collection for somebody else', (forger) =>
    redirected(
      forger,
      'TransferPosted',
      { recipientId: 'usr_cleo' },
      available(JUNO),
      available('usr_cleo'),
      1,
    ),
  ),
  chained('fields', 'a subscription made by somebody else', (forger) =>
    forger.data(forger.at('SubscriptionCreated'), { payerId: ADA }),
  ),
  chained('fields', 'a subscription of another amount', (forger) =>
    forger.data(forger.at('SubscriptionCreated'), { amountMinor: 100 }),
  ),
  chained('fields', 'a claim of another occurrence', (forger) =>
    forger.data(forger.at('OccurrenceClaimed'), { occurrenceId: 'occ_other' }),
  ),
  chained('fields', 'a payout of another amount', (forger) => amount(forger, 'PayoutRequested', 1_600)),
  chained('fields', 'a payout completed with another amount', (forger) =>
    amount(forger, 'PayoutCompleted', 1_400),
  ),
  chained('fields', 'a payout to a bank account of somebody else', (forger) =>
    forger.data(forger.at('PayoutRequested'), { bankAccountId: 'ba_ada' }),
  ),
  chained('fields', 'a payout to an account at the provider of somebody else', (forger) =>
    forger.data(forger.at('PayoutTransferred'), { connectAccountId: 'acct_ada' }),
  ),
  chained('fields', 'a payout sent to another account at the bank than it was asked for', (forger) =>
    forger.data(
      forger.all.findIndex(
        ({ type, data }) => type === 'PayoutStepBegun' && 'externalAccountId' in (data.value as object),
      ),
      { externalAccountId: 'ext_other' },
    ),
  ),
  chained('fields', 'a bank account given to another owner’s payout', (forger) =>
    forger.data(forger.at('BankAccountAdded'), { bankAccountId: 'ba_other' }),
  ),
  chained('fields', 'a payout completed by another object of the provider', (forger) =>
    forger.data(forger.at('PayoutCompleted'), { providerPayoutId: 'po_other' }),
  ),
  chained('fields', 'a payout that failed without a reversal', (forger) => {
    const place = forger.at('PayoutFailed');
    const { reversalId: _, ...data } = forger.dataOf(place);
    forger.put(place, {
      data: StoredContent.of({ ...data, postings: legsOf(forger, place).slice(1) }),
    });
  }),
  chained('fields', 'a return that says it came after completion', (forger) => {
    const place = forger.at('PayoutReturned');
    forger.data(place, {
      afterCompletion: true,
      postings: [{ debit: 'platform/connect-clearing', credit: `user/${JUNO}/payouts`, amountMinor: 1_500 }],
    });
  }),
  chained('fields', 'a wallet moved by another than its owner', (forger) =>
    redirected(forger, 'WalletFunded', { userId: MILO }, available(JUNO), available(MILO)),
  ),
  chained('fields', 'a wallet opened for another owner', (forger) =>
    forger.data(forger.at('WalletOpened'), { userId: MILO }),
  ),
  chained('fields', 'a wallet closed with more than it holds', (forger) =>
    amount(forger, 'WalletClosed', 900),
  ),
  chained('fields', 'a dispute borne by the platform instead', (forger) => {
    forger.data(forger.at('DisputeFundsWithdrawn'), {
      recipientMinor: 0,
      platformMinor: 30_000,
      postings: [
        { debit: 'platform/dispute-losses', credit: CARD, amountMinor: 30_000 },
        { debit: 'platform/dispute-losses', credit: CARD, amountMinor: 1_500 },
      ],
    });
  }),
  chained('fields', 'a dispute of another charge', (forger) =>
    forger.data(forger.at('DisputeOpened'), { chargeId: 'ch_pay_tip' }),
  ),
  chained('fields', 'a fee paid by a user', (forger) =>
    redirected(forger, 'ProviderFeeBooked', {}, 'platform/fees', available(JUNO)),
  ),
  chained('fields', 'a provider’s fee of another amount', (forger) =>
    amount(forger, 'ProviderFeeBooked', 800),
  ),
  chained(
    'fields',
    'a provider’s fee of another amount, and what is left of the charge',
    (forger) => amount(forger, 'ProviderFeeBooked', 800, { netMinor: 29_200 }),
    PROVIDER,
  ),
  chained('fields', 'a fee of another payment', (forger) =>
    forger.data(forger.at('ProviderFeeBooked'), { paymentId: 'pay_tip' }),
  ),
  chained(
    'fields',
    'a top-up of another amount',
    (forger) => amount(forger, 'PlatformFunded', 60_000),
    PROVIDER,
  ),
  chained('fields', 'a balance transaction booked twice', (forger) =>
    forger.data(forger.at('PlatformFunded', 1), { balanceTransactionId: 'txn_up' }),
  ),
  chained('fields', 'a payment’s charge booked as the platform’s own money', (forger) =>
    forger.data(forger.at('ProviderChargeReturned'), { providerType: 'charge' }),
  ),
  chained('fields', 'a debt written off that is not owed', (forger) => amount(forger, 'DebtWrittenOff', 700)),
  chained('fields', 'more written off at leaving than was owed', (forger) => {
    const place = forger.at('AccountClosed');
    const postings = legsOf(forger, place).map((leg) => ({ ...leg, amountMinor: 2_000 }));
    forger.data(place, { writtenOffMinor: 2_000, postings });
  }),
  chained('fields', 'unclaimed money paid out twice as much', (forger) =>
    amount(forger, 'UnclaimedPaid', 5_000),
  ),
  chained(
    'fields',
    'less of what is taken from somebody who left drawn from what waits for them',
    (forger) => {
      const place = forger.all.findLastIndex(({ type }) => type === 'PaymentRefunded');
      const [drawn] = forger.dataOf(place).drawn as { itemId: string; amountMinor: number }[];
      const [whole] = legsOf(forger, place);
      forger.data(place, {
        drawn: [{ ...drawn!, amountMinor: 500 }],
        postings: [
          { ...whole!, amountMinor: 500 },
          { ...whole!, debit: 'platform/losses', amountMinor: drawn!.amountMinor - 500 },
        ],
      });
    },
  ),
  chained('fields', 'what is taken from somebody who left drawn from nothing that waits', (forger) => {
    const place = forger.all.findLastIndex(({ type }) => type === 'PaymentRefunded');
    const [drawn] = forger.dataOf(place).drawn as { itemId: string; amountMinor: number }[];
    forger.data(place, { drawn: [{ ...drawn!, itemId: 'out_other' }] });
  }),
  chained('fields', 'unclaimed money paid out to somebody else', (forger) =>
    forger.data(forger.at('UnclaimedPaid'), { userId: MILO }),
  ),
  chained('fields', 'an account under another name', (forger) =>
    forger.data(forger.at('AccountOpened'), { account: `user/${JUNO}/savings` }),
  ),
  kind('fields', 'a closed month of other balances', (forger) =>
    forger.data(forger.at('MonthClosed'), { balancesHash: 'A'.repeat(43) }).rechain(false),
  ),
  kind('fields', 'a closed month that ends at another entry', (forger) =>
    forger.data(forger.at('MonthClosed'), { throughRevision: 3 }).rechain(false),
  ),
  kind('fields', 'a transfer of another amount in a closed month', (forger) => {
    amount(forger, 'TransferPosted', 501);
    forger.rechain(false);
  }),
  kind('fields', 'an epoch that names another hash', (forger) =>
    forger.data(forger.at('EpochBegun'), { commonHash: 'A'.repeat(43) }).rechain(false),
  ),
  chained('fields', 'debits resumed of another user', (forger) =>
    forger.data(forger.at('DebitsResumed'), { userId: ADA }),
  ),
  chained('fields', 'an entry dated back', (forger) =>
    forger.metadata(forger.at('TransferPosted'), { recordedAt: '2020-01-01T00:00:00.000Z' }),
  ),
  chained('fields', 'an entry dated ahead', (forger) =>
    forger.metadata(forger.all.length - 1, { recordedAt: '2036-01-01T00:00:00.000Z' }),
  ),
  chained('fields', 'a key used twice', (forger) => {
    const { key } = forger.all[forger.at('TransferPosted')]!.metadata.value as { key: string };
    forger.metadata(forger.at('TransferPosted', 1), { key });
  }),
  chained('fields', 'an entry that nobody asked for', (forger) =>
    forger.metadata(forger.at('TransferPosted'), { actorId: undefined }),
  ),
  chained('fields', 'an entry that claims to be won back', (forger) =>
    forger.metadata(forger.at('TransferPosted'), { recovered: true }),
  ),
  chained(
    'fields',
    'a name or a note sealed anew',
    (forger) => forger.data(forger.at('ProfileChanged'), { profile: `sealed:${MILO}:eA` }),
    OWN_WORDS,
  ),
  chained(
    'fields',
    'a setting switched the other way',
    (forger) => forger.put(forger.at('SettingSwitchedOn'), { type: 'SettingSwitchedOff' }),
    OWN_WORDS,
  ),
];

/** What falls silent with the event: nothing refers to it, or what does can do without. */
const SILENT: Readonly<Record<string, string>> = {
  LedgerFounded: OWN_WORDS,
  SettingSwitchedOn: OWN_WORDS,
  ProfileChanged: OWN_WORDS,
  UserForgotten: OWN_WORDS,
  PaymentSubmitted: OWN_WORDS,
  PaymentAttemptFailed: OWN_WORDS,
  PaymentCanceled: OWN_WORDS,
  UnappliedRefunded: OWN_WORDS,
  UnappliedRefundFailed: OWN_WORDS,
  PrimaryBankAccountChosen: OWN_WORDS,
  PayoutStepBegun: OWN_WORDS,
  PayoutCompleted: OWN_WORDS,
  CollectionRefused: OWN_WORDS,
  SubscriptionAmountChanged: 'nothing was collected after it; a collection of the new amount is found then',
  SubscriptionSourceChosen: OWN_WORDS,
  ScheduledPaymentSourceChosen: OWN_WORDS,
  ScheduledPaymentMoved: OWN_WORDS,
  OccurrenceCollected: OWN_WORDS,
  OccurrenceFailed: OWN_WORDS,
  WalletRenamed: OWN_WORDS,
  WalletClosed: OWN_WORDS,
  DisputeWon: OWN_WORDS,
  DisputeLost: OWN_WORDS,
  ProviderFeeBooked: PROVIDER,
  PlatformFunded: PROVIDER,
  PlatformFundingReversed: PROVIDER,
  PlatformPaidOut: PROVIDER,
  PlatformPayoutReturned: PROVIDER,
  ProviderCharged: PROVIDER,
  ProviderChargeReturned: PROVIDER,
  DebtWrittenOff: OWN_WORDS,
  UnclaimedPaid: OWN_WORDS,
  EpochBegun: OWN_WORDS,
  MonthClosed: OWN_WORDS,
  PayoutFailed:
    'the payout stands open then, as one does whose reversal is awaited: `aging payouts` names it',
  DisputeFundsReinstated: PROVIDER,
};
const gone: readonly Kind[] = types.map((type) =>
  chained('gone', type, (forger) => forger.remove(forger.at(type)), SILENT[type]),
);

const forged: readonly Kind[] = [
  chained('forged', 'a settlement to somebody else', (forger) =>
    forger.forge({
      type: 'PaymentSettled',
      data: { ...settled, recipientId: 'usr_cleo', postings: credit(available('usr_cleo'), 700) },
    }),
  ),
  chained('forged', 'a settlement of a payment that nobody opened', (forger) =>
    forger.forge({
      type: 'PaymentSettled',
      data: { ...settled, paymentId: 'pay_never', postings: credit(available(JUNO), 700) },
    }),
  ),
  chained('forged', 'a settlement by a charge that paid another payment', (forger) =>
    forger.forge({
      type: 'PaymentSettled',
      data: { ...settled, chargeId: 'ch_pay_tip', postings: credit(available(JUNO), 700) },
    }),
  ),
  chained('forged', 'a settlement by a charge that was unapplied', (forger) =>
    forger.forge({
      type: 'PaymentSettled',
      data: { ...settled, chargeId: 'ch_again', postings: credit(available(JUNO), 700) },
    }),
  ),
  chained('forged', 'a second settlement of a payment', (forger) => {
    const data = forger.dataOf(forger.at('PaymentSettled'));
    forger.forge({ type: 'PaymentSettled', data: { ...data, chargeId: 'ch_second' } });
  }),
  chained(
    'forged',
    'a settlement of a payment that was opened, without any money',
    (forger) =>
      forger.forge({
        type: 'PaymentSettled',
        data: { ...settled, postings: credit(available(JUNO), 700) },
      }),
    PROVIDER,
  ),
  chained('forged', 'a refund booked twice', (forger) =>
    forger.forge({ type: 'PaymentRefunded', data: refundOf('pay_tip', 're_2', 1_000, 2_000) }),
  ),
  chained('forged', 'a refund of more than was paid', (forger) =>
    forger.forge({ type: 'PaymentRefunded', data: refundOf('pay_tip', 're_new', 1_500, 2_500) }),
  ),
  chained('forged', 'a refund of a payment that was never settled', (forger) =>
    forger.forge({ type: 'PaymentRefunded', data: refundOf('pay_left', 're_new', 100, 100) }),
  ),
  chained('forged', 'a failed refund that never went', (forger) =>
    forger.forge({
      type: 'RefundFailed',
      data: {
        ...refundOf('pay_tip', 're_never', 100, 900),
        reason: 'x',
        postings: credit(available(JUNO), 100),
      },
    }),
  ),
  chained('forged', 'a fee that a user pays', (forger) =>
    forger.forge({
      type: 'ProviderFeeBooked',
      data: {
        balanceTransactionId: 'txn_forged',
        chargeId: 'ch_pay_gift',
        paymentId: 'pay_gift',
        payerId: MILO,
        recipientId: JUNO,
        amountMinor: 50,
        currency: 'usd',
        netMinor: 1,
        availableOn: AT,
        occurredAt: AT,
        postings: [{ debit: available(JUNO), credit: CARD, amountMinor: 50 }],
      },
      metadata: { version: 2 },
    }),
  ),
  chained('forged', 'a payout to a bank account of somebody else', (forger) =>
    forger.forge({ type: 'PayoutRequested', data: payout(JUNO, 100, 'ba_ada'), ...by(JUNO) }),
  ),
  chained('forged', 'a payout to an unknown bank account', (forger) =>
    forger.forge({ type: 'PayoutRequested', data: payout(JUNO, 100, 'ba_unknown'), ...by(JUNO) }),
  ),
  chained('forged', 'a payout of more than is there', (forger) =>
    forger.forge({ type: 'PayoutRequested', data: payout(JUNO, 9_999_999, 'ba_1'), ...by(JUNO) }),
  ),
  chained('forged', 'a payout that its owner did not ask for', (forger) =>
    forger.forge({ type: 'PayoutRequested', data: payout(JUNO, 100, 'ba_1'), ...by(MILO) }),
  ),
  chained(
    'forged',
    'a payout in its owner’s name to their own bank account',
    (forger) => forger.forge({ type: 'PayoutRequested', data: payout(JUNO, 100, 'ba_1'), ...by(JUNO) }),
    CLIENT,
  ),
  chained('forged', 'a payout completed that was never requested', (forger) =>
    forger.forge({
      type: 'PayoutCompleted',
      data: {
        payoutId: 'out_never',
        userId: JUNO,
        amountMinor: 100,
        currency: 'usd',
        providerPayoutId: 'po_x',
        occurredAt: AT,
        postings: [{ debit: `user/${JUNO}/payouts`, credit: 'platform/bank-clearing', amountMinor: 100 }],
      },
    }),
  ),
  chained('forged', 'a payout that comes back twice', (forger) =>
    forger.forge({ type: 'PayoutFailed', data: forger.dataOf(forger.at('PayoutFailed')) }),
  ),
  chained('forged', 'a transfer that its payer did not ask for', (forger) =>
    forger.forge({ type: 'TransferPosted', data: transferred(JUNO, MILO, 100), ...by(MILO) }),
  ),
  chained(
    'forged',
    'a transfer in its payer’s name',
    (forger) => forger.forge({ type: 'TransferPosted', data: transferred(JUNO, MILO, 100), ...by(JUNO) }),
    CLIENT,
  ),
  chained('forged', 'a transfer of more than is there', (forger) =>
    forger.forge({ type: 'TransferPosted', data: transferred(JUNO, MILO, 9_999_999), ...by(JUNO) }),
  ),
  chained('forged', 'a transfer to an account that nobody opened', (forger) =>
    forger.forge({ type: 'TransferPosted', data: transferred(JUNO, 'usr_nobody', 100), ...by(JUNO) }),
  ),
  chained('forged', 'a transfer to a closed account', (forger) =>
    forger.forge({ type: 'TransferPosted', data: transferred(JUNO, ADA, 100), ...by(JUNO) }),
  ),
  chained('forged', 'a collection of a schedule that nobody made', (forger) =>
    forger.forge({
      type: 'TransferPosted',
      data: transferred(JUNO, MILO, 100, due('sub_never', 'occ_x')),
    }),
  ),
  chained('forged', 'a collection that was never begun', (forger) =>
    forger.forge({
      type: 'TransferPosted',
      data: transferred(MILO, JUNO, 200, due('sub_1', 'occ_never')),
    }),
  ),
  chained('forged', 'an occurrence collected twice', (forger) =>
    forger.forge({ type: 'TransferPosted', data: transferred(MILO, JUNO, 200, due('sub_1', 'occ_1')) }),
  ),
  chained('forged', 'an attempt collected that was refused', (forger) =>
    forger.forge({ type: 'TransferPosted', data: transferred(MILO, JUNO, 200, due('sub_1', 'occ_3')) }),
  ),
  chained('forged', 'an invented account of the platform’s', (forger) =>
    forger.forge({
      type: 'PlatformFunded',
      data: {
        ...ownMoney('txn_x', 'topup', 100),
        postings: [{ debit: CARD, credit: 'platform/bonus', amountMinor: 100 }],
      },
    }),
  ),
  chained('forged', 'a top-up that is a user’s', (forger) =>
    forger.forge({
      type: 'PlatformFunded',
      data: { ...ownMoney('txn_x', 'topup', 100), postings: credit(available(JUNO), 100) },
    }),
  ),
  chained(
    'forged',
    'a payout of the platform’s to its own bank',
    (forger) =>
      forger.forge({
        type: 'PlatformPaidOut',
        data: {
          ...ownMoney('txn_x', 'payout', 100),
          postings: [{ debit: 'platform/own-funds', credit: CARD, amountMinor: 100 }],
        },
      }),
    PROVIDER,
  ),
  chained('forged', 'a payment’s refund booked as an adjustment', (forger) =>
    forger.forge({
      type: 'ProviderCharged',
      data: {
        ...ownMoney('txn_x', 'refund', 100),
        postings: [{ debit: 'platform/adjustments', credit: CARD, amountMinor: 100 }],
      },
    }),
  ),
  chained('forged', 'a wallet of somebody else emptied', (forger) =>
    forger.forge({ type: 'WalletWithdrawn', data: movement('wal_2', MILO, 100), ...by(MILO) }),
  ),
  chained('forged', 'a closed wallet emptied', (forger) =>
    forger.forge({ type: 'WalletWithdrawn', data: movement('wal_1', JUNO, 100), ...by(JUNO) }),
  ),
  chained('forged', 'a closed wallet opened again', (forger) =>
    forger.forge({ type: 'WalletOpened', data: forger.dataOf(forger.at('WalletOpened')), ...by(JUNO) }),
  ),
  chained('forged', 'an account of somebody who never registered', (forger) =>
    forger.forge({
      type: 'AccountOpened',
      data: { account: available('usr_ghost'), userId: 'usr_ghost' },
      ...by('usr_ghost'),
    }),
  ),
  chained('forged', 'a debt written off that nobody owes', (forger) =>
    forger.forge({
      type: 'DebtWrittenOff',
      data: {
        userId: JUNO,
        amountMinor: 100,
        currency: 'usd',
        postings: [{ debit: 'platform/losses', credit: available(JUNO), amountMinor: 100 }],
      },
    }),
  ),
  chained('forged', 'unclaimed money paid that was never there', (forger) =>
    forger.forge({
      type: 'UnclaimedPaid',
      data: {
        itemId: 'x',
        userId: JUNO,
        amountMinor: 100,
        currency: 'usd',
        reference: 'r',
        postings: [{ debit: 'platform/unclaimed', credit: 'platform/own-funds', amountMinor: 100 }],
      },
    }),
  ),
  chained('forged', 'a dispute’s money taken without a dispute', (forger) =>
    forger.forge({
      type: 'DisputeFundsWithdrawn',
      data: {
        ...forger.dataOf(forger.at('DisputeFundsWithdrawn')),
        disputeId: 'dp_never',
        balanceTransactionId: 'txn_x',
      },
    }),
  ),
  chained('forged', 'a dispute’s money taken twice by one balance transaction', (forger) =>
    forger.forge({ type: 'DisputeFundsWithdrawn', data: forger.dataOf(forger.at('DisputeFundsWithdrawn')) }),
  ),
  chained('forged', 'one refund of the provider’s booked of two payments', (forger) => {
    const { refundId } = forger.dataOf(forger.at('PaymentRefunded')) as { refundId: string };
    const data = { ...refundOf('pay_gift', refundId, 100, 100), originalMinor: 30_000 };
    forger.forge({ type: 'PaymentRefunded', data });
  }),
  chained('forged', 'a transfer in another currency than its accounts hold', (forger) =>
    forger.forge({
      type: 'TransferPosted',
      data: { ...transferred(JUNO, MILO, 100), currency: 'eur' },
      ...by(JUNO),
    }),
  ),
  chained('forged', 'a dispute won twice', (forger) =>
    forger.forge({ type: 'DisputeWon', data: forger.dataOf(forger.at('DisputeWon')) }),
  ),
  chained('fields', 'two payouts by one transfer of the provider’s', (forger) => {
    const { providerTransferId } = forger.dataOf(forger.at('PayoutTransferred'));
    forger.data(forger.at('PayoutTransferred', 1), { providerTransferId });
  }),
  chained('fields', 'two payouts by one payout of the provider’s', (forger) => {
    const { providerPayoutId } = forger.dataOf(forger.at('PayoutSubmitted'));
    forger.data(forger.at('PayoutSubmitted', 1), { providerPayoutId });
  }),
  chained('fields', 'a subscription that nobody asked for', (forger) =>
    forger.metadata(forger.at('SubscriptionCreated'), { actorId: undefined }),
  ),
  chained('fields', 'a scheduled payment in somebody else’s name', (forger) =>
    forger.metadata(forger.at('PaymentScheduled'), { actorId: ADA }),
  ),
  chained('fields', 'a collection before the subscription began', (forger) =>
    forger.data(forger.at('SubscriptionCreated'), { firstDueAt: '2030-01-01T00:00:00.000Z' }),
  ),
  chained('fields', 'a scheduled payment collected before the day to which it was moved', (forger) =>
    forger.data(forger.at('ScheduledPaymentMoved'), { dueAt: '2030-01-01T00:00:00.000Z' }),
  ),
  chained('fields', 'a due time put before the schedule', (forger) =>
    forger.data(forger.at('OccurrenceClaimed'), { dueAt: '2020-01-01T00:00:00.000Z' }),
  ),
  chained('fields', 'a collection begun before it was due', (forger) =>
    forger.data(forger.at('OccurrenceClaimed'), { at: '2020-01-01T00:00:00.000Z' }),
  ),
  chained('fields', 'a collection of a subscription that was called off', (forger) => {
    const place = forger.at('OccurrenceClaimed', 1);
    const { stream } = forger.all[place]!;
    const data = { subscriptionId: 'sub_1', payerId: MILO, at: AT };
    forger.forge({ stream, type: 'SubscriptionCanceled', data, ...by(MILO) }, place);
  }),
  chained(
    'fields',
    'a settlement by another payment object of the provider’s',
    (forger) => forger.data(forger.at('PaymentSettled'), { intentId: 'pi_other' }),
    PROVIDER,
  ),
  chained('fields', 'a bank account that leads to another one at the provider', (forger) =>
    forger.data(forger.at('BankAccountAdded'), { externalAccountId: 'ext_thief' }),
  ),
  chained(
    'fields',
    'the founding by another account of the provider’s',
    (forger) => forger.data(forger.at('LedgerFounded'), { providerAccountId: 'acct_other' }),
    PROVIDER,
  ),
  chained(
    'forged',
    'a second fee of one charge',
    (forger) => {
      const data = { ...forger.dataOf(forger.at('ProviderFeeBooked')), balanceTransactionId: 'txn_second' };
      forger.forge({ type: 'ProviderFeeBooked', data, metadata: { version: 2 } });
    },
    PROVIDER,
  ),
  chained('forged', 'a profile of somebody who was forgotten', (forger) => {
    const place = forger.at('UserForgotten');
    const { userId } = forger.dataOf(place) as { userId: string };
    const data = { ...forger.dataOf(forger.at('ProfileChanged')), userId };
    forger.forge({ stream: forger.all[place]!.stream, type: 'ProfileChanged', data });
  }),
  chained('forged', 'a second founding', (forger) =>
    forger.forge({ type: 'LedgerFounded', data: { providerAccountId: 'acct_other', mode: 'test' } }),
  ),
  chained('forged', 'an entry of an unknown type', (forger) =>
    forger.forge({ type: 'BalanceSet', data: { account: available(JUNO), amountMinor: 1 } }),
  ),
  chained('fields', 'an event that has the id of one in another stream', (forger) =>
    forger.put(forger.at('TransferPosted'), { id: forger.all[forger.at('ProfileChanged')]!.id }),
  ),
  chained('forged', 'an entry without a key', (forger) =>
    forger.forge({
      type: 'DisputeWon',
      data: forger.dataOf(forger.at('DisputeWon')),
      metadata: { key: undefined },
    }),
  ),
  chained('forged', 'a month closed a second time', (forger) =>
    forger.forge({ type: 'MonthClosed', data: forger.dataOf(forger.at('MonthClosed')) }),
  ),
  kind('forged', 'an epoch that names an entry which is not there', (forger) =>
    forger.forge({ type: 'EpochBegun', data: { commonRevision: 9_999 } }).rechain(false),
  ),
  chained(
    'forged',
    'an epoch that no recovery began',
    (forger) => forger.forge({ type: 'EpochBegun', data: { commonRevision: 0 } }),
    'it moves nothing, and verify names every epoch in the line “epochs after the first”',
  ),
  chained('forged', 'a transfer that claims to be won back, behind a recovery', (forger) =>
    forger.forge({
      type: 'TransferPosted',
      data: { ...forger.dataOf(forger.at('TransferPosted')), transferId: 'trf_x' },
      metadata: { recovered: true },
    }),
  ),
  chained(
    'forged',
    'a payout to a stranger’s bank account that claims to be won back, behind a recovery',
    (forger) =>
      forger.forge({
        type: 'PayoutRequested',
        data: payout(JUNO, 100, 'ba_thief'),
        metadata: { recovered: true },
      }),
    'a recovery writes such an entry where the provider shows one; reconcile compares with it',
  ),
  chained(
    'forged',
    'an adjustment that the provider never made',
    (forger) =>
      forger.forge({
        type: 'ProviderCharged',
        data: {
          ...ownMoney('txn_x', 'adjustment', 100),
          postings: [{ debit: 'platform/adjustments', credit: CARD, amountMinor: 100 }],
        },
      }),
    PROVIDER,
  ),
  chained('forged', 'a bank account put in for a payout that follows', (forger) =>
    forger
      .forge({
        stream: `bank-accounts-${MILO}`,
        type: 'BankAccountAdded',
        data: { userId: MILO, bankAccountId: 'ba_thief', externalAccountId: 'ext_thief' },
      })
      .forge({ type: 'PayoutRequested', data: payout(JUNO, 100, 'ba_thief'), ...by(JUNO) }),
  ),
  chained(
    'forged',
    'a word of an operator that takes an event out of view',
    (forger) => {
      const { stream, revision, id } = forger.all[forger.at('ProfileChanged')]!;
      forger.forge({
        stream: 'encore-quarantine',
        type: 'EventQuarantined',
        data: { stream, revision, eventId: id, because: 'x', at: AT },
      });
    },
    'it is an operator’s right: verify names each such event in the line “quarantined events”',
  ),
];

/** One attempt at a due time of Milo's subscription, as its stream tells it, and as the journal does. */
const claimOf = (occurrenceId: string, dueAt: string, attempt = 1) => ({
  scheduleKind: 'subscription',
  scheduleId: 'sub_1',
  payerId: MILO,
  occurrenceId,
  dueAt,
  attempt,
  at: dueAt,
});
const collected = (occurrenceId: string, dueAt: string) =>
  transferred(MILO, JUNO, 250, { ...due('sub_1', occurrenceId), dueAt });
/** Claims a due time of the subscription and collects it, as if it had been due. */
const collectAgain = (forger: Forger, occurrenceId: string, dueAt: string): Forger =>
  forger
    .forge({ stream: SUB, type: 'OccurrenceClaimed', data: claimOf(occurrenceId, dueAt) })
    .forge({ type: 'TransferPosted', data: collected(occurrenceId, dueAt) });
const SUB = 'subscription-sub_1';
const DUE_3 = DUE.occ_3;
/** The fourth due time, which nobody has begun, and a day before it, on which nothing is due. */
const NEXT_DUE = DUE.occ_4;
const NOT_DUE = new Date(Date.parse(NEXT_DUE) - 86_400_000).toISOString();

const unapplied = (reason: string, paymentId: string, amountMinor: number) => ({
  chargeId: 'ch_diverted',
  intentId: `pi_${paymentId}`,
  paymentId,
  amountMinor,
  currency: 'usd',
  reason,
  occurredAt: AT,
  postings: credit('platform/unapplied', amountMinor),
});
/** Writes the bytes of an event's data, which say the same to us. */
const written = (forger: Forger, type: string, write: (text: string) => string): void => {
  const place = forger.at(type);
  const text = write(JSON.stringify(forger.dataOf(place)));
  forger.put(place, {
    data: new StoredContent(Buffer.from(text), (bytes) => JSON.parse(bytes.toString())),
  });
};

/** What entries say of each other, and of the streams beside the journal. */
const relations: readonly Kind[] = [
  chained('forged', 'a transfer booked a second time, under another key', (forger) =>
    forger.forge({ type: 'TransferPosted', data: forger.dataOf(forger.at('TransferPosted')), ...by(JUNO) }),
  ),
  chained('forged', 'a movement of a wallet booked a second time, under another key', (forger) =>
    forger.forge({ type: 'WalletFunded', data: forger.dataOf(forger.at('WalletFunded', 1)), ...by(JUNO) }),
  ),
  chained('fields', 'an entry about the provider’s object under a key of another', (forger) =>
    forger.metadata(forger.at('ProviderFeeBooked'), { key: 'fee:txn_other' }),
  ),
  chained('forged', 'a payout that fails with a reversal, of which nothing was transferred', (forger) => {
    const asked = { ...payout(JUNO, 100, 'ba_1'), payoutId: 'out_x' };
    const { bankAccountId: _, ...terms } = asked;
    forger.forge({ type: 'PayoutRequested', data: asked, ...by(JUNO) }).forge({
      type: 'PayoutFailed',
      data: {
        ...terms,
        code: 'c',
        reason: 'r',
        reversalId: 'trr_x',
        occurredAt: AT,
        postings: [
          { debit: CARD, credit: 'platform/connect-clearing', amountMinor: 100 },
          { debit: `user/${JUNO}/payouts`, credit: available(JUNO), amountMinor: 100 },
        ],
      },
    });
  }),
  chained('fields', 'two payouts taken back by one reversal of the provider’s', (forger) =>
    forger.data(forger.at('PayoutFailed', 1), {
      reversalId: forger.dataOf(forger.at('PayoutFailed')).reversalId,
    }),
  ),
  chained('fields', 'a step of a payout with another’s account at the provider', (forger) =>
    forger.data(forger.at('PayoutStepBegun'), { connectAccountId: 'acct_ada' }),
  ),
  chained('fields', 'a settlement by the payment object of another payment', (forger) =>
    forger.data(forger.at('PaymentSettled', 1), {
      intentId: forger.dataOf(forger.at('PaymentSettled')).intentId,
    }),
  ),
  chained('fields', 'one payment object of the provider’s recorded for two payments', (forger) =>
    forger.data(forger.at('PaymentSubmitted', 1), {
      intentId: forger.dataOf(forger.at('PaymentSubmitted')).intentId,
    }),
  ),
  chained('fields', 'a settlement that pays an occurrence for which it was not opened', (forger) =>
    forger.data(forger.at('PaymentSettled'), { occurrence: due('sub_1', 'occ_9') }),
  ),
  chained('forged', 'a payment’s money diverted to unapplied, as of an unknown payment', (forger) =>
    forger.forge({ type: 'UnappliedReceived', data: unapplied('unknown-payment', 'pay_left', 700) }),
  ),
  chained('forged', 'a payment’s money diverted to unapplied, as if it had been settled', (forger) =>
    forger.forge({ type: 'UnappliedReceived', data: unapplied('already-settled', 'pay_left', 700) }),
  ),
  chained('forged', 'one refund of the provider’s booked of a payment and of unapplied money', (forger) => {
    const { refundId } = forger.dataOf(forger.at('PaymentRefunded'));
    const data = { chargeId: 'ch_pay_stray', refundId, amountMinor: 100, currency: 'usd', occurredAt: AT };
    const postings = [{ debit: 'platform/unapplied', credit: CARD, amountMinor: 100 }];
    forger.forge({ type: 'UnappliedRefunded', data: { ...data, postings } });
  }),
  chained('fields', 'a dispute of two charges', (forger) => {
    const { disputeId } = forger.dataOf(forger.at('DisputeOpened'));
    forger.data(forger.at('DisputeOpened', 1), { disputeId });
  }),
  chained('fields', 'a card of another customer charged', (forger) =>
    forger.data(
      forger.all.findIndex(
        ({ type, data }) => type === 'PaymentOpened' && 'savedCard' in (data.value as object),
      ),
      { savedCard: { customerId: 'cus_other', paymentMethodId: 'pm_other' } },
    ),
  ),
  chained('forged', 'a customer whose cards are another’s', (forger) =>
    forger
      .forge({
        stream: `cards-${JUNO}`,
        type: 'CardCustomerOpened',
        data: { userId: JUNO, customerId: CARD_OF_MILO.customerId },
        ...by(JUNO),
      })
      .forge({
        type: 'PaymentOpened',
        data: {
          paymentId: 'pay_forged',
          payerId: JUNO,
          recipientId: MILO,
          amountMinor: 900,
          currency: 'usd',
          method: 'card',
          savedCard: CARD_OF_MILO,
        },
        ...by(JUNO),
      }),
  ),
  chained('forged', 'a wallet of somebody who never registered', (forger) =>
    forger.forge({
      type: 'WalletOpened',
      data: {
        ...forger.dataOf(forger.at('WalletOpened')),
        walletId: 'wal_x',
        account: 'wallet/wal_x',
        userId: 'usr_ghost',
      },
      ...by('usr_ghost'),
    }),
  ),
  chained('forged', 'an account closed whose owner has a wallet with money', (forger) => {
    const amountMinor = forger.all
      .flatMap(({ data }) => (data.value as { postings?: Posting[] }).postings ?? [])
      .reduce(
        (sum, leg) =>
          sum +
          (leg.credit === available(JUNO) ? leg.amountMinor : 0) -
          (leg.debit === available(JUNO) ? leg.amountMinor : 0),
        0,
      );
    forger.forge({ type: 'TransferPosted', data: transferred(JUNO, MILO, amountMinor), ...by(JUNO) }).forge({
      type: 'AccountClosed',
      data: { account: available(JUNO), userId: JUNO, writtenOffMinor: 0, postings: [] },
      metadata: { version: 2 },
    });
  }),
  kind('fields', 'a closed month with the root of another tree', (forger) =>
    forger.data(forger.at('MonthClosed'), { root: `${'A'.repeat(43)}=` }).rechain(false),
  ),
  chained('forged', 'a due time collected again, as another occurrence', (forger) =>
    collectAgain(forger, 'occ_again', DUE.occ_1),
  ),
  chained('forged', 'a collection on a day on which nothing is due', (forger) =>
    collectAgain(forger, 'occ_extra', NOT_DUE),
  ),
  chained('forged', 'a due time that is to come collected today', (forger) =>
    collectAgain(forger, 'occ_5', dueTime(new Date(DUE.occ_1), 'monthly', 4).toISOString()),
  ),
  chained('forged', 'a collection while the subscription is paused', (forger) => {
    const data = { subscriptionId: 'sub_1', payerId: MILO, at: AT };
    forger.forge({ stream: SUB, type: 'SubscriptionPaused', data, ...by(MILO) });
    collectAgain(forger, 'occ_4', NEXT_DUE);
  }),
  chained('forged', 'a subscription resumed by somebody else', (forger) => {
    const data = { subscriptionId: 'sub_1', payerId: MILO, at: AT };
    forger
      .forge({ stream: SUB, type: 'SubscriptionPaused', data, ...by(MILO) })
      .forge({ stream: SUB, type: 'SubscriptionResumed', data, ...by(ADA) });
  }),
  chained('forged', 'a subscription called off by somebody else', (forger) =>
    forger.forge({
      stream: SUB,
      type: 'SubscriptionCanceled',
      data: { subscriptionId: 'sub_1', payerId: MILO, at: AT },
      ...by(ADA),
    }),
  ),
  chained('forged', 'an attempt that leaves one out', (forger) =>
    forger.forge({ stream: SUB, type: 'OccurrenceRetried', data: claimOf('occ_3', DUE_3, 3) }),
  ),
  chained('fields', 'a collection for another due time than was begun', (forger) => {
    const place = forger.at('TransferPosted', 1);
    const { occurrence } = forger.dataOf(place) as { occurrence: object };
    forger.data(place, { occurrence: { ...occurrence, dueAt: NEXT_DUE } });
  }),
  chained('forged', 'a schedule that says it was paid, and no money moved', (forger) => {
    const claim = claimOf('occ_4', NEXT_DUE);
    forger.forge({ stream: SUB, type: 'OccurrenceClaimed', data: claim }).forge({
      stream: SUB,
      type: 'OccurrenceCollected',
      data: { ...claim, paidBy: 'balance', transactionId: 'trf_nowhere' },
    });
  }),
  chained('forged', 'a scheduled payment collected twice', (forger) => {
    const occurrence = { ...due('sch_1', 'occ_twice'), kind: 'scheduled-payment' };
    forger
      .forge({
        stream: 'scheduled-payment-sch_1',
        type: 'OccurrenceClaimed',
        data: {
          ...claimOf('occ_twice', AT),
          scheduleKind: 'scheduled-payment',
          scheduleId: 'sch_1',
          payerId: JUNO,
        },
      })
      .forge({ type: 'TransferPosted', data: transferred(JUNO, MILO, 100, occurrence) });
  }),
  chained('forged', 'a bank account that its owner never asked for', (forger) =>
    forger.forge({
      stream: `bank-accounts-${JUNO}`,
      type: 'BankAccountAdded',
      data: { userId: JUNO, bankAccountId: 'ba_thief', externalAccountId: 'ext_thief' },
    }),
  ),
  chained('forged', 'a bank account asked for by somebody else', (forger) =>
    forger.forge({
      stream: `bank-accounts-${JUNO}`,
      type: 'BankAccountSubmitted',
      data: { ...forger.dataOf(forger.at('BankAccountSubmitted')), bankAccountId: 'ba_thief' },
      ...by(ADA),
    }),
  ),
  chained('forged', 'an account at the provider that is another’s already', (forger) =>
    forger.forge({
      stream: `bank-accounts-${MILO}`,
      type: 'PayoutAccountOpened',
      data: { userId: MILO, connectAccountId: 'acct_1' },
    }),
  ),
  chained('forged', 'a handle claimed by a second person', (forger) => {
    for (const userId of [JUNO, MILO])
      forger.forge({
        stream: 'handle-hk',
        type: 'HandleClaimed',
        data: { handleKey: 'hk', userId },
        ...by(userId),
      });
  }),
  chained('forged', 'a tip page under another’s handle', (forger) =>
    forger
      .forge({
        stream: 'handle-hk',
        type: 'HandleClaimed',
        data: { handleKey: 'hk', userId: JUNO },
        ...by(JUNO),
      })
      .forge({
        stream: `tip-page-${MILO}`,
        type: 'TipPageHandleChosen',
        data: { userId: MILO, handleKey: 'hk', exactKey: 'ek', handle: `sealed:${MILO}:eA` },
        ...by(MILO),
      }),
  ),
  chained('forged', 'what a guest paid claimed by two', (forger) => {
    for (const userId of [JUNO, MILO])
      forger.forge({
        stream: 'guest-gst_1',
        type: 'GuestTipsClaimed',
        data: { guestId: 'gst_1', userId },
        ...by(userId),
      });
  }),
  chained('forged', 'one person of the identity provider’s as two users', (forger) =>
    forger.forge({
      stream: 'user-usr_two',
      type: 'UserRegistered',
      data: { ...forger.dataOf(forger.at('UserRegistered')), userId: 'usr_two' },
    }),
  ),
  chained('forged', 'a passkey put in by somebody else', (forger) =>
    forger.forge({
      stream: `passkeys-${JUNO}`,
      type: 'PasskeyEnrolled',
      data: { userId: JUNO, passkeyId: 'pk_thief', credential: `sealed:${JUNO}:eA` },
      ...by(ADA),
    }),
  ),
  chained('fields', 'a mark of a recovery in another stream, before any recovery', (forger) =>
    forger.metadata(forger.at('BankAccountAdded'), { recovered: true }),
  ),
  chained('fields', 'a field that no such entry has', (forger) =>
    forger.data(forger.at('TransferPosted'), { remark: 'for Juno' }),
  ),
  chained('fields', 'a field that no metadata have', (forger) =>
    forger.metadata(forger.at('TransferPosted'), { remark: 'for Juno' }),
  ),
  chained('fields', 'a field that stands twice in an entry', (forger) =>
    written(forger, 'TransferPosted', (text) => text.replace('{', '{"amountMinor":100000,')),
  ),
  chained('fields', 'an amount written with an exponent', (forger) =>
    written(forger, 'TransferPosted', (text) => text.replaceAll('"amountMinor":500', '"amountMinor":5e2')),
  ),
  chained('fields', 'an amount written with decimals', (forger) =>
    written(forger, 'TransferPosted', (text) => text.replaceAll('"amountMinor":500', '"amountMinor":500.0')),
  ),
  chained('fields', 'an id written with escapes', (forger) =>
    written(forger, 'TransferPosted', (text) => text.replaceAll('usr_juno', String.raw`\u0075sr_juno`)),
  ),
  chained('fields', 'a fee set back to a version that did not say what is left', (forger) =>
    forger.metadata(forger.at('ProviderFeeBooked'), { version: 1 }),
  ),
  chained(
    'fields',
    'a dispute of another amount when it ended',
    (forger) => forger.data(forger.at('DisputeWon'), { amountMinor: 5 }),
    PROVIDER,
  ),
  chained(
    'forged',
    'a person forgotten whose account stays open',
    (forger) => forger.forge({ stream: `user-${MILO}`, type: 'UserForgotten', data: { userId: MILO } }),
    'it moves nothing, and destroys no key; whoever it names cannot sign in, and says so',
  ),
  chained(
    'fields',
    'a time in the world that is years ahead',
    (forger) => forger.data(forger.at('PaymentSettled'), { occurredAt: '2099-03-01T20:00:00.000Z' }),
    PROVIDER,
  ),
];

const storeActs: readonly Kind[] = [
  ...(
    [
      ['a soft delete of the journal', 'journal', { $tb: 9_007_199_254_740_991 }],
      ['the journal truncated before a revision', 'journal', { $tb: 5 }],
      ['the journal limited to its newest events', 'journal', { $maxCount: 10 }],
      ['the journal limited to a time', 'journal', { $maxAge: 60 }],
      ['a bank account’s stream limited to its newest event', `bank-accounts-${JUNO}`, { $maxCount: 1 }],
      ['a user’s stream hidden by a soft delete', `user-${MILO}`, { $tb: 9_007_199_254_740_991 }],
    ] as const
  ).map(([name, stream, metadata]) =>
    kind('store', name, (forger) => {
      forger.log.put(`$$${stream}`, { id: 'm', type: '$metadata', data: metadata, metadata: {} });
    }),
  ),
  kind(
    'store',
    'the right to write the journal given to somebody else',
    (forger) => {
      const data = { $acl: { $w: ['somebody'] } };
      forger.log.put('$$journal', { id: 'm', type: '$metadata', data, metadata: {} });
    },
    'it hides nothing: verify names each such stream in the line “rights of streams”, and a ledger says that it may not write',
  ),
  kind('store', 'the journal truncated and scavenged', (forger) => {
    forger.log.put('$$journal', { id: 'm', type: '$metadata', data: { $tb: 5 }, metadata: {} });
    forger.keep(({ stream, revision }) => stream !== 'journal' || revision >= 5);
  }),
  kind('store', 'events scavenged and the limit taken away again', (forger) => {
    forger.keep(({ stream, revision }) => stream !== 'journal' || revision >= 5);
    forger.log.put('$$journal', { id: 'm', type: '$metadata', data: {}, metadata: {} });
  }),
];

export const KINDS: readonly Kind[] = [
  ...rawEdits,
  ...orders,
  ...legs,
  ...fields,
  ...gone,
  ...forged,
  ...relations,
  ...storeActs,
];
