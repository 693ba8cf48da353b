/**
 * What is told of a wish to be forgotten, under keys of that wish. Told twice, as news of a recovery are: by
 * the ledger that was asked, at once, and from the log, should that ledger have died first.
 */
import type { UserEvent } from '#contracts/events/user';
import type { NewMessage } from './bus/messages.js';

type DataOf<T extends UserEvent['type']> = Extract<UserEvent, { type: T }>['data'];

const keyOf = (requestedAt: string): string => `forgetting:${requestedAt}`;

export const forgettingAskedNews = ({
  userId,
  requestedAt,
  dueAt,
}: DataOf<'ForgettingRequested'>): NewMessage => ({
  userId,
  kind: 'forgetting_asked',
  key: keyOf(requestedAt),
  facts: { happensAt: dueAt },
  at: new Date(requestedAt),
});

/** `requestedAt`: when that was asked for which ends. */
export const forgettingEndedNews = (
  { userId, why, endedAt }: DataOf<'ForgettingRequestEnded'>,
  requestedAt: string,
): NewMessage => ({
  userId,
  kind: 'forgetting_cancelled',
  key: keyOf(requestedAt),
  facts: { why },
  at: new Date(endedAt),
});
