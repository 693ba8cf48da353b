/**
 * The shell of every signed-in screen: a tab bar on a phone, a rail of icons on a tablet, and from 1280 px on
 * a side navigation.
 */
import GlobalStyles from '@mui/material/GlobalStyles';
import { keyframes, styled } from '@mui/material/styles';
import { useMemo, useState, type CSSProperties, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { useSession } from '../account/current-user.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { Bell } from '../live/Bell.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { Avatar } from '../../shared/ui/Avatar.js';
import { Logo } from '../../shared/ui/Logo.js';
import {
  CONTENT,
  DESKTOP,
  EASE,
  FORCED,
  FORCED_CHOICE,
  MS,
  PHONE,
  STILL,
  WIDE,
} from '../../shared/ui/theme.js';
import { fullName } from '../../shared/wording/people.js';
import { loadMenu, MenuProvider } from './menu.js';
import { activePlace, isStraight, MENU, TABS, type Place } from './places.js';

const TAB_BAR = 'calc(64px + env(safe-area-inset-bottom))';
// Toasts float above the tab bar where there is one, and what the keyboard comes to is scrolled clear of it.
const ABOVE_TAB_BAR = {
  ':root': { '--tab-bar': '64px', [PHONE]: { scrollPaddingBottom: `calc(${TAB_BAR} + 8px)` } },
};
const appear = keyframes({ from: { opacity: 0 } });

const Frame = styled('div')({
  minHeight: '100dvh',
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  [DESKTOP]: { gridTemplateColumns: '88px minmax(0, 1fr)' },
  [WIDE]: { gridTemplateColumns: '248px minmax(0, 1fr)' },
});

const Main = styled('main')({
  minWidth: 0,
  // What is inside is laid out by the width that it has, whatever navigation stands beside it.
  container: `${CONTENT} / inline-size`,
  paddingBottom: TAB_BAR,
  '&[data-straight="true"]': { paddingBottom: 'env(safe-area-inset-bottom)' },
  [DESKTOP]: { paddingBottom: '0 !important' },
});

const Skip = styled('a')(({ theme }) => ({
  position: 'fixed',
  top: 8,
  left: 8,
  zIndex: theme.zIndex.tooltip,
  padding: '12px 16px',
  borderRadius: 10,
  backgroundColor: theme.vars.palette.background.paper,
  color: theme.vars.palette.primary.main,
  fontWeight: 600,
  '&:not(:focus)': { transform: 'translateY(-200%)' },
  // On paper it would stand at the foot of each sheet.
  '@media print': { display: 'none' },
}));

const Tabs = styled('nav')(({ theme }) => ({
  position: 'fixed',
  zIndex: theme.zIndex.appBar,
  left: 0,
  right: 0,
  bottom: 0,
  height: TAB_BAR,
  padding: '0 env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left)',
  boxSizing: 'border-box',
  display: 'grid',
  gridTemplateColumns: 'repeat(5, minmax(0, 1fr))',
  backgroundColor: theme.vars.palette.background.paper,
  borderTop: `1px solid ${theme.vars.palette.divider}`,
  [DESKTOP]: { display: 'none' },
  '& a': {
    position: 'relative',
    zIndex: 1,
    display: 'grid',
    justifyItems: 'center',
    alignContent: 'center',
    gap: 3,
    fontSize: 11.5,
    lineHeight: '14px',
    fontWeight: 560,
    textDecoration: 'none',
    color: theme.vars.palette.text.secondary,
    '&[data-active="true"]': { color: theme.vars.palette.text.primary, fontWeight: 680 },
    '&:focus-visible': { outlineOffset: -4 },
  },
}));

/** The lamp above the active tab; it slides when the tab changes. */
const Lamp = styled('span')(({ theme }) => ({
  position: 'absolute',
  top: -1,
  left: 0,
  bottom: 0,
  width: '20%',
  pointerEvents: 'none',
  transform: 'translateX(calc(var(--tab) * 100%))',
  transition: `transform ${MS.panel}ms ${EASE}`,
  '&::before': {
    content: '""',
    position: 'absolute',
    top: 0,
    left: 'calc(50% - 13px)',
    width: 26,
    height: 4,
    borderRadius: '0 0 3px 3px',
    backgroundColor: theme.vars.palette.tungsten.main,
    [FORCED]: FORCED_CHOICE,
  },
  '& i': {
    position: 'absolute',
    inset: '4px 4px 0',
    clipPath: 'polygon(calc(50% - 13px) 0, calc(50% + 13px) 0, 100% 100%, 0 100%)',
    backgroundColor: theme.vars.palette.tungsten.main,
    opacity: theme.vars.palette.beamOpacity,
    [FORCED]: { display: 'none' },
    animation: `${appear} ${MS.panel}ms ${EASE}`,
    [STILL]: { animationDuration: `${MS.hover}ms` },
  },
}));

/** The rail; in a wide window the navigation with words, and with whose it is. */
const Side = styled('aside')(({ theme }) => ({
  display: 'none',
  [DESKTOP]: {
    position: 'sticky',
    top: 'var(--notice, 0px)',
    height: 'calc(100dvh - var(--notice, 0px))',
    boxSizing: 'border-box',
    display: 'flex',
    flexDirection: 'column',
    padding: '20px 0 16px',
    overflowY: 'auto',
    scrollbarWidth: 'none',
    backgroundColor: theme.vars.palette.background.paper,
    borderRight: `1px solid ${theme.vars.palette.divider}`,
  },
  [WIDE]: { padding: '24px 0 20px', scrollbarWidth: 'auto' },
  '& > a': {
    margin: '0 auto 14px',
    color: 'inherit',
    textDecoration: 'none',
    borderRadius: 6,
    '& .word': { display: 'none' },
    [WIDE]: { margin: '0 24px 28px', alignSelf: 'start', '& .word': { display: 'inline' } },
  },
  '& nav': { display: 'grid', gap: 2 },
  '& nav a': {
    position: 'relative',
    zIndex: 0,
    display: 'grid',
    justifyItems: 'center',
    alignContent: 'center',
    gap: 4,
    minHeight: 56,
    fontSize: 11.5,
    lineHeight: '14px',
    fontWeight: 560,
    whiteSpace: 'nowrap',
    textDecoration: 'none',
    color: theme.vars.palette.text.secondary,
    '&:hover': { color: theme.vars.palette.text.primary },
    '&:focus-visible': { outlineOffset: -4, borderRadius: 8 },
    '&[data-active="true"]': { color: theme.vars.palette.text.primary, fontWeight: 680 },
    // The lamp at the left edge, and its beam.
    '&[data-active="true"]::before': {
      content: '""',
      position: 'absolute',
      left: 0,
      top: 14,
      bottom: 14,
      width: 4,
      borderRadius: '0 3px 3px 0',
      backgroundColor: theme.vars.palette.tungsten.main,
      [FORCED]: FORCED_CHOICE,
    },
    '&[data-active="true"]::after': {
      content: '""',
      position: 'absolute',
      zIndex: -1,
      inset: '0 6px 0 4px',
      clipPath: 'polygon(0 14px, 100% 0, 100% 100%, 0 calc(100% - 14px))',
      backgroundColor: theme.vars.palette.tungsten.main,
      opacity: theme.vars.palette.beamOpacity,
      [FORCED]: { display: 'none' },
      animation: `${appear} ${MS.panel}ms ${EASE}`,
      [STILL]: { animationDuration: `${MS.hover}ms` },
    },
    [WIDE]: {
      display: 'flex',
      alignItems: 'center',
      gap: 12,
      minHeight: 44,
      padding: '0 24px',
      fontSize: 15,
      lineHeight: '22px',
      '&[data-active="true"]::before': { top: 9, bottom: 9 },
      '&[data-active="true"]::after': {
        inset: '0 16px 0 4px',
        clipPath: 'polygon(0 9px, 100% 0, 100% 100%, 0 calc(100% - 9px))',
      },
    },
  },
  '& hr': {
    width: 'calc(100% - 40px)',
    margin: '8px 20px',
    border: 0,
    borderTop: `1px solid ${theme.vars.palette.divider}`,
    [WIDE]: { width: 'calc(100% - 48px)', margin: '14px 24px' },
  },
  '& .who': {
    marginTop: 'auto',
    paddingTop: 12,
    display: 'flex',
    flexDirection: 'column-reverse',
    alignItems: 'center',
    gap: 8,
    minWidth: 0,
    '& > div': { display: 'none', flex: 1, minWidth: 0 },
    [WIDE]: {
      flexDirection: 'row',
      gap: 12,
      padding: '16px 24px 0',
      borderTop: `1px solid ${theme.vars.palette.divider}`,
      '& > div': { display: 'block' },
      '& > button': { margin: '-4px -12px -4px 0' },
    },
    '& strong, & span.username': {
      display: 'block',
      overflow: 'hidden',
      textOverflow: 'ellipsis',
      whiteSpace: 'nowrap',
    },
    '& strong': { fontWeight: 640 },
    '& span.username': { fontSize: 13, lineHeight: '18px', color: theme.vars.palette.text.secondary },
  },
}));

function PlaceLink({
  place,
  isActive,
  path,
  size,
}: {
  place: Place;
  isActive: boolean;
  path: string;
  size: number;
}) {
  const { icon: Icon, label } = place;
  return (
    <Link to={place.path} data-active={isActive} aria-current={path === place.path ? 'page' : undefined}>
      <Icon size={size} strokeWidth={isActive ? 2.1 : 1.75} aria-hidden="true" />
      <span>{label}</span>
    </Link>
  );
}

const tabStyle = (index: number): CSSProperties & Record<'--tab', number> => ({ '--tab': index });
const PLACES = [...TABS, ...MENU];
const MenuSheet = onDemand(loadMenu);

interface ShellProps {
  /** The phone's menu is opened. */
  readonly onMenu: () => unknown;
  readonly children: ReactNode;
}

export function Shell({ onMenu, children }: ShellProps) {
  const { pathname } = useLocation();
  const session = useSession();
  const [menu, setMenu] = useState<'unused' | 'open' | 'closed'>('unused');
  const menuContext = useMemo(() => {
    const open = (): void => {
      setMenu('open');
      onMenu();
    };
    return { isOpen: menu === 'open', open };
  }, [menu, onMenu]);
  const tab = activePlace(pathname, TABS);
  const place = activePlace(pathname, PLACES);
  const straight = isStraight(pathname);
  const user = session.status === 'signed-in' ? session.user : undefined;
  return (
    <MenuProvider value={menuContext}>
      <Skip href="#content">Skip to the content</Skip>
      <Frame>
        <Side>
          <Link to={PATHS.home} aria-label="Encore, home">
            <Logo size={21} />
          </Link>
          <nav aria-label="Main">
            {TABS.map((each, index) => (
              <PlaceLink key={each.path} place={each} path={pathname} isActive={index === place} size={20} />
            ))}
            <hr />
            {MENU.map((each, index) => (
              <PlaceLink
                key={each.path}
                place={each}
                path={pathname}
                isActive={index + TABS.length === place}
                size={20}
              />
            ))}
          </nav>
          {user && (
            <div className="who">
              <Avatar name={fullName(user)} picture={user.profileImageUrl} />
              <div>
                <strong>{fullName(user)}</strong>
                <span className="username">@{user.username}</span>
              </div>
              <Bell />
            </div>
          )}
        </Side>
        <Main id="content" tabIndex={-1} data-straight={straight}>
          {children}
        </Main>
      </Frame>
      {!straight && (
        <>
          <GlobalStyles styles={ABOVE_TAB_BAR} />
          <Tabs aria-label="Tabs">
            <Lamp aria-hidden="true" style={tabStyle(tab)}>
              <i key={tab} />
            </Lamp>
            {TABS.map((each, index) => (
              <PlaceLink key={each.path} place={each} path={pathname} isActive={index === tab} size={22} />
            ))}
          </Tabs>
        </>
      )}
      {menu !== 'unused' && <MenuSheet open={menu === 'open'} onClose={() => setMenu('closed')} />}
    </MenuProvider>
  );
}
