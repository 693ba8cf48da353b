/** What others ask about the platform's balance at the card provider. */
import { Command } from '@nestjs/cqrs';
import type { Provenance } from '#log/record';

/**
 * Something moved in the platform's balance that belongs to no payment: look at what is new. May be sent
 * again; a look that is under way elsewhere is enough. Throws Unavailable.
 */
export class LookAtBalance extends Command<void> {
  constructor(readonly provenance: Provenance) {
    super();
  }
}
