/** How the people, bank accounts and cards of messages are called; filled in processes/ledger/reads.ts. */
import type { MessageContent } from '#contracts/api/messages';
import { isGuest } from '#contracts/plain/guest';
import type { Names } from './message-texts.js';

export abstract class MessageNames {
  /**
   * What others may call these people: their name, or in privacy mode their username. Nobody who has left.
   */
  abstract people(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** What guests may call these people: as their public tip pages do. Nobody who has left. */
  abstract performers(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Whether somebody shows a name. */
  abstract showName(userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** What payers wrote to this recipient, by payment. */
  abstract notes(recipientId: string, paymentIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** A user's own bank accounts, such as "Harbor & Main ••6789". */
  abstract bankAccounts(userId: string): Promise<ReadonlyMap<string, string>>;
  /** A user's own saved cards, such as "Visa ••4242". None where the card provider does not answer now. */
  abstract cards(userId: string): Promise<ReadonlyMap<string, string>>;
}

/** The names that these messages of one user need. */
export async function namesFor(
  names: MessageNames,
  userId: string,
  contents: readonly MessageContent[],
): Promise<Names> {
  const people = new Set<string>();
  let needsBank = false;
  let needsCards = false;
  for (const { facts } of contents) {
    if ('recipientId' in facts) people.add(facts.recipientId);
    if ('payerId' in facts) people.add(facts.payerId);
    if ('bankAccountId' in facts) needsBank = true;
    if ('charged' in facts && facts.charged?.cardId !== undefined) needsCards = true;
  }
  // A guest has no account: they know of somebody what is on the page where they paid, and no more.
  const called = (ids: readonly string[]) => (isGuest(userId) ? names.performers(ids) : names.people(ids));
  const [known, banks, cards] = await Promise.all([
    people.size === 0 ? new Map<string, string>() : called([...people]),
    needsBank ? names.bankAccounts(userId) : new Map<string, string>(),
    needsCards ? names.cards(userId) : new Map<string, string>(),
  ]);
  return { people: known, bankAccounts: banks, cards };
}
