/**
 * What surrounds every route: toasts, live updates, scroll position, and the focus when another page opens.
 */
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore, type ComponentType } from 'react';
import { useLocation, useRoutes } from 'react-router-dom';
import { useSession } from '../features/account/current-user.js';
import { confirmations, hasParkedCall } from '../shared/api/confirmations.js';
import { useStaleness, type Staleness } from '../shared/api/staleness.js';
import { useEndOfLogin } from '../shared/navigation/leaving.js';
import { onDemand } from '../shared/ui/on-demand.js';
import { Toasts } from '../shared/ui/Toasts.js';
import { routes } from './routes.js';
import { ScrollRestoration } from './ScrollRestoration.js';

const pageHeading = (): HTMLElement | null =>
  document.querySelector<HTMLElement>('main h1[tabindex="-1"]') ??
  document.querySelector<HTMLElement>('main');

/**
 * When another page opens, the focus moves to its heading, for screen readers and the keyboard. The first
 * page keeps the browser's focus.
 */
function useFocusOnNewPage(): void {
  const { pathname } = useLocation();
  const last = useRef(pathname);
  useEffect(() => {
    if (last.current === pathname) return;
    last.current = pathname;
    pageHeading()?.focus({ preventScroll: true });
  }, [pathname]);
}

const headingOf = (section: Element | null): HTMLElement | null =>
  section?.isConnected ? section.querySelector<HTMLElement>('h2') : null;

/**
 * The focused element may be removed: a deleted row, a finished button. The focus then moves to the heading
 * above it instead of the start of the page. A dialog stands outside the page: where it goes together with
 * the row that opened it, the focus moves to the heading above that row.
 */
function useLastingFocus(): void {
  useEffect(() => {
    let last: { readonly element: Element; readonly section: Element | null } | undefined;
    let lastOnPage: Element | null = null;
    const focused = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return;
      last = { element: target, section: target.closest('section') };
      if (target.closest('main')) lastOnPage = last.section;
    };
    const goOn = () => {
      if (last === undefined || last.element.isConnected || document.activeElement !== document.body) return;
      const heading = headingOf(last.section) ?? headingOf(lastOnPage) ?? pageHeading();
      last = undefined;
      heading?.setAttribute('tabindex', '-1');
      heading?.focus({ preventScroll: true });
    };
    // A dialog that closes returns the focus by itself, before the next frame.
    const removed = new MutationObserver(() => {
      if (last !== undefined && !last.element.isConnected) requestAnimationFrame(goOn);
    });
    document.addEventListener('focusin', focused);
    removed.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', focused);
      removed.disconnect();
    };
  }, []);
}

/** Loaded for signed-in people only. Without it, lists are correct when they are next read. */
const Live = lazy<ComponentType>(() =>
  import('../features/live/Live.js').catch(() => ({ default: () => null })),
);

/** Loaded when the server says that it is needed. */
const StaleNotice = lazy<ComponentType<{ staleness: Staleness }>>(() =>
  import('../features/live/StaleNotice.js').catch(() => ({ default: () => null })),
);

/** Loaded when the server wants something confirmed, or has sent the browser to sign in for that. */
const StepUp = onDemand(() => import('../features/step-up/StepUp.js'));

function Confirmations() {
  const waiting = useSyncExternalStore(confirmations.subscribe, confirmations.first);
  const [isParked, setParked] = useState(hasParkedCall);
  // Whose session has ended confirms nothing.
  useEffect(() => () => confirmations.cancelAll(), []);
  const endResumed = () => setParked(false);
  const giveUp = () => {
    endResumed();
    confirmations.cancelAll();
  };
  return <StepUp open={isParked || waiting !== undefined} onClose={giveUp} onResumed={endResumed} />;
}

export function Root() {
  const { status } = useSession();
  const staleness = useStaleness();
  useFocusOnNewPage();
  useLastingFocus();
  useEndOfLogin();
  const page = useRoutes(routes);
  return (
    <>
      {/* The region stays mounted, so that screen readers announce its text; it is no box that a strip could stick to. */}
      <div role="status" style={{ display: 'contents' }}>
        {staleness !== 'fresh' && (
          <Suspense fallback={null}>
            <StaleNotice staleness={staleness} />
          </Suspense>
        )}
      </div>
      {page}
      <Toasts />
      {status === 'signed-in' && <Confirmations />}
      {status === 'signed-in' && (
        <Suspense fallback={null}>
          <Live />
        </Suspense>
      )}
      <ScrollRestoration />
    </>
  );
}
