/**
 * What the payments slice reads; filled in processes/ledger.ts.
 */
import type { PaymentEntry } from './payment-record.js';

export abstract class PaymentEntries {
  /** The journal's entries about a payment, in order, as far as the read model that lists them has come. */
  abstract about(paymentId: string): Promise<readonly PaymentEntry[]>;
}

export abstract class UnappliedCharges {
  /**
   * Whether the journal holds this charge as unapplied and not given back yet. A charge that settled a
   * payment never is.
   */
  abstract isHeld(chargeId: string): Promise<boolean>;
}
