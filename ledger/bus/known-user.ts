/** What a command needs of the user whom it is about, as the rows know them. */
import { Command } from '@nestjs/cqrs';

/**
 * For an operator's command, as an id is easily mistyped. Throws Rejected('UserNotFound') if the read models
 * have nobody with this id, or somebody who was forgotten.
 */
export class RequireKnownUser extends Command<void> {
  constructor(readonly userId: string) {
    super();
  }
}

/**
 * Throws Rejected('RecipientLeaves') of somebody who has asked to be forgotten. Money that comes in ends
 * that: anybody could hold it up for ever by a small tip now and then.
 */
export class RequireStaying extends Command<void> {
  constructor(readonly recipientId: string) {
    super();
  }
}
