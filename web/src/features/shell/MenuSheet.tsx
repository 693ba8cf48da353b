/** The phone's menu: the places that are not tabs, and sign-out. */
import Drawer from '@mui/material/Drawer';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { LogOut } from 'lucide-react';
import { NavLink } from 'react-router-dom';
import { loggingOut } from '../account/other-tabs.js';
import { Notifications } from '../live/Notifications.js';
import { useMessagesSummaryQuery } from '../live/messages.js';
import { LOGOUT_PATH, PATHS } from '../../shared/navigation/paths.js';
import { MENU } from './places.js';

const Sheet = styled('nav')(({ theme }) => ({
  padding: '16px 12px calc(16px + env(safe-area-inset-bottom))',
  display: 'grid',
  gap: 2,
  '& h2': { padding: '0 12px 8px' },
  '& hr + h2': { paddingTop: 8 },
  '& .notifications': { padding: '0 12px' },
  '& a': {
    display: 'flex',
    alignItems: 'center',
    gap: 14,
    minHeight: 52,
    padding: '0 12px',
    borderRadius: 12,
    fontWeight: 560,
    color: theme.vars.palette.text.primary,
    textDecoration: 'none',
    '& svg': { color: theme.vars.palette.text.secondary },
    '&:hover, &[aria-current="page"]': { backgroundColor: theme.vars.palette.sunken },
    '&:focus-visible': { outlineOffset: -3 },
  },
  '& .new': {
    marginLeft: 'auto',
    fontSize: 13,
    lineHeight: '18px',
    color: theme.vars.palette.text.secondary,
  },
  '& hr': { width: '100%', margin: '8px 0', border: 0, borderTop: `1px solid ${theme.vars.palette.divider}` },
}));

export default function MenuSheet({
  open,
  onClose,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const { data: messages } = useMessagesSummaryQuery(undefined, {
    skip: !open,
    refetchOnMountOrArgChange: true,
  });
  return (
    <Drawer
      anchor="bottom"
      open={open}
      onClose={onClose}
      slotProps={{ paper: { role: 'dialog', 'aria-modal': true, 'aria-label': 'Menu' } }}
    >
      <Sheet aria-label="More">
        <Typography variant="h2">Menu</Typography>
        {MENU.map(({ path, label, icon: Icon }) => (
          <NavLink key={path} to={path} onClick={onClose}>
            <Icon size={21} strokeWidth={1.75} aria-hidden="true" />
            {label}
            {path === PATHS.messages && messages && messages.unread > 0 && (
              <span className="new"> {messages.unread} new</span>
            )}
          </NavLink>
        ))}
        <hr />
        <Typography variant="h2">Notifications</Typography>
        <div className="notifications">
          <Notifications />
        </div>
        <hr />
        <a href={LOGOUT_PATH} onClick={loggingOut}>
          <LogOut size={21} strokeWidth={1.75} aria-hidden="true" />
          Log Out
        </a>
      </Sheet>
    </Drawer>
  );
}
