/** What is asked before an operator's word about somebody is acted on: an id is easily mistyped. */
import { Command } from '@nestjs/cqrs';

/** Throws Rejected('UserNotFound') where the rows have nobody of this id, or somebody who was forgotten. */
export class RequireKnownUser extends Command<void> {
  constructor(readonly userId: string) {
    super();
  }
}
