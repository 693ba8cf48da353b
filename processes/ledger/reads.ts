/** What the write side reads all the same: filled from read models and the log, nowhere else. */
import type { Provider } from '@nestjs/common';
import pg from 'pg';
import { tipPagePath } from '#contracts/plain/handle';
import { ANONYMOUS_GUEST, isGuest } from '#contracts/plain/guest';
import { Queryable } from '#projections/engine/read-model';
import { Projected } from '#projections/engine/read-your-writes';
import { bankAccountsOf, ownerOfProviderAccount, payoutStandingOf } from '#projections/bank-accounts/queries';
import { entriesOf, find } from '#projections/idempotency-keys/queries';
import { neededFor, noteFunds } from '#projections/payouts/funds';
import { payoutAnswer } from '#projections/payouts/controller';
import { scheduledPaymentOf, subscriptionOf } from '#projections/schedules/controller';
import { livingSchedulesOf } from '#projections/schedules/queries';
import { settingsOf } from '#projections/settings/queries';
import { lastMovedAt } from '#projections/statements/queries';
import {
  guestNames,
  guestsClaimedBy,
  notesTo,
  payerOf,
  paymentOfGuest,
  paymentOfPayer,
  receivedPaymentOf,
  takenByOpenDisputes,
  transactionOf,
} from '#projections/transactions/queries';
import { tipPageAnswer } from '#projections/tip-pages/controller';
import {
  closedOwnerOf,
  imitatesPerformer,
  tipPageByKey,
  tipPageOf,
  visitedTipPageOf,
} from '#projections/tip-pages/queries';
import { pictureHashOf } from '#projections/current-user/picture';
import { walletOf } from '#projections/wallets/controller';
import {
  isOthersUsername,
  shownName,
  isLeaving,
  userById,
  usersByIds,
  type UserView,
} from '#projections/users/queries';
import { PayoutAccountOwners } from '#ledger/bank-accounts/bank-accounts.handlers';
import { bankAccounts, destinationOf } from '#ledger/bank-accounts/bank-accounts.decider';
import { Usernames } from '#ledger/passkeys/passkeys.controller';
import { Payees } from '#ledger/passes/passes.controller';
import { plainName, plainUsername } from '#ledger/messages/mail-text';
import { MailReaders } from '#ledger/messages/mail-queue';
import { MessageNames } from '#ledger/messages/message-names';
import { FeedReads } from '#ledger/events-out/change-feed';
import { ReadModels } from '#ledger/http/read-models';
import type { Archive } from '#ledger/journal/archive';
import { ScheduledPaymentAnswers, SubscriptionAnswers } from '#ledger/schedules/answers';
import { OpenDisputes } from '#ledger/operators/operators.handlers';
import { LivingSchedules } from '#ledger/schedules/schedules.handlers';
import { SavedCards } from '#ledger/stripe/saved-cards';
import { PayoutAnswers, PayoutDestinations } from '#ledger/payouts/payout-answers';
import { PayoutQueue } from '#ledger/payouts/payout-turns';
import { settings } from '#ledger/settings/settings.decider';
import { user } from '#ledger/users/user.decider';
import { KnownPeople } from '#ledger/users/users.handlers';
import { PublishedPages } from '#ledger/pictures/pictures.controller';
import { StreamRunner } from '#ledger/streams/runner';
import { ReceivedPayments } from '#ledger/thanks/thanks.controller';
import { ClaimedGuests, PaidTips, ShownTipPages, TipPageAnswers } from '#ledger/tip-pages/tip-page-reads';
import { tipPage } from '#ledger/tip-pages/tip-page.decider';
import { WalletAnswers } from '#ledger/treasury/treasury.controller';
import { CardNames } from './card-names.js';

/** What the journal looks up beyond its memory. */
export const archiveOver = (reads: pg.Pool): Archive => ({
  async find(key) {
    const { found, journalRevision } = await find(reads, key);
    return { entry: found && { ...found }, throughRevision: journalRevision };
  },
  async entriesOf(paymentId) {
    const { found, journalRevision } = await entriesOf(reads, paymentId);
    return { revisions: found.map(({ revision }) => revision), throughRevision: journalRevision };
  },
});

/**
 * What commands must read all the same, each function filled from a read model or the log. CONTRIBUTING lists
 * them.
 */
