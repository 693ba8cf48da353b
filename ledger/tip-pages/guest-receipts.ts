/** What a guest's receipt link is good for: one's own account, a mail, and being forgotten. */
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Position } from '#contracts/log';
import { aboutTime } from '#contracts/limits';
import { CURRENCY } from '#contracts/plain/money';
import { Refusal } from '#edge/refusal';
import { Vault } from '#log/vault';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { Messages } from '../bus/messages.js';
import { LimitCounts, type Reached } from '../limits/counter.js';
import { StreamRunner } from '../streams/runner.js';
import { guests } from './guest.decider.js';
import type { PaidTip } from './tip-page-reads.js';

interface ReceiptMail {
  readonly guestId: string;
  readonly payment: PaidTip;
  readonly to: string;
  /** Of the receipt. */
  readonly path: string;
}

function tooManyReceipts({ limit, waitMs }: Reached): Refusal {
  const what =
    limit === 'guest-receipt-payment' ? 'This receipt was mailed' : 'Receipts were mailed to this address';
  return new Refusal(
    429,
    `${what} many times today. Keep this page’s address instead, or try again in ${aboutTime(waitMs)}.`,
    undefined,
    Math.ceil(waitMs / 1000),
  );
}

@Injectable()
export class GuestReceipts {
  constructor(
    private readonly bus: CommandBus,
    private readonly vault: Vault,
    private readonly counts: LimitCounts,
    private readonly messages: Messages,
    private readonly streams: StreamRunner,
  ) {}

  async isForgotten(guestId: string): Promise<boolean> {
    return (await this.streams.read(guests, guestId)).isForgotten;
  }

  /**
   * Has a receipt of a settled payment mailed. The address is sealed with the guest's key and is gone after
   * 30 days. One payment is mailed to one address once, whatever is pressed. Throws Refusal (429).
   */
  async mail({ guestId, payment, to, path }: ReceiptMail): Promise<void> {
    const { id: paymentId, recipientId, amountMinor } = payment;
    // Of the payment, too: for the price of one, a performer's name could be mailed to a list of strangers.
    const reached = await this.counts.take([
      { limit: 'guest-receipt-payment', of: paymentId },
      { limit: 'guest-receipt-mailbox', of: to.toLowerCase() },
    ]);
    if (reached !== undefined) throw tooManyReceipts(reached);
    await this.messages.put({
      userId: guestId,
      kind: 'guest_receipt',
      key: `${paymentId}:${this.counts.hidden(to.toLowerCase())}`,
      facts: { paymentId, recipientId, amountMinor, currency: CURRENCY },
      at: new Date(),
      mailLink: JSON.stringify({ to, path }),
    });
  }

  /** Puts what the guest paid into the list of a user. Answers where the log says so. Throws Rejected. */
  async claim(guestId: string, userId: string, correlationId: string): Promise<Position> {
    const { position } = await this.bus.execute(
      new ExecuteStreamCommand(
        guests,
        guestId,
        { type: 'ClaimGuestTips', guestId, userId },
        { correlationId, actorId: userId },
      ),
    );
    return position;
  }

  /** Destroys the guest's key: name and note are unreadable from then on. The payment stays in the books. */
  async forget(guestId: string, correlationId: string): Promise<void> {
    await this.bus.execute(
      new ExecuteStreamCommand(guests, guestId, { type: 'ForgetGuest', guestId }, { correlationId }),
    );
    await this.vault.forget(guestId);
  }
}
