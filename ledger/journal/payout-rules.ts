/**
 * The rules of payouts. The user's money waits in `user/{id}/payouts` from the request to the end. What the
 * provider holds moves beside it, so that each clearing account says what is there: card clearing what is in
 * our balance at the provider, connect clearing what is in users' connected accounts, bank clearing what is
 * on its way from those to banks.
 */
import { available, payouts, platform } from '#contracts/plain/accounts';
import type { Posting } from '#contracts/events/journal';
import { Rejected } from '../rejection.js';
import { madeUpBy } from './closed-account-rules.js';
import type { Command } from './commands.js';
import { ask, decideOnce, entry, repeat, type Case, type Decision } from './decision.js';
import { isPayoutEntry, type PayoutEntry } from './entries.js';
import { assertCovered, assertDebitsAllowed } from './payment-rules.js';
import { findItem, isQuestion, type Known } from './find.js';
import {
  isElsewhere,
  type Books,
  type NonResident,
  type KeptEntry,
  type PastEntry,
  type Payout,
} from './state.js';

export function requestPayout(command: Command<'RequestPayout'>, known: Case): Decision {
  const { books } = known;
  return decideOnce(known, (key) => {
    const { type: _, ...terms } = command;
    const { userId, amountMinor } = terms;
    if (!books.isOpen(userId)) throw new Rejected('PayerNotFound', { userId });
    assertDebitsAllowed(userId, books);
    assertCovered(available(userId), amountMinor, books);
    const postings = [{ debit: available(userId), credit: payouts(userId), amountMinor }];
    return entry(key, { type: 'PayoutRequested', data: { ...terms, postings } });
  });
}

type AboutPayout = Command<
  'RecordPayoutTransferred' | 'SubmitPayout' | 'CompletePayout' | 'ReturnPayout' | 'FailPayout'
>;

/** Each step of the provider's, once; in its order, and quiet when it was taken already. */
export function aboutPayout(command: AboutPayout, known: Known): Decision {
  const { payoutId, occurredAt } = command;
  const payout = findItem(payoutId, known.books.payouts, payoutFrom, known);
  if (isQuestion(payout)) return ask(payout);
  if (!payout) throw new Rejected('PayoutNotFound', { payoutId });
  const { status, last } = payout;
  const terms = termsOf(payout);
  const ended = (): never => {
    throw new Rejected('PayoutEnded', { payoutId, status });
  };

  switch (command.type) {
    case 'RecordPayoutTransferred': {
      const { providerTransferId, connectAccountId } = command;
      const key = `payout-transferred:${payoutId}`;
      if (payout.providerTransferId !== undefined)
        return sameId(payout.providerTransferId, providerTransferId, repeat(key, last));
      if (status !== 'requested') return ended();
      const postings = [move(payout, platform('connect-clearing'), platform('card-clearing'))];
      return entry(key, {
        type: 'PayoutTransferred',
        data: { ...terms, providerTransferId, connectAccountId, occurredAt, postings },
      });
    }
    case 'SubmitPayout': {
      const { providerPayoutId, arrivesOn } = command;
      const key = `payout-submitted:${payoutId}`;
      if (payout.providerPayoutId !== undefined)
        return sameId(payout.providerPayoutId, providerPayoutId, repeat(key, last));
      if (status === 'requested') throw new Rejected('PayoutNotTransferred', { payoutId });
      if (status !== 'transferred') return ended();
      const postings = [move(payout, platform('bank-clearing'), platform('connect-clearing'))];
      return entry(key, {
        type: 'PayoutSubmitted',
        data: {
          ...terms,
          providerPayoutId,
          ...(arrivesOn !== undefined && { arrivesOn }),
          occurredAt,
          postings,
        },
      });
    }
    case 'CompletePayout': {
      const { providerPayoutId } = command;
      const key = `payout-completed:${payoutId}`;
      if (payout.providerPayoutId === undefined) throw new Rejected('PayoutNotSubmitted', { payoutId });
      // Word that it was paid, read before word that it came back and told after: what came back stays back.
      if (status !== 'submitted') return sameId(payout.providerPayoutId, providerPayoutId, repeat(key, last));
      if (payout.providerPayoutId !== providerPayoutId)
        return otherId(payout.providerPayoutId, providerPayoutId);
      const postings = [move(payout, payouts(payout.userId), platform('bank-clearing'))];
      return entry(key, {
        type: 'PayoutCompleted',
        data: { ...terms, providerPayoutId, occurredAt, postings },
      });
    }
    case 'ReturnPayout':
      return returnPayout(command, payout);
    case 'FailPayout':
      return failPayout(command, payout, known.books);
  }
}

