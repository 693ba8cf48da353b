/**
 * What is counted of the provider's objects, for alarms: what others have in the account, what the log lacks,
 * and what we give back. The process that puts the parts together fills it with its metrics.
 */

export type ObjectKind = 'payment' | 'customer' | 'account' | 'transfer' | 'payout';

export abstract class ProviderFigures {
  /** An object of somebody else's was seen, and left alone. */
  abstract foreign(kind: ObjectKind): void;
  /** An object that this ledger made and that its log does not know: the log has lost something. */
  abstract unknownToLog(kind: ObjectKind, id: string): void;
  /** Something that the provider says was not booked; `isMoney`: it moved money there. */
  abstract declined(command: string, reason: string, isMoney: boolean): void;
  /** Money that no payment explains was given back by ourselves. */
  abstract refunded(): void;
  /** It was not given back: the hour's refunds are used up, or the journal never recorded its object. */
  abstract refundWithheld(why: 'cap' | 'not-recorded'): void;
}

/** How many refunds of unapplied money the ledger makes in an hour at most. */
export abstract class RefundCap {
  abstract readonly perHour: number;
}
