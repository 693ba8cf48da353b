/**
 * Wins back under which ids the provider knows our users: the customer to which their saved cards belong, and
 * the account to which their payouts go. Both carry our seal, and are read by lists. May be run again: a user
 * who has one in the log keeps it.
 */
import { sideBySide, type Unbooked } from '#ledger/recovery/provider-recovery';
import { bankAccounts } from '#ledger/bank-accounts/bank-accounts.decider';
import { cards } from '#ledger/payment-methods/cards.decider';
import { Rejected, StreamParked } from '#ledger/rejection';
import type { StreamRunner } from '#ledger/streams/runner';
import type { ListedLink, ProviderHistory } from '#ledger/stripe/provider-history';
import type { Provenance } from '#log/record';

/** What of the provider's customers and accounts the log knows again. */
export interface LinksWonBack {
  readonly customers: number;
  readonly accounts: number;
  /** Those that are in no entry: of a user who has another, or who was forgotten. */
  readonly unlinked: readonly Unbooked[];
}

interface LinkParts {
  readonly streams: StreamRunner;
  readonly history: Pick<ProviderHistory, 'customers' | 'accounts'>;
  readonly since: Date;
  /** By user: the account that the seal of a payout's transfer names. */
  readonly paidOutTo: ReadonlyMap<string, string>;
  /** By user: the customer with whose card they paid. */
  readonly paidWith: ReadonlyMap<string, string>;
  readonly provenance: Provenance;
}

/** Throws Unavailable and ProviderRefused: run it again. */
export async function winBackLinks(parts: LinkParts): Promise<LinksWonBack> {
  const { streams, history, since, paidOutTo, paidWith, provenance } = parts;
  const [customers, accounts] = await Promise.all([history.customers(since), history.accounts(since)]);
  const unlinked: Unbooked[] = [];

  /** One link at most a user: the first that was made. A later one may be a copy of its metadata. */
  const take = async (
    links: readonly ListedLink[],
    write: (link: ListedLink) => Promise<{ readonly isNew: boolean; readonly kept: string | undefined }>,
  ): Promise<number> => {
    let wonBack = 0;
    await sideBySide(byUser(links), async (ofUser) => {
      for (const link of ofUser)
        try {
          const { isNew, kept } = await write(link);
          if (isNew) wonBack += 1;
          if (kept !== link.providerId)
            unlinked.push({ object: link.providerId, names: link.userId, why: 'second-object' });
        } catch (error) {
          // A parked stream is one user's, and nothing can be taken out of it before the recovery has ended.
          if (!(error instanceof Rejected || error instanceof StreamParked)) throw error;
          const { providerId: object, userId: names } = link;
          const reason = error instanceof StreamParked ? error.message : error.reason;
          unlinked.push({ object, names, why: 'declined', reason });
        }
    });
    return wonBack;
  };

  return {
    customers: await take(usedFirst(customers, paidWith), async ({ providerId: customerId, userId }) => {
      const command = { type: 'OpenCustomer', userId, customerId } as const;
      const { state, events } = await streams.execute(cards, userId, command, provenance);
      return { isNew: events.length > 0, kept: state.status === 'open' ? state.customerId : undefined };
    }),
    accounts: await take(usedFirst(accounts, paidOutTo), async ({ providerId: connectAccountId, userId }) => {
      const command = { type: 'OpenPayoutAccount', userId, connectAccountId } as const;
      const { state, events } = await streams.execute(bankAccounts, userId, command, provenance);
      return { isNew: events.length > 0, kept: state.connectAccountId };
    }),
    unlinked,
  };
}

/**
 * What a payment or payout of the user's names comes first: the seal of a customer or account does not cover
 * its id.
 */
const usedFirst = (
  links: readonly ListedLink[],
  used: ReadonlyMap<string, string>,
): readonly ListedLink[] => {
  const isUsed = ({ userId, providerId }: ListedLink): boolean => used.get(userId) === providerId;
  return [...links.filter(isUsed), ...links.filter((link) => !isUsed(link))];
};

function byUser(links: readonly ListedLink[]): readonly (readonly ListedLink[])[] {
  const users = new Map<string, ListedLink[]>();
  for (const link of links) users.set(link.userId, [...(users.get(link.userId) ?? []), link]);
  return [...users.values()];
}
