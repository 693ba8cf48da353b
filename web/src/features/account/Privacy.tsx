/** Amounts that privacy mode hides, and the button that shows them. */
import ButtonBase from '@mui/material/ButtonBase';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { Eye, EyeOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { Amount, Balance, VisuallyHidden, amountWords, type AmountProps } from '../../shared/ui/Amount.js';
import { usePrivacy } from './privacy.js';

/** In the place of figures that are hidden. */
export function Dots() {
  return (
    <>
      <span aria-hidden="true">••••</span>
      <VisuallyHidden>Amount hidden</VisuallyHidden>
    </>
  );
}

/** An amount in a row. */
export function PrivateAmount(props: AmountProps) {
  const { isHidden } = usePrivacy();
  if (!isHidden) return <Amount {...props} />;
  return (
    <Typography variant="amount" component="span" color="textSecondary">
      <Dots />
    </Typography>
  );
}

/**
 * The same where the list, which has many of them, has asked whether amounts are hidden. No component of its
 * own, for a long list takes longer by each one. Its look is that of `rowLook`.
 */
export function rowAmount({
  decimal,
  direction,
  tone = direction,
  isHidden,
}: AmountProps & { readonly isHidden: boolean }) {
  return (
    <span className="figure" data-tone={isHidden ? 'hidden' : tone}>
      {isHidden ? <Dots /> : amountWords(decimal, direction)}
    </span>
  );
}

/** Figures in a sentence or a line, or large ones. */
export function Private({
  children,
  size = 'line',
}: {
  readonly children: ReactNode;
  readonly size?: 'line' | 'big';
}) {
  const { isHidden } = usePrivacy();
  if (!isHidden) return children;
  return size === 'line' ? (
    <Dots />
  ) : (
    <Typography variant="display" component="span">
      <Dots />
    </Typography>
  );
}

/** Shows the amounts, and hides them again. Only there in privacy mode. */
export function PrivacyButton() {
  const { isOn, isHidden, show, hide } = usePrivacy();
  if (!isOn) return null;
  const Icon = isHidden ? Eye : EyeOff;
  return (
    <IconButton aria-label={isHidden ? 'Show amounts' : 'Hide amounts'} onClick={isHidden ? show : hide}>
      <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
    </IconButton>
  );
}

const Hidden = styled(ButtonBase)({ borderRadius: 10, font: 'inherit', color: 'inherit' });

/** A balance on a stage or in a card; hidden, a tap on it shows it. */
export function PrivateBalance({ decimal, size }: { readonly decimal: string; readonly size: number }) {
  const { isHidden, show } = usePrivacy();
  if (!isHidden) return <Balance decimal={decimal} size={size} />;
  return (
    <Hidden aria-label="Show amounts" onClick={show}>
      <Typography variant="display" component="span" style={{ fontSize: size, lineHeight: 1.12 }}>
        $••••••
      </Typography>
    </Hidden>
  );
}
