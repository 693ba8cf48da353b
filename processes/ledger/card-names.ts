/**
 * How a user's saved cards are called, for words that name one: asked of the card provider, and kept for a
 * while.
 */
import { inTime } from '#contracts/plain/in-time';
import { idsOf, type SavedCards } from '#ledger/stripe/saved-cards';
import { cards } from '#ledger/payment-methods/cards.decider';
import { shownCardId } from '#ledger/stripe/card-id';
import type { StreamRunner } from '#ledger/streams/runner';

const KEPT_MS = 10 * 60_000;
const KEPT_USERS = 1_000;
/** Words go out without a card's name rather than wait longer for the provider. */
const PATIENCE_MS = 1_500;

const NO_NAMES: ReadonlyMap<string, string> = new Map();

export class CardNames {
  readonly #kept = new Map<string, { readonly atMs: number; readonly names: ReadonlyMap<string, string> }>();

  constructor(
    private readonly streams: Pick<StreamRunner, 'read'>,
    private readonly provider: Pick<SavedCards, 'of'>,
  ) {}

  /**
   * By the id that the owner is shown, such as "Visa ••4242"; none where the provider does not answer in
   * time.
   */
  async of(userId: string): Promise<ReadonlyMap<string, string>> {
    const kept = this.#kept.get(userId);
    if (kept && Date.now() - kept.atMs < KEPT_MS) return kept.names;
    const reading = this.#read(userId).catch(() => NO_NAMES);
    return inTime(PATIENCE_MS, reading, NO_NAMES);
  }

  async #read(userId: string): Promise<ReadonlyMap<string, string>> {
    const known = await this.streams.read(cards, userId);
    if (known.status !== 'open') return NO_NAMES;
    const saved = await this.provider.of(known.customerId);
    const names = new Map(
      saved.flatMap((card) => idsOf([card]).map((id) => [shownCardId(id), cardName(card)] as const)),
    );
    this.#kept.delete(userId);
    this.#kept.set(userId, { atMs: Date.now(), names });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_USERS) break;
      this.#kept.delete(oldest);
    }
    return names;
  }
}

/** The brand with a capital letter, and the last four digits. */
export const cardName = ({ brand, last4 }: { readonly brand: string; readonly last4: string }): string =>
  `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ••${last4}`;
