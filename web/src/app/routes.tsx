/** The route table: which page each path shows, and to whom. */
import { styled } from '@mui/material/styles';
import { lazy, Suspense, useEffect } from 'react';
import { Navigate, useLocation, type RouteObject } from 'react-router-dom';
import { forgetUser, rememberSession, wasSignedIn } from '../features/account/browser-memory.js';
import { useHasLoggedOut, useSession } from '../features/account/current-user.js';
import { SignedIn, type Farewell } from '../features/account/SignedIn.js';
import { hasAnswered } from '../shared/api/call.js';
import { REDIRECT_MS, unlessLeaving } from '../shared/navigation/leaving.js';
import { PATHS } from '../shared/navigation/paths.js';
import { Unreachable, PageErrorBoundary } from './PageErrorBoundary.js';
import type { FrameProps } from './Frame.js';
import { LANDING, loadAhead, loadFrame, NOT_FOUND, PAGES } from './pages.js';

const Frame = lazy(() => loadFrame().catch(unlessLeaving));

/** The page of the address in its shell, or what stands there instead. */
const framed = (shows: FrameProps['shows']) => (
  <PageErrorBoundary>
    <Suspense fallback={null}>
      <Frame shows={shows} loadAhead={loadAhead} />
    </Suspense>
  </PageErrorBoundary>
);

/**
 * A browser that was signed in at the last visit will most likely show home next. The landing page stays
 * hidden for 400 ms, so that it does not flash up.
 */
const Patient = styled('div')({
  '&[data-patient="true"]': { animation: 'encore-wait 0s 400ms both' },
  '@keyframes encore-wait': { from: { visibility: 'hidden' } },
});

function Entrance() {
  const { status } = useSession();
  return (
    <Patient data-patient={status === 'loading' && wasSignedIn()}>
      <PageErrorBoundary>
        <Suspense fallback={null}>
          <LANDING.Page />
        </Suspense>
      </PageErrorBoundary>
    </Patient>
  );
}

const LOGIN_REQUIRED: Farewell = {
  title: 'Login Required',
  description: 'Please log in to tip someone',
  delayMs: REDIRECT_MS.loginOnTip,
};
/** Of a session that ended before the payment was opened: the same, whichever call hears of it first. */
const TIP_NOT_OPENED: Farewell = {
  title: 'Tip Error',
  description: 'Please log in again to tip this person.',
  delayMs: REDIRECT_MS.unauthorizedPayment,
};
const PAYMENT_NOT_OPENED: Farewell = {
  title: 'Payment Error',
  description: 'Please log in again to make a payment.',
  delayMs: REDIRECT_MS.unauthorizedPayment,
};

/** Around every known path: the shell for signed-in people; "/" is the landing page for everybody else. */
function Known() {
  const { pathname } = useLocation();
  const session = useSession();
  const { status } = session;
  const hasLoggedOut = useHasLoggedOut();
  const userId = session.status === 'signed-in' ? session.user.id : undefined;
  useEffect(() => {
    rememberSession(session);
    // Whoever is sent to sign in comes back to where they were; on the landing page nobody does.
    if (status === 'signed-out' && pathname === PATHS.home) forgetUser();
    // Of the session, only who it is matters here.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [status, userId, pathname]);
  if (hasLoggedOut && pathname !== PATHS.home) return <Navigate to={PATHS.home} replace />;
  // Whoever never signed in here misses nothing: what an answer without a user means to them is the entrance.
  if (
    session.status === 'unreachable' &&
    !(pathname === PATHS.home && hasAnswered(session.error) && !wasSignedIn())
  )
    return <Unreachable error={session.error} />;
  if (pathname === PATHS.home && status !== 'signed-in') return <Entrance />;
  const isTip = pathname.startsWith('/tip/');
  return (
    <SignedIn
      waiting={framed('skeleton')}
      away={framed(pathname === PATHS.myQr ? 'signed-out-qr' : 'skeleton')}
      farewell={isTip ? LOGIN_REQUIRED : undefined}
      atEnd={isTip ? TIP_NOT_OPENED : pathname === PATHS.checkout ? PAYMENT_NOT_OPENED : undefined}
    >
      {framed('page')}
    </SignedIn>
  );
}

function NotFound() {
  return (
    <PageErrorBoundary>
      <Suspense fallback={null}>
        <NOT_FOUND.Page />
      </Suspense>
    </PageErrorBoundary>
  );
}

export const routes: RouteObject[] = [
  {
    element: <Known />,
    children: Object.entries(PAGES).map(([path, { Page }]) => ({ path, element: <Page /> })),
  },
  { path: '*', element: <NotFound /> },
];
