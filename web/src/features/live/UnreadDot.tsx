/** A dot on an icon while there are unread notifications. */
import { styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { useSelector } from 'react-redux';
import { notifications } from './notifications.js';

const Place = styled('span')(({ theme }) => ({
  position: 'relative',
  display: 'inline-flex',
  '& > i': {
    position: 'absolute',
    top: -3,
    right: -3,
    width: 9,
    height: 9,
    borderRadius: '50%',
    backgroundColor: theme.vars.palette.primary.main,
    border: `1.5px solid ${theme.vars.palette.background.default}`,
  },
  '.on-stage & > i': {
    backgroundColor: theme.vars.palette.tungsten.main,
    borderColor: theme.vars.palette.stage.main,
  },
}));

export const useUnread = (): boolean => useSelector(notifications.selectors.hasUnread);

export function UnreadDot({ children }: { readonly children: ReactNode }) {
  const hasUnread = useUnread();
  return (
    <Place>
      {children}
      {hasUnread && <i />}
    </Place>
  );
}
