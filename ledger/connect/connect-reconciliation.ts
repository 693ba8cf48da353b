/**
 * Compares the log with the payout provider: all that changed there in a time is looked into once more, as if its webhook
 * had come only now. Lost, late, doubled and shuffled webhooks end alike. Accounts are gone through a page at a time: one that is slow
 * or broken holds up its page at most, and what could not be looked into is named.
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
    commands.on('ReconcileTransfers', ({ since, until }, cause) => this.transfers(new Date(since), new Date(until), cause));
    commands.on('ReconcilePayoutAccounts', ({ since, until, afterUserId }, cause) =>
      this.page(afterUserId, new Date(since), new Date(until), cause),
    );
    commands.on('ReconcilePayoutAccount', ({ connectAccountId, since, until }, cause) =>
      this.each([connectAccountId], (id) => this.account(id, false, new Date(since), new Date(until), cause)),
    );
  }

  /** Payouts for which a transfer was made. `failed`: their ids. Throws Unavailable when nothing can be learnt at all. */
  private async transfers(since: Date, until: Date, cause: HintCause): Promise<InternalAnswer> {
    const transfers = await this.provider.transferredBetween(since, until);
    return this.each([...new Set(transfers.map(({ payoutId }) => payoutId))], (payoutId) =>
      this.look([{ about: 'payout', payoutId }], cause),
    );
  }

  /** A page of accounts. `failed`: the provider's ids of those that must be looked into again. */
  private async page(after: string | undefined, since: Date, until: Date, cause: HintCause): Promise<InternalAnswer> {
    const page = await this.accounts.page(after);
    const toVerify = new Set(page.flatMap((account) => (account.payoutsEnabled ? [] : [account.connectAccountId])));
    const done = await this.each(
      page.map(({ connectAccountId }) => connectAccountId),
      // One that waits for its verification is looked at whatever the provider remembers of it.
      (id) => this.account(id, toVerify.has(id), since, until, cause),
    );
    return { ...done, next: page.at(-1)?.userId };
  }

  /** Whether all that changed at an account could be looked into. */
  private async account(
    connectAccountId: string,
    isToVerify: boolean,
    since: Date,
    until: Date,
    cause: HintCause,
  ): Promise<boolean> {
    try {
      const changed = await this.provider.changedBetween(connectAccountId, since, until);
      return await this.look(
        [
          ...(changed.account || isToVerify ? [{ about: 'account' as const, connectAccountId }] : []),
          ...changed.payoutIds.map((providerPayoutId) => ({
            about: 'provider-payout' as const,
            connectAccountId,
            providerPayoutId,
          })),
        ],
        cause,
      );
    } catch (error) {
      this.log.warn({ correlationId: cause.correlationId, connectAccountId, err: error }, 'an account could not be read now');
      return false;
    }
  }

  /** Whether all of them could be looked into; one that could not keeps none of the others out. */
  private async look(hints: readonly Hint[], cause: HintCause): Promise<boolean> {
    let isDone = true;
    for (const hint of hints)
      try {
        await this.hints.tell(hint, cause);
      } catch (error) {
        isDone = false;
        this.log.warn({ correlationId: cause.correlationId, hint, err: error }, 'it could not be looked into now');
      }
    return isDone;
  }

  private async each(ids: readonly string[], isDone: (id: string) => Promise<boolean>): Promise<InternalAnswer> {
    const waiting = [...ids];
    const failed: string[] = [];
    const worker = async (): Promise<void> => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) if (!(await isDone(id))) failed.push(id);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, worker));
    return { looked: ids.length, failed };
  }
}
