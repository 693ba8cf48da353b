/**
 * Around the pages of signed-in people: the shell, and what stands in it until a page is there. In a chunk of
 * its own, since visitors of the landing page need nothing of it.
 */
import Skeleton from '@mui/material/Skeleton';
import { styled } from '@mui/material/styles';
import { Suspense, useCallback, useEffect } from 'react';
import { useStore } from 'react-redux';
import { Outlet } from 'react-router-dom';
import { Header } from '../features/shell/Header.js';
import { FROM_THE_EDGE, Page } from '../features/shell/Page.js';
import { MENU } from '../features/shell/places.js';
import { Shell } from '../features/shell/Shell.js';
import { EmptyState, ErrorState } from '../shared/ui/EmptyState.js';
import { RowSkeletons } from '../shared/ui/Rows.js';
import { DESKTOP, WIDE } from '../shared/ui/theme.js';
import { PageErrorBoundary, type ErrorPageProps } from './PageErrorBoundary.js';
import type { Dispatch } from './screen.js';

const Waiting = styled('div')({
  boxSizing: 'border-box',
  maxWidth: 480,
  margin: '0 auto',
  padding: '16px 20px',
  display: 'grid',
  gap: 20,
  [DESKTOP]: { maxWidth: 1192, margin: 0, marginLeft: FROM_THE_EDGE, padding: '40px 24px' },
  [WIDE]: { padding: '40px 48px' },
});

/** Skeleton of a page that is loading. */
function PageSkeleton() {
  return (
    <>
      <Header />
      <Waiting>
        <Skeleton width="45%" height={24} />
        <RowSkeletons count={4} />
      </Waiting>
    </>
  );
}

function SignedOutQr() {
  return (
    <Page title="My QR Code">
      <EmptyState title="Please log in to view your QR code" />
    </Page>
  );
}

/** Inside the shell, so that the navigation still works. */
function ErrorPage({ title, sentence, onRetry }: ErrorPageProps) {
  return (
    <Page title={title} width="single">
      <ErrorState onRetry={onRetry}>{sentence}</ErrorState>
    </Page>
  );
}

/** Loads a page that is likely to be opened next; with `dispatch`, also what it shows first. */
type LoadAhead = (path: string, dispatch?: Dispatch) => Promise<void>;

/**
 * A link that is pointed at or touched is mostly followed: its page is loaded before the finger is lifted.
 */
function usePagesAhead(loadAhead: LoadAhead): void {
  const { dispatch } = useStore();
  useEffect(() => {
    let last: string | undefined;
    const onPointer = ({ target }: PointerEvent): void => {
      const link = target instanceof Element && target.closest<HTMLAnchorElement>('a[href^="/"]');
      // Of a list that is scrolled, one link after the other comes under the pointer.
      if (!link || link.pathname === last || link.pathname === window.location.pathname) return;
      last = link.pathname;
      void loadAhead(last, dispatch);
    };
    document.addEventListener('pointerover', onPointer, { passive: true });
    return () => document.removeEventListener('pointerover', onPointer);
  }, [loadAhead, dispatch]);
}

export interface FrameProps {
  /** The page of the address; its skeleton while the session is unknown; or why there is no code to show. */
  readonly shows: 'page' | 'skeleton' | 'signed-out-qr';
  readonly loadAhead: LoadAhead;
}

export default function Frame({ shows, loadAhead }: FrameProps) {
  usePagesAhead(loadAhead);
  const onMenu = useCallback(async (): Promise<void> => {
    // One after the other: a page that is chosen meanwhile waits for one of them at most.
    for (const { path } of MENU) await loadAhead(path);
  }, [loadAhead]);
  return (
    <Shell onMenu={onMenu}>
      {shows === 'skeleton' && <PageSkeleton />}
      {shows === 'signed-out-qr' && <SignedOutQr />}
      {shows === 'page' && (
        <PageErrorBoundary Instead={ErrorPage}>
          <Suspense fallback={<PageSkeleton />}>
            <Outlet />
          </Suspense>
        </PageErrorBoundary>
      )}
    </Shell>
  );
}
