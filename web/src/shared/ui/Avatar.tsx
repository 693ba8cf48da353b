/** A person's picture, or else two letters of the name. */
import { styled } from '@mui/material/styles';
import { initials } from '../wording/people.js';

const Round = styled('span')(({ theme }) => ({
  flex: 'none',
  borderRadius: '50%',
  display: 'grid',
  placeItems: 'center',
  overflow: 'hidden',
  fontWeight: 650,
  fontStretch: '104%',
  backgroundColor: theme.vars.palette.tint.primary,
  color: theme.vars.palette.primary.main,
  '& img': { width: '100%', height: '100%', objectFit: 'cover' },
  '&[data-ground="surface"]': { backgroundColor: theme.vars.palette.background.paper },
}));

interface AvatarProps {
  readonly name: string;
  readonly picture?: string | null;
  readonly size?: number;
  /** On a tinted ground. */
  readonly ground?: 'tint' | 'surface';
}

export function Avatar({ name, picture, size = 40, ground = 'tint' }: AvatarProps) {
  return (
    <Round
      aria-hidden="true"
      data-ground={ground}
      style={{ width: size, height: size, fontSize: Math.round(size * 0.35) }}
    >
      {picture ? <img src={picture} alt="" referrerPolicy="no-referrer" /> : initials(name)}
    </Round>
  );
}
