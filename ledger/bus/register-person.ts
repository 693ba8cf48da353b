/** Asked of the users at each sign-in. */
import { Command } from '@nestjs/cqrs';
import type { Position } from '#contracts/log';
import type { Profile } from '#contracts/events/user';
import type { Provenance } from '#log/record';

/** A person as the identity provider vouches for them. */
export interface SignedInPerson {
  readonly userId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly profile: Profile;
}

export interface RegisteredPerson {
  /** What read models must pass to show it; undefined where nothing was appended. */
  readonly position: Position | undefined;
  /** Whether this was their first sign-in of all. */
  readonly isNew: boolean;
}

/**
 * Registers the person or takes over a changed profile, and opens their account. Run twice it does nothing
 * more. Throws Rejected('Forgotten') and Unavailable.
 */
export class RegisterPerson extends Command<RegisteredPerson> {
  constructor(
    readonly person: SignedInPerson,
    readonly provenance: Provenance,
  ) {
    super();
  }
}
