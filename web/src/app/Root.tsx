/** Around every route: toasts, what is told while the app is open, where the page is scrolled to, and where the focus goes when another page opens. */
import { lazy, Suspense, useEffect, useRef, type ComponentType } from 'react';
import { useLocation, useRoutes } from 'react-router-dom';
import { useSession } from '../account/current-user.js';
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

/** Only for people who are signed in, so no visitor loads it. Where it cannot be had, lists are right when they are next read. */
const Live = lazy<ComponentType>(() => import('../live/Live.js').catch(() => ({ default: () => null })));

export function Root() {
  const { status } = useSession();
  useFocusOnNewPage();
  const page = useRoutes(routes);
  return (
    <>
      {page}
      <Toasts />
      {status === 'signed-in' && (
        <Suspense fallback={null}>
          <Live />
        </Suspense>
      )}
      <ScrollPlace />
    </>
  );
}
