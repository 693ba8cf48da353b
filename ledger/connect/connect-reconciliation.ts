/**
 * Compares the log with the payout provider: all that changed there in a time is looked into once more, as if its webhook
 * had come only now. Lost, late, doubled and shuffled webhooks end alike.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { InternalAnswer } from '#contracts/api/internal';
import { LOG } from '../bus/handled.js';
import { InternalCommands } from '../bus/internal-commands.js';
import { PayoutProvider } from '../stripe/payout-provider.js';
import { ConnectHints, type Hint, type HintCause } from './connect-hints.js';

/** The users' accounts at the provider, as the read model lists them; implemented by main.ts. */
export abstract class PayoutAccounts {
  /** A page of them in the order of user ids, after one. */
  abstract page(
    afterUserId: string | undefined,
  ): Promise<readonly { userId: string; connectAccountId: string; payoutsEnabled: boolean }[]>;
}

/** Accounts read at the provider at a time. */
const AT_A_TIME = 4;

@Injectable()
export class ConnectReconciliation {
  constructor(
    private readonly provider: PayoutProvider,
    private readonly hints: ConnectHints,
    private readonly accounts: PayoutAccounts,
    commands: InternalCommands,
    @Inject(LOG) private readonly log: Logger,
  ) {
    commands.on('ReconcilePayouts', ({ since, until }, cause) =>
      this.reconcile(new Date(since), until === undefined ? new Date() : new Date(until), cause),
    );
  }

  /** Answers how many things were looked into, and which must be again. Throws Unavailable when nothing can be learnt at all. */
  async reconcile(since: Date, until: Date, cause: HintCause): Promise<InternalAnswer> {
    const transfers = await this.provider.transferredBetween(since, until);
    const payoutIds = [...new Set(transfers.map(({ payoutId }) => payoutId))];
    const failed: string[] = [];
    let looked = 0;
    const look = async (hint: Hint, name: string): Promise<void> => {
      looked += 1;
      try {
        await this.hints.tell(hint, cause);
      } catch (error) {
        failed.push(name);
        this.log.warn({ correlationId: cause.correlationId, hint, err: error }, 'it could not be looked into now');
      }
    };

    for (let after: string | undefined; ;) {
      const page = await this.accounts.page(after);
      if (page.length === 0) break;
      after = page.at(-1)?.userId;
      await inTurns(page, async ({ connectAccountId, payoutsEnabled }) => {
        const changed = await this.changedAt(connectAccountId, since, until, failed, cause);
        // One that waits for its verification is looked at whatever the provider remembers of it.
        if (changed.account || !payoutsEnabled) await look({ about: 'account', connectAccountId }, connectAccountId);
        for (const providerPayoutId of changed.payoutIds)
          await look({ about: 'provider-payout', connectAccountId, providerPayoutId }, providerPayoutId);
      });
    }
    await inTurns(payoutIds, (payoutId) => look({ about: 'payout', payoutId }, payoutId));
    return { looked, failed };
  }

  private async changedAt(connectAccountId: string, since: Date, until: Date, failed: string[], cause: HintCause) {
    try {
      return await this.provider.changedBetween(connectAccountId, since, until);
    } catch (error) {
      failed.push(connectAccountId);
      this.log.warn({ correlationId: cause.correlationId, connectAccountId, err: error }, 'an account could not be read now');
      return { payoutIds: [], account: false };
    }
  }
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}
