/** What a ledger counts of the provider's objects, for specs to look at. */
import { ProviderFigures, type ObjectKind } from '#ledger/stripe/provider-figures';

export class CountedFigures extends ProviderFigures {
  readonly seen: string[] = [];

  foreign(kind: ObjectKind): void {
    this.seen.push(`foreign ${kind}`);
  }
  unknownToLog(kind: ObjectKind, id: string): void {
    this.seen.push(`unknown ${kind} ${id}`);
  }
  declined(command: string, reason: string, isMoney: boolean): void {
    this.seen.push(`declined ${command} ${reason}${isMoney ? ' money' : ''}`);
  }
  refunded(): void {
    this.seen.push('refunded');
  }
  refundWithheld(why: 'cap' | 'not-recorded'): void {
    this.seen.push(`withheld ${why}`);
  }
}
