/** A day as the heading of a list. */
import { dayKey } from './months.js';

const DAY = new Intl.DateTimeFormat('en-US', { weekday: 'short', month: 'short', day: 'numeric' });
const DAY_MS = 24 * 3_600_000;

/** `Today`, `Yesterday`, `Sat Nov 14`: of a day's key (`2026-11-14`) and a moment of that day. */
export function dayTitle(key: string, iso: string, nowMs: number): string {
  if (key === dayKey(new Date(nowMs))) return 'Today';
  if (key === dayKey(new Date(nowMs - DAY_MS))) return 'Yesterday';
  return DAY.format(new Date(iso)).replace(',', '');
}
