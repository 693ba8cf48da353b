/** Around every route: toasts, what is told while the app is open, where the page is scrolled to, and where the focus goes when another page opens. */
import { useEffect, useRef } from 'react';
import { useLocation, useRoutes } from 'react-router-dom';
import { Live } from '../live/Live.js';
import { Toasts } from '../toasts/Toasts.js';
import { routes } from './routes.js';
import { ScrollPlace } from './ScrollPlace.js';

/** Another page begins at its heading, for whoever listens or uses the keyboard; the first one as the browser has it. */
function useFocusOnNewPage(): void {
  const { pathname } = useLocation();
  const last = useRef(pathname);
  useEffect(() => {
    if (last.current === pathname) return;
    last.current = pathname;
    const heading = document.querySelector<HTMLElement>('main h1[tabindex="-1"]') ?? document.querySelector<HTMLElement>('main');
    heading?.focus({ preventScroll: true });
  }, [pathname]);
}

export function Root() {
  useFocusOnNewPage();
  const page = useRoutes(routes);
  return (
    <>
      {page}
      <Toasts />
      <Live />
      <ScrollPlace />
    </>
  );
}
