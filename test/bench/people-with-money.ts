/**
 * People with accounts and money in a journal, and what they do with it: for benches of the journal's own.
 */
import { v7 as uuidv7 } from 'uuid';
import type { Journal } from '#ledger/journal/journal';
import { idFrom, userKey } from '#ledger/journal/keys';
import type { Receipt } from '#ledger/journal/receipt';
import type { Vault } from '#log/vault';

/** What each of them has to begin with. */
export const START_MINOR = 100_000_000;

export interface PeopleWithMoney {
  /** One cent from anybody to anybody else, with a note. */
  transfer(): Promise<Receipt>;
  /** Opens a payment that the provider will say is paid; answers how that is booked. */
  openPayment(): Promise<() => Promise<Receipt>>;
}

/** Opens so many accounts; money comes in as it does in life, by settled payments. */
export async function peopleWithMoney(
  journal: Journal,
  vault: Vault,
  count: number,
): Promise<PeopleWithMoney> {
  const users = Array.from({ length: count }, (_, n) => `usr_bench${n}`);
  const pair = (from = Math.floor(Math.random() * count)): { payerId: string; recipientId: string } => ({
    payerId: users[from]!,
    recipientId: users[(from + 1 + Math.floor(Math.random() * (count - 1))) % count]!,
  });

  const pay = async (payerId: string, recipientId: string, amountMinor: number) => {
    const key = userKey(payerId, uuidv7());
    const paymentId = idFrom('pay', key);
    const terms = { paymentId, amountMinor, currency: 'usd' };
    await journal.execute(
      { type: 'OpenPayment', ...terms, payerId, recipientId, method: 'card' },
      { correlationId: 'bench', key },
    );
    return () =>
      journal.execute(
        {
          type: 'SettlePayment',
          ...terms,
          intentId: `pi_${paymentId}`,
          chargeId: `ch_${paymentId}`,
          occurredAt: new Date().toISOString(),
        },
        { correlationId: 'bench' },
      );
  };

  const transfer = async (): Promise<Receipt> => {
    const { payerId, recipientId } = pair();
    const key = userKey(payerId, uuidv7());
    const note = await vault.seal(payerId, 'Loved the second set, thank you');
    const fingerprint = await vault.fingerprint(payerId, { recipientId, amount: '0.01' });
    return journal.execute(
      {
        type: 'PostTransfer',
        transferId: idFrom('trf', key),
        payerId,
        recipientId,
        amountMinor: 1,
        currency: 'usd',
        note,
      },
      { correlationId: key, actorId: payerId, key, fingerprint },
    );
  };

  await Promise.all(
    users.map((userId) => journal.execute({ type: 'OpenAccount', userId }, { correlationId: 'bench' })),
  );
  await Promise.all(
    users.map(async (recipientId, n) => {
      const settle = await pay(users[(n + 1) % count]!, recipientId, START_MINOR - 1);
      await settle();
    }),
  );
  return {
    transfer,
    openPayment: () => {
      const { payerId, recipientId } = pair();
      return pay(payerId, recipientId, 500);
    },
  };
}
