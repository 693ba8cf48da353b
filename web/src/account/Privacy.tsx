/** Amounts that privacy mode hides, and the button that shows them. */
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { Eye, EyeOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { Amount, VisuallyHidden, type AmountProps } from '../ui/Amount.js';
import { usePrivacy } from './privacy.js';

function Dots() {
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

/** Figures in a sentence or a line. */
export function Private({ children }: { readonly children: ReactNode }) {
  const { isHidden } = usePrivacy();
  return isHidden ? <Dots /> : children;
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