export function readers(reads: pg.Pool, projected: Projected, streams: StreamRunner): Provider[] {
  const provide = <T>(port: abstract new () => T, useValue: T): Provider => ({ provide: port, useValue });
  const usernameOf = async (userId: string) => (await userById(reads, userId))?.username;
  return [
    provide(Queryable, reads),
    provide<ReadModels>(ReadModels, projected),
    provide(Usernames, { of: async (userId) => (await usernameOf(userId)) ?? 'me' }),
    provide(Payees, {
      async byId(id) {
        const [known, page] = await Promise.all([userById(reads, id), tipPageOf(reads, id)]);
        const tipPage = page.isPublished && page.handle !== null ? tipPagePath(page.handle) : undefined;
        return known && !known.forgotten ? { id, username: known.username ?? '', tipPage } : undefined;
      },
    }),
    provide(KnownPeople, {
      isKnown: async (userId) => (await userById(reads, userId))?.forgotten === false,
      isLeaving: (userId) => isLeaving(reads, userId),
    }),
    provide(WalletAnswers, { of: (userId, walletId) => walletOf(reads, userId, walletId) }),
    provide(PayoutAnswers, { of: (userId, requested) => payoutAnswer(reads, userId, requested) }),
    provide(SubscriptionAnswers, { of: (payerId, id) => subscriptionOf(reads, payerId, id) }),
    provide(ScheduledPaymentAnswers, { of: (payerId, id) => scheduledPaymentOf(reads, payerId, id) }),
    provide(OpenDisputes, { takenOf: (userId) => takenByOpenDisputes(reads, userId) }),
    provide(LivingSchedules, { of: (userId) => livingSchedulesOf(reads, userId) }),
    provide(PayoutAccountOwners, { of: (id) => ownerOfProviderAccount(reads, id) }),
    provide(TipPageAnswers, { of: (userId) => tipPageAnswer(reads, userId) }),
    provide(ReceivedPayments, { of: (recipientId, id) => receivedPaymentOf(reads, recipientId, id) }),
    provide(PaidTips, {
      ofGuest: (guestId) => paymentOfGuest(reads, guestId),
      ofPayer: (id, payerId) => paymentOfPayer(reads, id, payerId),
    }),
    provide(ClaimedGuests, { of: (userId) => guestsClaimedBy(reads, userId) }),
    provide(ShownTipPages, {
      isOthersUsername: (userId, handle) => isOthersUsername(reads, userId, handle),
      isImitation: (userId, name) => imitatesPerformer(reads, userId, name),
      closedOwner: (exactKey) => closedOwnerOf(reads, exactKey),
      async byKey(exactKey) {
        const page = await tipPageByKey(reads, exactKey);
        if (!page) return undefined;
        const [{ isVerified }, pictureHash] = await Promise.all([
          payoutStandingOf(reads, page.userId),
          page.isPrivate ? undefined : pictureHashOf(reads, page.userId),
        ]);
        return { ...page, isVerified, pictureHash };
      },
    }),
    provide(PayoutQueue, {
      neededFor: (payoutId, since) => neededFor(reads, payoutId, since),
      note: (reading) => noteFunds(reads, reading),
    }),
    {
      provide: MessageNames,
      inject: [SavedCards],
      useFactory: (provider: SavedCards) => messageNames(reads, new CardNames(streams, provider)),
    },
    // From the log: who is forgotten, or has switched alerts off, a moment ago gets no mail.
    provide(MailReaders, {
      async profileOf(userId) {
        const state = await streams.read(user, userId);
        return state.status === 'registered' ? state.profile : undefined;
      },
      async replacedProfileOf(userId, changedAt) {
        const state = await streams.read(user, userId);
        if (state.status !== 'registered') return undefined;
        return state.replaced.find(({ until }) => until === changedAt)?.profile;
      },
      wantsAlerts: async (userId) => (await streams.read(settings, userId)).transactionAlertsEnabled,
    }),
    // From the log: rows that are behind must open nothing.
    provide(PublishedPages, {
      wasPublished: async (userId) => (await streams.read(tipPage, userId)).wasPublished,
    }),
    // From the log and not from a read model: what was removed a moment ago must not be paid to.
    provide(PayoutDestinations, {
      async of(userId, bankAccountId) {
        return destinationOf(await streams.read(bankAccounts, userId), bankAccountId);
      },
    }),
  ];
}

const calledBy = (person: UserView): string => {
  const name = shownName(person);
  return name === null ? plainUsername(person.username ?? '') : plainName(name);
};

/** How messages call people, bank accounts and cards: as the app does. */
const messageNames = (reads: pg.Pool, cardNames: CardNames): MessageNames => ({
  cards: (userId) => cardNames.of(userId),
  async people(userIds) {
    const guests = userIds.filter(isGuest);
    const [known, called] = await Promise.all([usersByIds(reads, userIds), guestNames(reads, guests)]);
    return new Map([
      ...known
        .filter(({ forgotten }) => !forgotten)
        .map((person): [string, string] => [person.id, calledBy(person)]),
      ...guests.map((id): [string, string] => [id, plainName(called.get(id) ?? ANONYMOUS_GUEST)]),
    ]);
  },
  async performers(userIds) {
    const pages = await Promise.all(userIds.map((userId) => visitedTipPageOf(reads, userId)));
    return new Map(
      pages.flatMap((page): [string, string][] => (page ? [[page.userId, plainName(page.name)]] : [])),
    );
  },
  async showName(userIds) {
    const known = await usersByIds(reads, userIds);
    return new Set(known.filter((person) => shownName(person) !== null).map(({ id }) => id));
  },
  notes: (recipientId, paymentIds) => notesTo(reads, recipientId, paymentIds),
  async bankAccounts(userId) {
    const accounts = await bankAccountsOf(reads, userId);
    return new Map(
      accounts.map(({ id, bankName, accountLast4 }) => [
        id,
        `${plainName(bankName ?? 'your bank')} ••${accountLast4 ?? ''}`,
      ]),
    );
  },
});

/** What the stream of changes reads beside the log. */
export const feedReads = (reads: pg.Pool): FeedReads => ({
  payerOf: (paymentId) => payerOf(reads, paymentId),
  noteOf: async (recipientId, transactionId) =>
    (await transactionOf(reads, recipientId, transactionId))?.note ?? undefined,
  wantsAlerts: async (userId) => (await settingsOf(reads, userId)).transactionAlertsEnabled,
  lastMovedAt: (userId) => lastMovedAt(reads, userId),
  knownAs: async (userId) => {
    if (isGuest(userId)) {
      const name = (await guestNames(reads, [userId])).get(userId);
      return { counterpartyUsername: null, counterpartyName: name ?? ANONYMOUS_GUEST };
    }
    const known = await userById(reads, userId);
    return {
      counterpartyUsername: known?.username ?? null,
      counterpartyName: known ? shownName(known) : null,
    };
  },
});
