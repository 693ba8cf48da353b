/** The journal's own fold as the audit uses it: it shares no code with the projections' balances. */
import type { BooksFold } from '#audit/verify-log';
import { evolve } from '#ledger/journal/books';
import { Books } from '#ledger/journal/state';

/** Books with nothing in them yet. */
export function ledgerBooks(): BooksFold {
  const books = new Books();
  return {
    evolve(event) {
      const { revision, position } = event;
      const recordedAtMs = Date.parse(event.metadata.recordedAt);
      evolve(
        event,
        { revision, key: undefined, fingerprint: undefined, recordedAtMs, landing: { position } },
        books,
      );
    },
    balanceOf: (account) => books.balanceOf(account),
    balances: () => new Map(books.accounts.entries()),
  };
}
