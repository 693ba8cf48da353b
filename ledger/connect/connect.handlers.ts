/**
 * Compares the log with the payout provider: all that changed there in a time is looked into once more, as if
 * its webhook had come only now. Lost, late, doubled and shuffled webhooks end alike. What could not be
 * looked into is named.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { InternalAnswer } from '#contracts/api/internal';
import type { Provenance } from '#log/record';
import { LOG } from '../parts.js';
import { InternalCommands } from '../bus/internal-commands.js';
import { PayoutProvider } from '../stripe/payout-provider.js';
import { PayoutAccountGone } from '../stripe/provider-payout.js';
import { ConnectHints, type Hint } from '../bus/connect-hints.js';

/** Accounts read at the provider at a time. */
const AT_A_TIME = 4;

@Injectable()
export class ConnectReconciliation {
  constructor(
    private readonly provider: PayoutProvider,
    private readonly hints: ConnectHints,
    commands: InternalCommands,
    @Inject(LOG) private readonly log: Logger,
  ) {
    commands.on('ReconcileTransfers', ({ since, until }, provenance) =>
      this.transfers(new Date(since), new Date(until), provenance),
    );
    commands.on('ReconcilePayoutAccounts', ({ accounts, since, until }, provenance) => {
      const toVerify = new Set(
        accounts.flatMap((account) => (account.isToVerify ? [account.connectAccountId] : [])),
      );
      return this.each(
        accounts.map(({ connectAccountId }) => connectAccountId),
        (id) => this.account(id, toVerify.has(id), new Date(since), new Date(until), provenance),
      );
    });
  }

  /**
   * Payouts for which a transfer was made. `failed`: their ids. Throws Unavailable when nothing can be learnt
   * at all.
   */
  private async transfers(since: Date, until: Date, provenance: Provenance): Promise<InternalAnswer> {
    const transfers = await this.provider.transferredBetween(since, until);
    const sealed = new Map<string, string | undefined>();
    for (const { payoutId, providerTransferId, isSealed } of transfers)
      sealed.set(payoutId, isSealed ? providerTransferId : sealed.get(payoutId));
    return this.each([...sealed.keys()], (payoutId) =>
      this.look([{ about: 'payout', payoutId, sealedTransferId: sealed.get(payoutId) }], provenance),
    );
  }

  /** Whether all that changed at an account could be looked into. */
  private async account(
    connectAccountId: string,
    isToVerify: boolean,
    since: Date,
    until: Date,
    provenance: Provenance,
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
        provenance,
      );
    } catch (error) {
      if (error instanceof PayoutAccountGone)
        return this.look([{ about: 'account', connectAccountId }], provenance);
      this.log.warn(
        { correlationId: provenance.correlationId, connectAccountId, err: error },
        'an account could not be read now',
      );
      return false;
    }
  }

  /** Whether all of them could be looked into; one that could not keeps none of the others out. */
  private async look(hints: readonly Hint[], provenance: Provenance): Promise<boolean> {
    let isDone = true;
    for (const hint of hints)
      try {
        await this.hints.tell(hint, provenance);
      } catch (error) {
        isDone = false;
        this.log.warn(
          { correlationId: provenance.correlationId, hint, err: error },
          'it could not be looked into now',
        );
      }
    return isDone;
  }

  private async each(
    ids: readonly string[],
    isDone: (id: string) => Promise<boolean>,
  ): Promise<InternalAnswer> {
    const waiting = [...ids];
    const failed: string[] = [];
    const worker = async (): Promise<void> => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift())
        if (!(await isDone(id))) failed.push(id);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, worker));
    return { looked: ids.length, failed };
  }
}
