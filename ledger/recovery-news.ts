/**
 * What is told of the recovery of an account, under keys of the recovery. Told twice: by the ledger that
 * decided it, at once, and from the log, should that ledger have died first. A ledger of the version before,
 * which runs beside this one during an update, takes the log's place forward without telling it.
 */
import type { NewMessage } from './bus/messages.js';

interface StartedRecovery {
  readonly recoveryId: string;
  readonly startedBy: 'owner' | 'operator';
  readonly startedAt: string;
  readonly completableFrom: string;
}

/**
 * `earlier`: when the addresses of before were changed. A thief with the password may have had that done
 * first.
 */
export function recoveryStartedNews(
  userId: string,
  { recoveryId, startedBy, startedAt, completableFrom: completesAt }: StartedRecovery,
  earlier: readonly string[],
): NewMessage[] {
  const told = { userId, at: new Date(startedAt) };
  const facts = { completesAt, startedBy };
  const key = `recovery-started:${recoveryId}`;
  return [
    { ...told, kind: 'recovery_started', key, facts },
    ...earlier.map((changedAt) => ({
      ...told,
      kind: 'recovery_started_earlier' as const,
      key: `${key}:${changedAt}`,
      facts: { ...facts, changedAt },
    })),
  ];
}

export const recoveryRefusedNews = (userId: string, recoveryId: string, at: Date): NewMessage => ({
  ...{ userId, at, facts: {} },
  kind: 'recovery_refused',
  key: `recovery-refused:${recoveryId}`,
});

export const recoveryCompletedNews = (userId: string, recoveryId: string, at: Date): NewMessage => ({
  ...{ userId, at, facts: {} },
  kind: 'recovery_completed',
  key: `recovery-completed:${recoveryId}`,
});

/**
 * The path that refuses it, for the mail alone: whoever has no more than a session must not be able to
 * refuse.
 */
export const refusalPath = (userId: string, token: string): string => `/recovery#${userId}.${token}`;
