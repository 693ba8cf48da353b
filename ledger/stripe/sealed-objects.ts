/** What this ledger made at the provider in a time, by its seal: two lists, a hundred objects a call. */
import type Stripe from 'stripe';
import type { UnreadableAnswer } from './answers.js';
import type { OwnershipSeal } from './ownership.js';
import { transferredIn } from './payout-objects.js';
import {
  translatingRefusals,
  isoFrom,
  alarmUnreadable,
  openStripe,
  PAGE,
  readableOf,
  type StripeAccess,
} from './stripe-client.js';

export interface SealedObject {
  readonly kind: 'payment' | 'transfer';
  readonly objectId: string;
  /** The payment or payout that it was made for. */
  readonly subjectId: string;
  readonly madeAt: string;
}

const REFUSED = 'The card provider did not list what this ledger made there.';

export class SealedObjects {
  private readonly stripe: Stripe;

  constructor(private readonly options: StripeAccess & { readonly seal: OwnershipSeal }) {
    this.stripe = openStripe(options);
  }

  /**
   * Those made since a time, whoever else has objects in the account. Throws Unavailable and ProviderRefused.
   */
  since(since: Date): Promise<SealedObject[]> {
    const { seal } = this.options;
    const list = { created: { gte: Math.floor(since.getTime() / 1000) }, limit: PAGE };
    const found: SealedObject[] = [];
    // Nobody can say whose it is: it would hold up every payout, whoever it belongs to.
    const left = (error: UnreadableAnswer): void => alarmUnreadable(this.options, error);
    const note = (
      kind: SealedObject['kind'],
      { id, created }: { id: string; created: number },
      subjectId?: string,
    ) => {
      if (subjectId !== undefined) found.push({ kind, objectId: id, subjectId, madeAt: isoFrom(created) });
    };
    const payments = async (): Promise<void> => {
      for await (const intent of readableOf('payment_intent', this.stripe.paymentIntents.list(list), left)) {
        const sum = { amountMinor: intent.amount, currency: intent.currency };
        note('payment', intent, seal.paymentIn(intent.metadata, sum)?.paymentId);
      }
    };
    const transfers = async (): Promise<void> => {
      for await (const transfer of readableOf('transfer', this.stripe.transfers.list(list), left))
        note('transfer', transfer, transferredIn(transfer, seal)?.payoutId);
    };
    return translatingRefusals(
      async () => {
        await Promise.all([payments(), transfers()]);
        return found;
      },
      REFUSED,
      this.options,
    );
  }
}
