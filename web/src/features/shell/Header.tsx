/**
 * The phone's header: logo, name and the menu button. From a tablet on the navigation at the side takes its
 * place.
 */
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import { Menu } from 'lucide-react';
import { Link } from 'react-router-dom';
import { UnreadDot, useUnread } from '../live/UnreadDot.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { Logo } from '../../shared/ui/Logo.js';
import { DESKTOP, NARROW, touchRoom } from '../../shared/ui/theme.js';
import { loadMenu, useMenu } from './menu.js';

const Bar = styled('header')({
  position: 'relative',
  zIndex: 1,
  height: 56,
  padding: '0 8px 0 20px',
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  '& a': { color: 'inherit', textDecoration: 'none', borderRadius: 6, ...touchRoom(10) },
  [NARROW]: { paddingLeft: 16 },
});
const PhoneOnly = styled('div')({ [DESKTOP]: { display: 'none' } });

/** Inside a page's full-bleed stage if it has one, else above the page. */
export function Header() {
  const { isOpen, open } = useMenu();
  const hasUnread = useUnread();
  return (
    <PhoneOnly>
      <Bar>
        <Link to={PATHS.home} aria-label="Encore, home">
          <Logo />
        </Link>
        <IconButton
          aria-label={hasUnread ? 'Menu, new notifications' : 'Menu'}
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          onClick={open}
          onPointerEnter={() => void loadMenu().catch(() => undefined)}
        >
          <UnreadDot>
            <Menu size={22} strokeWidth={1.75} aria-hidden="true" />
          </UnreadDot>
        </IconButton>
      </Bar>
    </PhoneOnly>
  );
}
