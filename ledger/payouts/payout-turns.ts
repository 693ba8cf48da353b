/**
 * Whose turn it is. Payouts go in the order in which they were requested, as far as the provider's available
 * balance reaches: one goes when that covers it and all before it, so none overtakes another because it is
 * smaller, however many are looked at side by side.
 */
import { Injectable } from '@nestjs/common';
import { PayoutProvider } from '../stripe/payout-provider.js';

/** What the rows say of the queue; filled in processes/ledger/reads.ts. */
export abstract class PayoutQueue {
  /**
   * What must be available for a payout to go: its own sum, that of all before it, and what was transferred
   * since a look at the balance. Undefined while the rows do not have it.
   */
  abstract neededFor(payoutId: string, since: Date): Promise<number | undefined>;
  /** Keeps what was read, for whoever tells people when their payout goes. */
  abstract note(reading: FundsReading): Promise<void>;
}

interface FundsReading {
  readonly availableMinor: number;
  /** When the reading began: what was transferred later is not in it. */
  readonly readAt: Date;
}

@Injectable()
export class PayoutTurns {
  /** One look serves all that are asked about within so long. */
  protected readonly lookEveryMs: number = 5_000;
  #reading: Promise<FundsReading> | undefined;
  #begunMs = -Infinity;

  constructor(
    private readonly provider: PayoutProvider,
    private readonly queue: PayoutQueue,
  ) {}

  /** Whether the money for a payout, and for all before it, is there. Throws Unavailable. */
  async isReached(payoutId: string): Promise<boolean> {
    const { availableMinor, readAt } = await this.look();
    const needed = await this.queue.neededFor(payoutId, readAt);
    return needed !== undefined && needed <= availableMinor;
  }

  private look(): Promise<FundsReading> {
    const now = performance.now();
    if (this.#reading && now - this.#begunMs < this.lookEveryMs) return this.#reading;
    this.#begunMs = now;
    const reading = this.read();
    this.#reading = reading;
    // A look that failed serves nobody else.
    reading.catch(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    return reading;
  }

  private async read(): Promise<FundsReading> {
    const readAt = new Date();
    const reading = { availableMinor: await this.provider.availableMinor(), readAt };
    await this.queue.note(reading);
    return reading;
  }
}
