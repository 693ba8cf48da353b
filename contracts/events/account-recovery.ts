/**
 * The recovery of an account, stream `account-recovery-{userId}`: somebody cannot use the passkeys that guard
 * it, asks for them to be taken away, and waits. In the log, so that no restart and no restore shortens the
 * wait.
 */
import { z } from 'zod';
import { Sealed } from './journal.js';

export const ACCOUNT_RECOVERY_PREFIX = 'account-recovery-';
export const accountRecoveryStream = (userId: string): string => `${ACCOUNT_RECOVERY_PREFIX}${userId}`;

export const accountRecoveryEvents = {
  /**
   * A recovery was begun: by its owner with a fresh sign-in, or by an operator, and then without one. Nothing
   * that is guarded is let through until it has ended.
   */
  AccountRecoveryStarted: z.object({
    userId: z.string(),
    recoveryId: z.string(),
    startedBy: z.enum(['owner', 'operator']),
    startedAt: z.iso.datetime(),
    completableFrom: z.iso.datetime(),
    lapsesAt: z.iso.datetime(),
    signedInAt: z.iso.datetime().nullable(),
    refusalToken: Sealed,
  }),
  /** The owner signed in afresh to a recovery that an operator had begun. It does not shorten the wait. */
  AccountRecoveryConfirmed: z.object({
    userId: z.string(),
    recoveryId: z.string(),
    signedInAt: z.iso.datetime(),
  }),
  /** Somebody with one of the account’s passkeys, or with the link in the mail, has stopped it. */
  AccountRecoveryRefused: z.object({
    userId: z.string(),
    recoveryId: z.string(),
    refusedBy: z.enum(['passkey', 'link']),
    refusedAt: z.iso.datetime(),
    againFrom: z.iso.datetime(),
  }),
  /**
   * The wait was over, and the owner signed in afresh once more: from here on it cannot be refused, and the
   * passkeys of before are taken away.
   */
  AccountRecoveryCompleted: z.object({
    userId: z.string(),
    recoveryId: z.string(),
    completedAt: z.iso.datetime(),
  }),
  /** The passkeys are gone, the switch is off and the other sessions have ended. */
  AccountRecoveryFinished: z.object({ userId: z.string(), recoveryId: z.string() }),
} as const;

type AccountRecoveryEventType = keyof typeof accountRecoveryEvents;
export type AccountRecoveryEvent = {
  [T in AccountRecoveryEventType]: { type: T; data: z.infer<(typeof accountRecoveryEvents)[T]> };
}[AccountRecoveryEventType];
