/** A status: tint, word and icon, never colour alone. */
import Chip from '@mui/material/Chip';
import { styled } from '@mui/material/styles';
import { BadgeCheck, Ban, Check, Clock, Loader, Minus, Pause, X, type LucideIcon } from 'lucide-react';
import { capitalised } from '../wording/people.js';

type Tone = 'success' | 'info' | 'error' | 'warning' | 'quiet' | 'primary';

const Tinted = styled(Chip)(({ theme }) => ({
  '&[data-tone="success"]': {
    backgroundColor: theme.vars.palette.tint.success,
    color: theme.vars.palette.success.main,
  },
  '&[data-tone="info"]': {
    backgroundColor: theme.vars.palette.tint.info,
    color: theme.vars.palette.info.main,
  },
  '&[data-tone="error"]': {
    backgroundColor: theme.vars.palette.tint.error,
    color: theme.vars.palette.error.main,
  },
  '&[data-tone="warning"]': {
    backgroundColor: theme.vars.palette.tint.warning,
    color: theme.vars.palette.warning.main,
  },
  '&[data-tone="quiet"]': {
    backgroundColor: theme.vars.palette.sunken,
    color: theme.vars.palette.text.secondary,
  },
  '&[data-tone="primary"]': {
    backgroundColor: theme.vars.palette.tint.primary,
    color: theme.vars.palette.primary.main,
  },
}));

const STATUSES: Readonly<Record<string, { readonly tone: Tone; readonly icon: LucideIcon }>> = {
  completed: { tone: 'success', icon: Check },
  active: { tone: 'success', icon: Check },
  processing: { tone: 'info', icon: Loader },
  failed: { tone: 'error', icon: X },
  payment_failed: { tone: 'error', icon: X },
  dispute_lost: { tone: 'error', icon: X },
  paused: { tone: 'quiet', icon: Pause },
  cancelled: { tone: 'quiet', icon: Ban },
  inactive: { tone: 'quiet', icon: Minus },
  refunded: { tone: 'quiet', icon: Check },
  partially_refunded: { tone: 'quiet', icon: Check },
};
const PENDING = { tone: 'warning', icon: Clock } as const;
const INACTIVE = { tone: 'quiet', icon: Minus } as const;

interface StatusChipProps {
  readonly status: string;
  /** Which statuses such a thing has, where those of other things are unknown ones here. */
  readonly among?: readonly string[];
  /** Unknown statuses are drawn as open or as inactive. */
  readonly unknownAs?: 'pending' | 'inactive';
}

/** Capitalizes a status of the API. */
export function StatusChip({ status, among, unknownAs = 'pending' }: StatusChipProps) {
  const isKnown = Object.hasOwn(STATUSES, status) && (among === undefined || among.includes(status));
  const known = isKnown ? STATUSES[status] : undefined;
  const { tone, icon: Icon } =
    known ?? (status === 'pending' || unknownAs === 'pending' ? PENDING : INACTIVE);
  return (
    <Tinted
      data-tone={tone}
      icon={<Icon size={14} strokeWidth={2.4} aria-hidden="true" />}
      label={capitalised(status)}
    />
  );
}

/** A label that is not a status: `Primary`, `Verified`, `This phone`. */
export function Badge({
  label,
  tone,
}: {
  readonly label: string;
  readonly tone: 'primary' | 'verified' | 'here' | 'quiet';
}) {
  const Icon = tone === 'verified' ? BadgeCheck : tone === 'here' ? Check : undefined;
  const icon = Icon && <Icon size={14} strokeWidth={2.2} aria-hidden="true" />;
  return <Tinted data-tone={Icon ? 'success' : tone} icon={icon} label={label} />;
}
