/** A movement of the balance at the card provider, as its lists and its exported files show it. */

/** What kind of object a movement came from. */
type SourceKind = 'charge' | 'refund' | 'dispute' | 'transfer' | 'reversal' | 'other' | 'unreadable';

/** Amounts are minor units: above zero came in, and a fee above zero was taken. `net` is gross less fee. */
export interface ProviderMovement {
  /** The balance transaction's id. */
  readonly id: string;
  /** The provider's word for what it is: `charge`, `topup`, `stripe_fee` … */
  readonly type: string;
  readonly grossMinor: number;
  readonly feeMinor: number;
  readonly netMinor: number;
  readonly currency: string;
  readonly createdAt: string;
  readonly source: MovementSource;
}

/** The object that it came from, and the ids by which our log may know whose it is, where they are shown. */
export interface MovementSource {
  readonly kind: SourceKind;
  readonly id?: string | undefined;
  readonly chargeId?: string | undefined;
  readonly intentId?: string | undefined;
  /** Of a transfer or its reversal. */
  readonly payoutId?: string | undefined;
  /** Of a reversal. */
  readonly transferId?: string | undefined;
  readonly paymentId?: string | undefined;
}

const KINDS: readonly (readonly [RegExp, SourceKind])[] = [
  [/^(ch|py)_/, 'charge'],
  [/^(re|pyr)_/, 'refund'],
  [/^(du|dp)_/, 'dispute'],
  [/^tr_/, 'transfer'],
  [/^trr_/, 'reversal'],
];

/** The kind that an object's id tells. */
export const kindOfId = (id: string | undefined): SourceKind =>
  KINDS.find(([pattern]) => id !== undefined && pattern.test(id))?.[1] ?? 'other';