function returnPayout(command: Command<'ReturnPayout'>, payout: Payout): Decision {
  const { payoutId, providerPayoutId, code, reason, occurredAt } = command;
  const { userId, status } = payout;
  const key = `payout-returned:${payoutId}`;
  if (payout.providerPayoutId === undefined) throw new Rejected('PayoutNotSubmitted', { payoutId });
  if (payout.providerPayoutId !== providerPayoutId) return otherId(payout.providerPayoutId, providerPayoutId);
  if (status === 'returned' || status === 'failed') return repeat(key, payout.last);
  const afterCompletion = status === 'completed';
  // Once completed nothing is on its way any more: what comes back to the connected account is owed to the
  // user again.
  const from = afterCompletion ? payouts(userId) : platform('bank-clearing');
  const postings = [move(payout, platform('connect-clearing'), from)];
  return entry(key, {
    type: 'PayoutReturned',
    data: { ...termsOf(payout), providerPayoutId, code, reason, afterCompletion, occurredAt, postings },
  });
}

/**
 * The money is its owner's again, but for what makes up for a debt that was given up while it was at their
 * bank.
 */
function failPayout(command: Command<'FailPayout'>, payout: Payout, books: Books): Decision {
  const { payoutId, reversalId, code, reason, occurredAt } = command;
  const { userId, status } = payout;
  const key = `payout-failed:${payoutId}`;
  if (status === 'failed') return repeat(key, payout.last);
  const isTransferred = status !== 'requested';
  const isSent = status === 'completed' || status === 'submitted';
  if (isSent || (isTransferred && reversalId === undefined))
    throw new Rejected('PayoutNotReversed', { payoutId, status });
  const { amountMinor } = payout;
  const madeUp = madeUpBy(payout.since, amountMinor, userId, books);
  const ownerMinor = amountMinor - madeUp.minor;
  const postings = [
    ...(isTransferred ? [move(payout, platform('card-clearing'), platform('connect-clearing'))] : []),
    { debit: payouts(userId), credit: available(userId), amountMinor: ownerMinor },
    { debit: payouts(userId), credit: platform('losses'), amountMinor: madeUp.minor },
  ].filter((leg) => leg.amountMinor > 0);
  const parts = madeUp.minor > 0 ? { ownerMinor, ...madeUp.parts } : {};
  return entry(key, {
    type: 'PayoutFailed',
    data: { ...termsOf(payout), ...parts, code, reason, reversalId, occurredAt, postings },
  });
}

const termsOf = ({ payoutId, userId, amountMinor, currency }: Payout) => ({
  payoutId,
  userId,
  amountMinor,
  currency,
});
const move = ({ amountMinor }: Payout, debit: string, credit: string): Posting => ({
  debit,
  credit,
  amountMinor,
});

const sameId = (recorded: string, told: string, same: Decision): Decision =>
  recorded === told ? same : otherId(recorded, told);

function otherId(recorded: string, told: string): never {
  throw new Rejected('OtherProviderId', { recorded, told });
}

/** Applies an entry about a payout. */
export function evolvePayouts(event: PayoutEntry, last: KeptEntry, books: Books): void {
  const { payoutId } = event.data;
  books.payouts.set(payoutId, nextPayout(event, books.payouts.get(payoutId), last));
}

function nextPayout(
  event: PayoutEntry,
  payout: Payout | NonResident | undefined,
  last: KeptEntry,
): Payout | NonResident {
  if (event.type === 'PayoutRequested') {
    const { payoutId, userId, bankAccountId, amountMinor, currency } = event.data;
    const terms = { payoutId, userId, bankAccountId, amountMinor, currency };
    const unknown = {
      providerTransferId: undefined,
      connectAccountId: undefined,
      providerPayoutId: undefined,
      returned: undefined,
    };
    return { status: 'requested', ...terms, ...unknown, key: last.key, since: last.revision, last };
  }
  if (!payout || isElsewhere(payout)) return { status: 'elsewhere', last };
  switch (event.type) {
    case 'PayoutTransferred': {
      const { providerTransferId, connectAccountId } = event.data;
      return { ...payout, status: 'transferred', providerTransferId, connectAccountId, last };
    }
    case 'PayoutSubmitted':
      return { ...payout, status: 'submitted', providerPayoutId: event.data.providerPayoutId, last };
    case 'PayoutCompleted':
      return { ...payout, status: 'completed', last };
    case 'PayoutReturned': {
      const { code, reason } = event.data;
      return { ...payout, status: 'returned', returned: { code, reason }, last };
    }
    case 'PayoutFailed':
      return { ...payout, status: 'failed', last };
  }
}

/** Folds one payout's entries, as the archive read them from the log, in order. */
export function payoutFrom(past: readonly PastEntry[]): Payout | undefined {
  let payout: Payout | NonResident | undefined;
  for (const { event, last } of past) if (isPayoutEntry(event)) payout = nextPayout(event, payout, last);
  return payout && !isElsewhere(payout) ? payout : undefined;
}
