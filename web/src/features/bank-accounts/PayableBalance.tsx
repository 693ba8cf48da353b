/** How much of the balance could be paid out now, and when the rest: nothing where all of it could. */
import Typography from '@mui/material/Typography';
import type { PayoutFunds } from '#contracts/api/payouts';
import { minorOf } from '#contracts/plain/money';
import { usePrivacy } from '../account/privacy.js';
import { useNow } from '../../shared/ui/use-now.js';
import { money } from '../../shared/wording/money.js';
import { nextDayOf } from '../../shared/wording/time.js';
import { usePayoutFundsQuery } from './bank-accounts.js';

/** So many days are named one by one. */
const DAYS_NAMED = 3;

/** The sentences about a balance that cannot all be paid out now; empty where it can. */
function sentencesAbout({ now, later, undated }: PayoutFunds, nowMs: number): string[] {
  if (later.length === 0 && minorOf(undated) === 0) return [];
  const named = later.slice(0, DAYS_NAMED);
  const last = later.at(-1);
  const days = named.map(({ on, amount }) => `${money(amount)} more from ${nextDayOf(on, nowMs)}`).join(', ');
  return [
    `${money(now)} can be paid out now${days === '' ? '' : `, ${days}`}.`,
    ...(last && later.length > DAYS_NAMED
      ? [`Further card payments follow until ${nextDayOf(last.on, nowMs)}.`]
      : []),
    ...(minorOf(undated) === 0 ? [] : [`${money(undated)} has no date yet.`]),
  ];
}

/**
 * When a payout of this amount is sent, where that is not now; undefined where it is, or where it is no
 * amount.
 */
export function sendingOf(written: string, { now, later }: PayoutFunds, nowMs: number): string | undefined {
  const wanted = minorOf(written.trim());
  let coveredMinor = minorOf(now);
  if (wanted === 0 || wanted <= coveredMinor) return undefined;
  for (const { on, amount } of later) {
    coveredMinor += minorOf(amount);
    if (wanted <= coveredMinor)
      return `It is sent on ${nextDayOf(on, nowMs)}, when the card payments in it are available.`;
  }
  return 'It is sent once the card payments in it are available. There is no date for that yet.';
}

export function PayableBalance() {
  const { data } = usePayoutFundsQuery();
  const { isHidden } = usePrivacy();
  const nowMs = useNow();
  const sentences = data && !isHidden ? sentencesAbout(data, nowMs) : [];
  if (sentences.length === 0) return null;
  return (
    <Typography variant="body2" sx={{ color: 'stage.on2', maxWidth: 360, mb: 1 }}>
      {sentences.join(' ')}
    </Typography>
  );
}
