/**
 * Asks for what saved cards are attached to, and for the card that is charged: of the payments and schedules,
 * which keep none.
 */
import { Command } from '@nestjs/cqrs';
import type { SavedCard } from '#contracts/events/journal';
import type { Provenance } from '#log/record';

/**
 * The provider's id for a user, made where there is none yet. `refusedId`: one that was known, and that the
 * provider has refused just now; another is made where it is gone there. Throws Unavailable and
 * ProviderRefused.
 */
export class OpenCardCustomer extends Command<string> {
  constructor(
    readonly userId: string,
    readonly provenance: Provenance,
    readonly refusedId?: string,
  ) {
    super();
  }
}

/**
 * Something happened to the cards that the provider keeps for one of its customers: its list is read again
 * and noted.
 */
export class FollowCards extends Command<void> {
  constructor(
    readonly customerId: string,
    readonly provenance: Provenance,
  ) {
    super();
  }
}

/**
 * A card was declined as it was being saved, as an event of the provider's says: it is looked at and counted.
 */
export class FollowSetup extends Command<void> {
  constructor(
    readonly setupId: string,
    readonly eventId: string,
    readonly provenance: Provenance,
  ) {
    super();
  }
}

/** A user's card by the id that its owner is shown. Throws Rejected('CardNotFound') for any other. */
export class FindCard extends Command<SavedCard> {
  constructor(
    readonly userId: string,
    readonly id: string,
  ) {
    super();
  }
}

/**
 * The card that a user's subscriptions and scheduled payments are charged to; undefined where none is saved.
 */
export class FindDefaultCard extends Command<SavedCard | undefined> {
  constructor(readonly userId: string) {
    super();
  }
}
