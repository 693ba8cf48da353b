/** What a subscription or scheduled payment needs before it is made. */
import { Injectable } from '@nestjs/common';
import type { ChosenSource } from '#contracts/api/schedule-body';
import type { PaymentSource } from '#contracts/events/payment-source';
import type { Provenance } from '#log/record';
import { Rejected } from '../rejection.js';
import { ChosenSources } from './chosen-source.js';
import { Funding } from './funding.js';
import { ScheduleCounts, type NewPlace } from './schedule-counts.js';

interface NewSchedule extends NewPlace {
  readonly recipientId: string;
  readonly chosen: ChosenSource | undefined;
}

@Injectable()
export class NewSchedules {
  constructor(
    private readonly sources: ChosenSources,
    private readonly funding: Funding,
    private readonly counts: ScheduleCounts,
  ) {}

  /**
   * Sees that it can be paid, and takes its place among its payer's. Answers what pays it, where its payer
   * has chosen. `isMade`: whether the same request, sent twice, has made it at another ledger meanwhile. Then
   * it may itself have taken the money or the last place that is missing here, and nothing is refused: its
   * payer would be told that there is none. Throws Rejected where it is not made, and Unavailable.
   */
  async prepare(
    payerId: string,
    { recipientId, chosen, ...place }: NewSchedule,
    by: Provenance,
    isMade: () => Promise<boolean>,
  ): Promise<PaymentSource | undefined> {
    let source: PaymentSource | undefined;
    try {
      if (chosen) source = await this.sources.read(payerId, chosen);
      await this.funding.assertPossible(payerId, recipientId, place.amountMinor, source);
      await this.counts.take(payerId, place, by);
    } catch (error) {
      if (!(error instanceof Rejected) || !(await isMade())) throw error;
    }
    return source;
  }
}
