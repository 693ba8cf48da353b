/**
 * While an account is being recovered nobody knows yet whose it is: what is guarded is held back, proof or
 * not. Asked by whoever guards; filled from the log in processes/ledger/reads.ts.
 */
export abstract class RecoveryHold {
  /** Throws Rejected('RecoveryUnderWay') where a recovery is under way, and StoreAway and StreamParked. */
  abstract assertNone(userId: string): Promise<void>;
}
