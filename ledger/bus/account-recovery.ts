/**
 * What is asked of the slices when an account is recovered: each takes away what stood in its owner's way.
 * All of it may be asked again.
 */
import { Command } from '@nestjs/cqrs';
import type { Provenance } from '#log/record';

/** All passkeys that the user has. Throws Unavailable. */
export class RemovePasskeysOf extends Command<void> {
  constructor(
    readonly userId: string,
    readonly provenance: Provenance,
  ) {
    super();
  }
}

/** The switch that asks for them is off. Throws Unavailable. */
export class StopAskingForPasskey extends Command<void> {
  constructor(
    readonly userId: string,
    readonly provenance: Provenance,
  ) {
    super();
  }
}

/** A request to be forgotten that somebody made is over: it may have been a thief. Throws Unavailable. */
export class EndForgettingOnRecovery extends Command<void> {
  constructor(
    readonly userId: string,
    readonly provenance: Provenance,
  ) {
    super();
  }
}
