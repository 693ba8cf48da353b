/**
 * What is shown instead of a page that could not be loaded or drawn: the problem, and a button to try again.
 */
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { Component, useEffect, type ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { useSession } from '../features/account/current-user.js';
import { Page } from '../features/shell/Page.js';
import { useToast } from '../shared/ui/toasts.js';
import { ErrorState } from '../shared/ui/EmptyState.js';
import { Stack } from '../shared/ui/Layout.js';
import { PageTitle } from '../shared/ui/PageTitle.js';

const SENTENCE = 'This page could not be opened. Check your connection and try again.';
const Middle = styled('div')({ maxWidth: 440, margin: '0 auto', padding: '72px 20px' });

/** Reloads the whole page: a missing file may have been replaced by a newer version of the app. */
const reload = (): void => window.location.reload();

function Instead({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    <Middle>
      <PageTitle title={title} />
      <Stack gap={16}>
        <Typography variant="h1" tabIndex={-1}>
          {title}
        </Typography>
        <ErrorState onRetry={reload}>{children}</ErrorState>
      </Stack>
    </Middle>
  );
}

const TITLE = 'Navigation Error';

function PageError() {
  const toast = useToast();
  const { status } = useSession();
  useEffect(() => toast.error(TITLE, SENTENCE), [toast]);
  // Inside the shell, so that the navigation still works.
  if (status === 'signed-in')
    return (
      <Page title={TITLE} width="single">
        <ErrorState onRetry={reload}>{SENTENCE}</ErrorState>
      </Page>
    );
  return <Instead title={TITLE}>{SENTENCE}</Instead>;
}

/**
 * Shown while the server cannot be reached, when it is unknown who is signed in. Reloads when the browser is
 * online again.
 */
export function Unreachable() {
  useEffect(() => {
    window.addEventListener('online', reload);
    return () => window.removeEventListener('online', reload);
  }, []);
  return (
    <main>
      <Instead title="You Are Offline">
        Encore cannot be reached. Nothing is lost: check your connection and try again.
      </Instead>
    </main>
  );
}

interface BoundaryProps {
  readonly path: string;
  readonly children: ReactNode;
}
interface BoundaryState {
  readonly isBroken: boolean;
  readonly path: string;
}

class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { isBroken: false, path: this.props.path };
  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { isBroken: true };
  }
  /** Opening another page clears the error. */
  static getDerivedStateFromProps({ path }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return path === state.path ? null : { isBroken: false, path };
  }
  override render(): ReactNode {
    return this.state.isBroken ? <PageError /> : this.props.children;
  }
}

/** Catches an error that a page throws, until another page is opened. */
export function PageErrorBoundary({ children }: { readonly children: ReactNode }) {
  const { pathname } = useLocation();
  return <Boundary path={pathname}>{children}</Boundary>;
}
