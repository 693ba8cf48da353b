/** Checked before an operator's command about somebody: an id is easily mistyped. */
import { Command } from '@nestjs/cqrs';

/** Throws Rejected('UserNotFound') if the read models have nobody with this id, or somebody who was forgotten. */
export class RequireKnownUser extends Command<void> {
  constructor(readonly userId: string) {
    super();
  }
}
