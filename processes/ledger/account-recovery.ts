/**
 * What the recovery of accounts reads of other streams, and what it holds back: from the log, no row is
 * asked.
 */
import type { Provider } from '@nestjs/common';
import type { OlderFacts } from '#ledger/messages/messages-from-log';
import { accountRecovery, heldBackUntil } from '#ledger/account-recovery/account-recovery.decider';
import { EarlierAddresses, GuardingPasskeys } from '#ledger/account-recovery/account-recovery.handlers';
import { passkeys } from '#ledger/passkeys/passkeys.decider';
import { RecoveryHold } from '#ledger/recovery-hold';
import { Rejected, StreamParked } from '#ledger/rejection';
import type { StreamRunner } from '#ledger/streams/runner';
import { hearingAt, user } from '#ledger/users/user.decider';
import type { Waits } from '#ledger/waits';
import { isPasskeyAskedFor } from './confirmation-facts.js';

export function recoveryReads(streams: StreamRunner, waits: Waits): Provider[] {
  return [
    {
      provide: GuardingPasskeys,
      useValue: {
        has: async (userId) =>
          (await streams.read(passkeys, userId)).size > 0 && (await isPasskeyAskedFor(streams, userId)),
      } satisfies GuardingPasskeys,
    },
    { provide: EarlierAddresses, useValue: { of: earlierAddresses(streams) } satisfies EarlierAddresses },
    {
      provide: RecoveryHold,
      useValue: {
        async assertNone(userId) {
          const until = heldBackUntil(await streams.read(accountRecovery, userId), waits.now());
          if (until !== undefined) throw new Rejected('RecoveryUnderWay', { userId, until });
        },
      } satisfies RecoveryHold,
    },
  ];
}

/** A stream that is parked tells no addresses; all messages must not wait for it. */
export const earlierAddresses =
  (streams: StreamRunner): OlderFacts['earlierAddresses'] =>
  async (userId, at) => {
    try {
      const state = await streams.read(user, userId);
      return state.status === 'registered' ? hearingAt(state.replaced, at).map(({ until }) => until) : [];
    } catch (error) {
      if (error instanceof StreamParked) return [];
      throw error;
    }
  };
