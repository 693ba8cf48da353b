/**
 * Folds postings into balances. Before anything is written each entry is weighed again: the writer balanced
 * it once, and what reached the log in any other way must not reach a balance.
 */
import { currencyOf } from '#contracts/plain/accounts';
import { postingsOf, type JournalEvent, type JournalEventOf } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { BrokenBooks, type Tx } from '../engine/read-model.js';
import { balances, receipts } from './columns.js';

export async function projectBalances(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const moved = new Map<string, number>();
  const received = new Map<string, number>();
  for (const event of events) {
    assertBalanced(event);
    if (event.type === 'AccountOpened' || event.type === 'WalletOpened') add(moved, event.data.account, 0);
    for (const { debit, credit, amountMinor } of postingsIn(event)) {
      add(moved, debit, -amountMinor);
      add(moved, credit, amountMinor);
    }
    const receipt = receiptOf(event);
    if (receipt) add(received, receipt.userId, receipt.byMinor);
  }
  await balances.insert(
    [...moved].map(([account, balanceMinor]) => ({ account, currency: currencyOf(account), balanceMinor })),
    tx,
    'on conflict (account) do update set balance_minor = balances.balance_minor + excluded.balance_minor',
  );
  await receipts.insert(
    [...received].map(([userId, receivedMinor]) => ({ userId, receivedMinor })),
    tx,
    'on conflict (user_id) do update set received_minor = receipts.received_minor + excluded.received_minor',
  );
}

const postingsIn = (event: RecordedEvent) => ('postings' in event.data ? event.data.postings : []);

function add(sums: Map<string, number>, key: string, byMinor: number): void {
  const sum = (sums.get(key) ?? 0) + byMinor;
  if (!Number.isSafeInteger(sum))
    throw new BrokenBooks(`The sum of ${key} leaves the whole numbers that can be held exactly`);
  sums.set(key, sum);
}

/** What an entry adds to or takes from a user's receipts. */
function receiptOf(event: RecordedEvent): { userId: string; byMinor: number } | undefined {
  switch (event.type) {
    case 'PaymentSettled':
    case 'TransferPosted':
      return { userId: event.data.recipientId, byMinor: event.data.amountMinor };
    case 'RefundFailed': {
      // What of it makes up for a debt that was given up had been received all the same.
      const { recipientId: userId, amountMinor, disputedMinor = 0 } = event.data;
      return { userId, byMinor: amountMinor - disputedMinor };
    }
    case 'PaymentRefunded': {
      const { recipientId: userId, amountMinor, recipientMinor = amountMinor } = event.data;
      return { userId, byMinor: -recipientMinor };
    }
    case 'DisputeFundsWithdrawn':
    case 'DisputeFundsReinstated': {
      const { recipientId } = event.data;
      const byMinor =
        event.type === 'DisputeFundsWithdrawn' ? -event.data.recipientMinor : backMinor(event.data);
      return recipientId === undefined ? undefined : { userId: recipientId, byMinor };
    }
    default:
      return undefined;
  }
}

/** What of a dispute's money a recipient had received: what makes up for a debt that was given up, too. */
const backMinor = ({ recipientMinor, madeUpMinor = 0 }: JournalEventOf<'DisputeFundsReinstated'>['data']) =>
  recipientMinor + madeUpMinor;

/**
 * The second half of a paired assertion. Throws {@link BrokenBooks} unless the entry's credits less its
 * debits are zero in every currency, no posting runs from an account to itself, and the postings move exactly
 * what the entry says.
 */
export function assertBalanced(event: RecordedEvent<JournalEvent> | RecordedEvent): void {
  const postings = postingsOf(event as JournalEvent);
  if (postings.length === 0) return;
  const sums = new Map<string, number>();
  let moved = 0;
  for (const { debit, credit, amountMinor } of postings) {
    if (debit === credit) throw broken(event, `a posting debits and credits the same account, ${debit}`);
    add(sums, currencyOf(debit), -amountMinor);
    add(sums, currencyOf(credit), amountMinor);
    moved += amountMinor;
  }
  for (const [currency, sum] of sums)
    if (sum !== 0) throw broken(event, `its credits less its debits are ${sum} minor units of ${currency}`);
  const stated = statedMinor(event, new Set(postings.map(({ debit }) => debit)).size);
  if (stated !== undefined && moved !== stated)
    throw broken(event, `it says ${stated} minor units and its postings move ${moved}`);
}

/**
 * What an entry's postings must move by its own words; undefined where it states no sum. `stretches` are the
 * accounts that they debit.
 */
function statedMinor(event: RecordedEvent, stretches: number): number | undefined {
  switch (event.type) {
    case 'DisputeFundsWithdrawn':
    case 'DisputeFundsReinstated':
    case 'PlatformFunded':
    case 'PlatformFundingReversed':
    case 'PlatformPaidOut':
    case 'PlatformPayoutReturned':
    case 'ProviderCharged':
    case 'ProviderChargeReturned':
      return event.data.amountMinor + event.data.feeMinor;
    // The end of a payout takes the same sum back over every stretch of the way that it had come.
    case 'PayoutFailed':
      return event.data.amountMinor * stretches;
    default:
      return 'amountMinor' in event.data ? event.data.amountMinor : undefined;
  }
}

const broken = (event: RecordedEvent, what: string): BrokenBooks =>
  new BrokenBooks(
    `${event.type} at revision ${event.revision} of ${event.stream} does not balance: ${what}.`,
  );
