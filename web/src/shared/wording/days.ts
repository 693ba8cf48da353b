/** A day as the heading of a list. */
import { dayKey } from './months.js';
import { dayBefore } from './time.js';

const DAY = new Intl.DateTimeFormat('en-US', { weekday: 'short', month: 'short', day: 'numeric' });

/** `Today`, `Yesterday`, `Sat Nov 14`: of a day's key (`2026-11-14`) and a moment of that day. */
export function dayTitle(key: string, iso: string, nowMs: number): string {
  if (key === dayKey(new Date(nowMs))) return 'Today';
  if (key === dayKey(dayBefore(nowMs))) return 'Yesterday';
  return DAY.format(new Date(iso)).replace(',', '');
}
