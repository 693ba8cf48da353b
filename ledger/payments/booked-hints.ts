/**
 * Whether the log holds already what an event of the provider's tells of. Then nothing has to be read: the
 * event itself is never booked, and what it says cannot be lacking.
 */
import { Injectable } from '@nestjs/common';
import { Journal } from '../journal/journal.js';
import type { Payment } from '../journal/state.js';
import type { PaymentHint } from '../stripe/webhook-hints.js';

@Injectable()
export class BookedHints {
  constructor(private readonly journal: Journal) {}

  /** Throws Unavailable. */
  async holds({ tells, chargeId, intentId, isTwin }: PaymentHint): Promise<boolean> {
    if (tells === 'made') return (await this.journal.paymentOfIntent(intentId)) !== undefined;
    if (tells === 'canceled') return (await this.paymentOf(intentId))?.status === 'canceled';
    if (chargeId === undefined || tells === 'anything') return false;
    if (tells === 'declined') return (await this.paymentOf(intentId))?.attempts.includes(chargeId) ?? false;
    const booked = await this.journal.bookedCharge(chargeId);
    // What was booked of a charge before its process died may be half of it: its fee is the last. Of two
    // events for one thing it is enough that one is told again.
    if (!booked || (tells === 'paid' && isTwin)) return booked !== undefined;
    const charge =
      booked.paymentId === undefined
        ? await this.journal.look('unapplied', chargeId)
        : await this.journal.look('payment', booked.paymentId);
    return charge !== undefined && 'fees' in charge && charge.fees.length > 0;
  }

  /** Whether an event is of somebody else's payment: nothing on it is of ours, and no entry names it. */
  async isForeign({ isMarked, intentId, chargeId }: PaymentHint): Promise<boolean> {
    if (isMarked !== false || (await this.journal.paymentOfIntent(intentId)) !== undefined) return false;
    return chargeId === undefined || (await this.journal.bookedCharge(chargeId)) === undefined;
  }

  private async paymentOf(intentId: string): Promise<Payment | undefined> {
    const paymentId = await this.journal.paymentOfIntent(intentId);
    return paymentId === undefined ? undefined : this.journal.look('payment', paymentId);
  }
}
