/**
 * What is known of a person, for their own download: out of read models, the log, the card provider and
 * Postgres.
 */
import type { Provider } from '@nestjs/common';
import type pg from 'pg';
import { masked } from '#contracts/api/bank-accounts';
import { LIST_MAX, type Page } from '#contracts/api/lists';
import { Credential } from '#contracts/events/passkeys';
import { MessageNames, namesFor } from '#ledger/messages/message-names';
import { MessageStore } from '#ledger/messages/message-store';
import { textOf } from '#ledger/messages/message-texts';
import { OwnData, type OwnDataPart } from '#ledger/own-data/own-data-file';
import { passkeys } from '#ledger/passkeys/passkeys.decider';
import { cards } from '#ledger/payment-methods/cards.decider';
import { Sessions } from '#ledger/sessions/sessions';
import type { StreamRunner } from '#ledger/streams/runner';
import { SavedCards } from '#ledger/stripe/saved-cards';
import type { Vault } from '#log/vault';
import { bankAccountsOf } from '#projections/bank-accounts/queries';
import { currentUser } from '#projections/current-user/controller';
import { payoutPage } from '#projections/payouts/controller';
import { scheduledPaymentAnswer, subscriptionAnswer } from '#projections/schedules/controller';
import { schedulesOf } from '#projections/schedules/queries';
import { settingsOf } from '#projections/settings/queries';
import { tipPageAnswer } from '#projections/tip-pages/controller';
import { receiptOf } from '#projections/transactions/controller';
import { transactionsOf } from '#projections/transactions/queries';
import { movementAnswer, walletAnswer } from '#projections/wallets/controller';
import { walletsOf, walletTransactionsOf } from '#projections/wallets/queries';

/** As many lines as a page of a list has are in memory at a time. */
const limit = LIST_MAX;

/** The lines of a list, page after page, each read when the one before was taken. */
async function* pagesOf<View, Line extends object>(
  read: (cursor: string | undefined) => Promise<Page<View>>,
  lineOf: (view: View) => Line,
): AsyncGenerator<readonly Line[]> {
  let cursor: string | undefined;
  do {
    const { lines, next } = await read(cursor);
    yield lines.map(lineOf);
    cursor = next;
  } while (cursor !== undefined);
}

async function* messagesOf(store: MessageStore, names: MessageNames, userId: string) {
  let before: { atMs: number; id: string } | undefined;
  for (;;) {
    const stored = await store.listOf(userId, limit, before);
    const last = stored.at(-1);
    if (last === undefined) return;
    const known = await namesFor(names, userId, stored);
    yield stored.map((message) => {
      const { title, text } = textOf(message, known);
      return { title, text, at: message.at, isRead: message.isRead };
    });
    before = { atMs: last.at.getTime(), id: last.id };
  }
}

interface DataSources {
  readonly reads: pg.Pool;
  readonly streams: StreamRunner;
  readonly vault: Vault;
  readonly cards: SavedCards;
  readonly sessions: Sessions;
  readonly messages: MessageStore;
  readonly names: MessageNames;
}

/**
 * The provider of what a download reads. What pays or signs in, and ids of the providers, are left out here.
 */
export const ownDataReads = (reads: pg.Pool, streams: StreamRunner, vault: Vault): Provider => ({
  provide: OwnData,
  inject: [SavedCards, Sessions, MessageStore, MessageNames],
  useFactory: (
    cards: SavedCards,
    sessions: Sessions,
    messages: MessageStore,
    names: MessageNames,
  ): OwnData => {
    const from = { reads, streams, vault, cards, sessions, messages, names };
    return { partsOf: async (userId) => [...(await valuesOf(from, userId)), ...listsOf(from, userId)] };
  },
});

/** What is short, each read whole. */
async function valuesOf(from: DataSources, userId: string): Promise<OwnDataPart[]> {
  const { reads } = from;
  const [profile, { isParked: _, ...settings }, tipPage, wallets, ...rest] = await Promise.all([
    currentUser(reads, userId),
    settingsOf(reads, userId),
    tipPageAnswer(reads, userId),
    walletsOf(reads, userId),
    bankAccountLines(from, userId),
    cardLines(from, userId),
    passkeyLines(from, userId),
    sessionLines(from, userId),
  ]);
  const [bankAccounts, savedCards, keys, signedIn] = rest;
  return [
    { name: 'profile', value: profile },
    { name: 'settings', value: settings },
    { name: 'tipPage', value: tipPage },
    { name: 'bankAccounts', value: bankAccounts },
    { name: 'savedCards', value: savedCards },
    { name: 'passkeys', value: keys },
    { name: 'sessions', value: signedIn },
    { name: 'wallets', value: wallets.map(walletAnswer) },
  ];
}

/** What has no end, read a page at a time. */
const listsOf = ({ reads, messages, names }: DataSources, userId: string): OwnDataPart[] => [
  {
    name: 'payments',
    pages: pagesOf((cursor) => transactionsOf(reads, userId, { limit, cursor }), receiptOf),
  },
  {
    name: 'payouts',
    pages: pagesOf(
      (cursor) => payoutPage(reads, userId, { limit, cursor }),
      (one) => one,
    ),
  },
  {
    name: 'walletMoves',
    pages: pagesOf((cursor) => walletTransactionsOf(reads, userId, { limit, cursor }), movementAnswer),
  },
  {
    name: 'subscriptions',
    pages: pagesOf(
      (cursor) => schedulesOf(reads, userId, { kind: 'subscription', limit, cursor }),
      subscriptionAnswer,
    ),
  },
  {
    name: 'scheduledPayments',
    pages: pagesOf(
      (cursor) => schedulesOf(reads, userId, { kind: 'scheduled-payment', limit, cursor }),
      scheduledPaymentAnswer,
    ),
  },
  { name: 'messages', pages: messagesOf(messages, names, userId) },
];

const bankAccountLines = async ({ reads }: DataSources, userId: string) =>
  (await bankAccountsOf(reads, userId)).map(({ id, bankName, accountLast4, isPrimary }) => ({
    id,
    bank: bankName,
    account: masked(accountLast4 ?? ''),
    isPrimary,
  }));

async function cardLines({ streams, cards: provider }: DataSources, userId: string) {
  const known = await streams.read(cards, userId);
  if (known.status !== 'open') return [];
  const saved = await provider.of(known.customerId);
  return saved.map(({ brand, last4, isDefault }) => ({ brand, last4, isDefault }));
}

async function passkeyLines({ streams, vault }: DataSources, userId: string) {
  const sealed = [...(await streams.read(passkeys, userId)).values()];
  const plain = await Promise.all(sealed.map((each) => vault.unsealOr(each, undefined)));
  return plain.flatMap((text) => {
    if (!text) return [];
    const { label, enrolledAt } = Credential.parse(JSON.parse(text));
    return [{ label, addedAt: enrolledAt }];
  });
}

const sessionLines = async ({ sessions }: DataSources, userId: string) =>
  (await sessions.listOf(userId)).map(({ device, network, place, begunAt, lastUsedAt }) => ({
    device: device ?? null,
    network: network ?? null,
    place: place ?? null,
    signedInAt: begunAt,
    lastUsedAt,
  }));
