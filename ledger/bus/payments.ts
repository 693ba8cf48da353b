/**
 * What may be asked of the payments by whoever wants one paid in its payer's absence: by id, never with an
 * amount.
 */
import { Command } from '@nestjs/cqrs';
import type { Position } from '#contracts/log';
import type { Provenance } from '#log/record';

/**
 * What became of a payment, by the log. `isOurs`: it ended because we did not get to it, and not through its
 * payer.
 */
export interface PaymentOutcome {
  readonly status: 'open' | 'settled' | 'canceled';
  readonly failure: { readonly code: string; readonly reason: string } | undefined;
  readonly openedAt: Date;
  readonly isOurs?: boolean;
}

export interface Errand {
  /**
   * `charge`: to the saved card that its entry names, or look how far that came. `give-up`: end it, if the
   * provider agrees.
   */
  readonly what: 'charge' | 'give-up';
  readonly paymentId: string;
  /** Where the read models must stand to know the payment. */
  readonly after?: Position | undefined;
}

/** Throws Rejected('PaymentNotFound') and Unavailable; any errand may be run again. */
export class AskPayment extends Command<PaymentOutcome> {
  constructor(
    readonly errand: Errand,
    readonly provenance: Provenance,
  ) {
    super();
  }
}
