/**
 * Word that something happened at a user's account with the payout provider. It is a hint and no more:
 * whoever is told reads the provider again. Webhooks bring it, and reconciliation brings what they did not.
 */
import { Injectable } from '@nestjs/common';
import type { Provenance } from '#log/record';

/** What a hint can be about: the account itself, one payout of it by the provider's id, or one by ours. */
export type Hint =
  /** `userId`: whose it is, where that is known from elsewhere than the provider. */
  | { readonly about: 'account'; readonly connectAccountId: string; readonly userId?: string }
  | {
      readonly about: 'provider-payout';
      readonly connectAccountId: string;
      readonly providerPayoutId: string;
    }
  | {
      readonly about: 'payout';
      readonly payoutId: string;
      /** The transfer that named it, where that carries our seal. */
      readonly sealedTransferId?: string | undefined;
    };

type About = Hint['about'];
type Listener<A extends About> = (hint: Extract<Hint, { about: A }>, provenance: Provenance) => Promise<void>;

@Injectable()
export class ConnectHints {
  readonly #listeners = new Map<About, (hint: Hint, provenance: Provenance) => Promise<void>>();

  /** Names the slice that looks into hints about something. */
  on<A extends About>(about: A, listener: Listener<A>): this {
    if (this.#listeners.has(about)) throw new Error(`Hints about ${about} are looked into by two slices.`);
    const isAbout = (hint: Hint): hint is Extract<Hint, { about: A }> => hint.about === about;
    this.#listeners.set(about, async (hint, provenance) =>
      isAbout(hint) ? listener(hint, provenance) : undefined,
    );
    return this;
  }

  /** Resolves once what the hint led to is in the log. Throws Unavailable: tell it again later. */
  async tell(hint: Hint, provenance: Provenance): Promise<void> {
    const listener = this.#listeners.get(hint.about);
    if (listener === undefined) throw new Error(`No slice looks into hints about ${hint.about}.`);
    await listener(hint, provenance);
  }
}
