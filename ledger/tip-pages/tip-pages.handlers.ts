/** What other slices ask of guests. */
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ForgetGuestsOf } from '../bus/forget-user.js';
import { ReadModels } from '../http/read-models.js';
import { StreamParked, Unavailable } from '../rejection.js';
import { GuestReceipts } from './guest-receipts.js';
import { ClaimedGuests } from './tip-page-reads.js';

/** So long the rows are waited for; whoever asks asks again. */
const ROWS_WITHIN_MS = 5_000;

/**
 * What somebody paid as a guest and put into their account is theirs: when they are forgotten, the name and
 * the notes that they gave there go as well. Those are sealed with the guest's key, and not with theirs.
 */
@CommandHandler(ForgetGuestsOf)
export class ForgetGuestsOfHandler implements ICommandHandler<ForgetGuestsOf> {
  constructor(
    private readonly receipts: GuestReceipts,
    private readonly claimed: ClaimedGuests,
    private readonly readModels: ReadModels,
  ) {}

  /**
   * Throws Unavailable while the rows may lack a claim, StreamParked, and what came of a guest who could not
   * be forgotten, behind all others.
   */
  async execute({ userId, since, provenance: { correlationId } }: ForgetGuestsOf): Promise<void> {
    if (!(await this.readModels.waitFor(since, ROWS_WITHIN_MS)))
      throw new Unavailable('What they paid as a guest is not known yet. Please try again in a moment.');
    const failed: unknown[] = [];
    for (const guestId of await this.claimed.of(userId))
      await this.receipts.forget(guestId, correlationId).catch((error: unknown) => failed.push(error));
    // What is parked waits for an operator, who must hear of it; the others are asked again by themselves.
    if (failed.length > 0) throw failed.find((error) => error instanceof StreamParked) ?? failed[0];
  }
}
