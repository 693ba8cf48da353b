/**
 * What is asked of the slices when a user is forgotten: each ends what it keeps for them. All of it may be
 * asked again.
 */
import { Command } from '@nestjs/cqrs';
import type { Position } from '#contracts/log';
import type { Provenance } from '#log/record';

/** Subscriptions and scheduled payments that they were to pay or be paid by. Throws Unavailable. */
export class EndSchedulesOf extends Command<void> {
  constructor(
    readonly userId: string,
    readonly provenance: Provenance,
  ) {
    super();
  }
}

/** The picture that they have uploaded. */
export class DropPictureOf extends Command<void> {
  constructor(readonly userId: string) {
    super();
  }
}

/** How often their passkeys were used. */
export class DropPasskeyCountsOf extends Command<void> {
  constructor(readonly userId: string) {
    super();
  }
}

/** The cards that the card provider keeps for them. Throws Unavailable and ProviderRefused. */
export class DropCardsOf extends Command<void> {
  constructor(
    readonly userId: string,
    readonly provenance: Provenance,
  ) {
    super();
  }
}

/**
 * The guests whose receipts they have claimed. `since`: where the log says that they are forgotten. Throws
 * Unavailable.
 */
export class ForgetGuestsOf extends Command<void> {
  constructor(
    readonly userId: string,
    readonly since: Position,
    readonly provenance: Provenance,
  ) {
    super();
  }
}
