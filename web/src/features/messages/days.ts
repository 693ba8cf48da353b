/** Messages by day, as the page lists them: payments received of one day are one row. */
import type { Message } from '#contracts/api/messages';
import { decimalFromMinor, minorOf } from '#contracts/plain/money';
import type { DayRow } from '../../shared/ui/DayRows.js';
import { dayTitle } from '../../shared/wording/days.js';
import { money } from '../../shared/wording/money.js';
import { dayKey } from '../../shared/wording/months.js';

interface DayOfMessages {
  /** In the reader's time zone. */
  readonly key: string;
  readonly title: string;
  readonly messages: readonly Message[];
  readonly unread: number;
}

/**
 * The days with their messages, newest first. Payments that nobody looked at yet stand on the stage above and
 * in no day; where there is no stage they do.
 */
export function daysOf(messages: readonly Message[], nowMs: number, isSummedUp = true): DayOfMessages[] {
  const days = new Map<string, Message[]>();
  for (const message of messages) {
    if (isSummedUp && message.amount !== null && !message.isRead) continue;
    const key = dayKey(new Date(message.at));
    const ofDay = days.get(key);
    if (ofDay === undefined) days.set(key, [message]);
    else ofDay.push(message);
  }
  return [...days].map(([key, ofDay]) => ({
    key,
    title: dayTitle(key, ofDay[0]!.at, nowMs),
    messages: folded(ofDay),
    unread: ofDay.filter(({ isRead }) => !isRead).length,
  }));
}

export interface HeadLine {
  readonly kind: 'head';
  readonly key: string;
  readonly title: string;
  readonly unread: number;
}
export interface MessageLine extends DayRow {
  readonly message: Message;
}

/** The days as lines of a list: the heading of each, and its messages. */
export const linesOf = (days: readonly DayOfMessages[]): readonly (HeadLine | MessageLine)[] =>
  days.flatMap(({ key, title, unread, messages }) => [
    { kind: 'head' as const, key, title, unread },
    ...messages.map((message, index) => ({
      kind: 'row' as const,
      key: message.id,
      day: key,
      message,
      isFirstOfDay: index === 0,
      isLastOfDay: index === messages.length - 1,
    })),
  ]);

/** Several payments received are one row, in the place of the newest. */
function folded(messages: readonly Message[]): Message[] {
  const received = messages.filter(({ amount }) => amount !== null);
  const [newest] = received;
  if (newest === undefined || received.length === 1) return [...messages];
  const minor = received.reduce((sum, { amount }) => sum + minorOf(amount ?? '0'), 0);
  const row: Message = {
    ...newest,
    title: `${received.length} payments received`,
    note: null,
    text: `${money(decimalFromMinor(minor))} in all. It is in your balance.`,
  };
  return messages.flatMap((message) =>
    message === newest ? [row] : message.amount === null ? [message] : [],
  );
}
