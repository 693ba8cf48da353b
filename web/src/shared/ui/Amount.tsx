/** Amounts: in a row, large on a stage, and a balance that counts to its new value. */
import Typography from '@mui/material/Typography';
import { styled, type Theme } from '@mui/material/styles';
import { useEffect, useRef, useState } from 'react';
import { decimalFromMinor, minorOf } from '#contracts/plain/money';
import { money, moneyParts, signedMoney } from '../wording/money.js';
import { MS } from './theme.js';

/** How an amount in a row looks; rows have it as a class. */
export const figureLook = ({ typography, vars: { palette } }: Theme) =>
  ({
    ...typography.amount,
    display: 'inline-block',
    textAlign: 'right',
    '&[data-tone="in"]': { color: palette.success.main },
    '&[data-tone="out"]': { color: palette.text.primary },
    '&[data-tone="debit"]': { color: palette.error.main },
    '&[data-tone="void"]': { color: palette.text.disabled },
    '&[data-tone="hidden"]': { color: palette.text.secondary },
  }) as const;
const Figure = styled('span')(({ theme }) => figureLook(theme));

export interface AmountProps {
  /** A decimal string. */
  readonly decimal: string;
  /**
   * `in`: `+$20.00`; `out` and `debit`: `-$15.00`; neither: `$20.00`. `void` did not happen and is left out
   * of sums.
   */
  readonly direction?: 'in' | 'out';
  readonly tone?: 'in' | 'out' | 'debit' | 'void';
}

/** `+$20.00` for what comes in, `-$15.00` for what goes out, `$20.00` for neither. */
export const amountWords = (decimal: string, direction?: 'in' | 'out'): string =>
  direction === undefined ? money(decimal) : signedMoney(decimal, direction === 'in');

/** An amount in a row, right-aligned to the cent. */
export function Amount({ decimal, direction, tone = direction }: AmountProps) {
  return <Figure data-tone={tone}>{amountWords(decimal, direction)}</Figure>;
}

const Cents = styled('span')({ opacity: 0.72 });

interface BigAmountProps {
  readonly decimal: string;
  readonly size?: number;
  /** Direction: `+$350.00`. Without it only a debt has a sign. */
  readonly direction?: 'in' | 'out';
}

/** An amount of 22 px and up, with smaller cents. */
export function BigAmount({ decimal, size, direction }: BigAmountProps) {
  const { sign: ownSign, dollars, cents } = moneyParts(decimal);
  const sign = direction === undefined ? ownSign : direction === 'in' ? '+' : '-';
  // Long amounts are drawn smaller rather than cut off.
  const length = sign.length + dollars.length + cents.length;
  const fitted = size ?? (length > 13 ? 30 : length > 11 ? 36 : undefined);
  return (
    <Typography
      variant="display"
      component="span"
      style={fitted === undefined ? undefined : { fontSize: fitted, lineHeight: 1.12 }}
    >
      {sign}
      {dollars}
      <Cents>{cents}</Cents>
    </Typography>
  );
}

const prefersStillness = (): boolean =>
  typeof window.matchMedia === 'function' && window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Animates from the old amount to the new one, in cents; immediate with reduced motion. */
function useCounted(decimal: string): string {
  const [shown, setShown] = useState(decimal);
  const last = useRef(decimal);
  useEffect(() => {
    const from = minorOf(last.current);
    const to = minorOf(decimal);
    last.current = decimal;
    const isStill = from === to || prefersStillness();
    let frame = 0;
    const startedAt = performance.now();
    const step = (now: number) => {
      const progress = isStill ? 1 : Math.min(1, Math.max(0, now - startedAt) / MS.light);
      if (progress >= 1) {
        setShown(decimal);
        return;
      }
      // Easing: fast start, slow end.
      const eased = 1 - (1 - progress) ** 3;
      setShown(decimalFromMinor(from + Math.round((to - from) * eased)));
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [decimal]);
  return shown;
}

/** A balance that counts to a new value; screen readers hear the final value only. */
export function Balance({ decimal, size }: BigAmountProps) {
  const counted = useCounted(decimal);
  return (
    <span>
      <span aria-hidden="true">
        <BigAmount decimal={counted} size={size} />
      </span>
      <VisuallyHidden>{money(decimal)}</VisuallyHidden>
    </span>
  );
}

/** For screen readers only; rows have it as a class. */
export const UNSEEN = {
  position: 'absolute',
  width: 1,
  height: 1,
  margin: -1,
  padding: 0,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
  border: 0,
} as const;
export const VisuallyHidden = styled('span')(UNSEEN);
