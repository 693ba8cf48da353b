/** Nothing new is paid to somebody who has asked to be forgotten. */
import type { CommandBus } from '@nestjs/cqrs';
import { RequireStaying } from '../bus/known-user.js';
import type { Journal } from '../journal/journal.js';
import { Rejected } from '../rejection.js';

/** `key` is the payment's in the journal. Throws Rejected('RecipientLeaves') and Unavailable. */
export async function assertStays(
  recipientId: string,
  key: string,
  bus: CommandBus,
  journal: Journal,
): Promise<void> {
  try {
    await bus.execute(new RequireStaying(recipientId));
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    // What was begun goes on: whoever is refused takes it that nothing was paid.
    await journal.readToEnd();
    if (!(await journal.hasEntry(key))) throw error;
  }
}
