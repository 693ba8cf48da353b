/**
 * What step-up reads: the switch, from the log; and what the words of a confirmation name, from read models,
 * for what binds is the call itself.
 */
import type { Provider } from '@nestjs/common';
import type pg from 'pg';
import { Frequency } from '#contracts/events/frequency';
import { Credential } from '#contracts/events/passkeys';
import { ConfirmationFacts, type SourceFacts } from '#edge/proof';
import { passkeys } from '#ledger/passkeys/passkeys.decider';
import { PasskeySwitch } from '#ledger/passkeys/step-up.guard';
import { isCardOf } from '#ledger/stripe/card-id';
import { cards } from '#ledger/payment-methods/cards.decider';
import { StreamParked } from '#ledger/rejection';
import { Sessions } from '#ledger/sessions/sessions';
import { settings } from '#ledger/settings/settings.decider';
import type { StreamRunner } from '#ledger/streams/runner';
import { idsOf, SavedCards } from '#ledger/stripe/saved-cards';
import type { Vault } from '#log/vault';
import { balanceOf } from '#projections/balances/queries';
import { bankAccountsOf } from '#projections/bank-accounts/queries';
import { scheduleForPayer, type ScheduleView } from '#projections/schedules/queries';
import { shownName, userById } from '#projections/users/queries';
import { walletsOf } from '#projections/wallets/queries';

/** The switch as the user's settings say; on where their stream cannot be read. Throws StoreAway. */
export async function isPasskeyAskedFor(streams: StreamRunner, userId: string): Promise<boolean> {
  try {
    return (await streams.read(settings, userId)).biometricEnabled;
  } catch (error) {
    if (error instanceof StreamParked) return true;
    throw error;
  }
}

async function nameOf(reads: pg.Pool, userId: string): Promise<string> {
  const known = await userById(reads, userId);
  if (!known || known.forgotten) return 'somebody';
  const name = shownName(known) ?? undefined;
  const handle = known.username === null ? undefined : `@${known.username}`;
  return name !== undefined && handle !== undefined ? `${name} (${handle})` : (name ?? handle ?? 'somebody');
}

const sourceOf = ({
  sourceFrom: from,
  sourceCardId: cardId,
}: Pick<ScheduleView, 'sourceFrom' | 'sourceCardId'>): SourceFacts =>
  from === 'card' && cardId !== null
    ? { from, cardId }
    : { from: from === 'balance' ? from : 'balance_then_card' };

/** The providers of what step-up reads. */
export function stepUpReads(reads: pg.Pool, streams: StreamRunner, vault: Vault): Provider[] {
  const factsOver = (provider: SavedCards, sessions: Sessions): ConfirmationFacts => ({
    nameOf: (userId) => nameOf(reads, userId),
    availableOf: async (userId) => (await balanceOf(reads, userId)).availableMinor,
    async bankAccount(userId, bankAccountId) {
      const found = (await bankAccountsOf(reads, userId)).find(({ id }) => id === bankAccountId);
      return found && `${found.bankName ?? 'Bank account'} ••${found.accountLast4 ?? ''}`;
    },
    async card(userId, cardId) {
      const known = await streams.read(cards, userId);
      if (known.status !== 'open') return undefined;
      // A copy of a card that was saved twice is that card.
      const found = (await provider.of(known.customerId)).find((card) =>
        idsOf([card]).some((id) => isCardOf(cardId, { cardId: id })),
      );
      return found && `${found.brand} ••${found.last4}`;
    },
    async passkey(userId, passkeyId) {
      const sealed = (await streams.read(passkeys, userId)).get(passkeyId);
      const plain = sealed && (await vault.unsealOr(sealed, undefined));
      return plain ? Credential.parse(JSON.parse(plain)).label : undefined;
    },
    async session(userId, sessionId) {
      const found = (await sessions.listOf(userId)).find((session) => session.sessionId === sessionId);
      return found?.device;
    },
    async wallet(userId, walletId) {
      const found = (await walletsOf(reads, userId)).find(({ id }) => id === walletId);
      return found?.displayName ?? undefined;
    },
    async subscription(userId, subscriptionId) {
      const found = await scheduleForPayer(reads, subscriptionId, userId);
      if (!found || found.frequency === null) return undefined;
      const { amountMinor, recipientId, frequency, status } = found;
      const isPaused = status === 'paused';
      return {
        amountMinor,
        to: await nameOf(reads, recipientId),
        frequency: Frequency.parse(frequency),
        isPaused,
        source: sourceOf(found),
      };
    },
    async scheduledPayment(userId, scheduleId) {
      const found = await scheduleForPayer(reads, scheduleId, userId);
      if (!found || found.kind !== 'scheduled-payment') return undefined;
      const { amountMinor, recipientId, firstDueAt } = found;
      return {
        amountMinor,
        to: await nameOf(reads, recipientId),
        dueAt: new Date(firstDueAt).toISOString(),
        source: sourceOf(found),
      };
    },
  });
  return [
    // From the log: a read model that is behind, or is built anew, must not open what is guarded.
    {
      provide: PasskeySwitch,
      useValue: { isOn: (userId) => isPasskeyAskedFor(streams, userId) } satisfies PasskeySwitch,
    },
    { provide: ConfirmationFacts, inject: [SavedCards, Sessions], useFactory: factsOver },
  ];
}
