/**
 * What is shown instead of a page that could not be loaded or drawn: the problem, and a button to try again.
 */
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { Component, useEffect, type ComponentType, type ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { readAtHand } from '../features/account/at-hand.js';
import { hasAnswered } from '../shared/api/call.js';
import { browser } from '../shared/navigation/leaving.js';
import { useToast } from '../shared/ui/toasts.js';
import { ErrorState } from '../shared/ui/EmptyState.js';
import { Stack } from '../shared/ui/Layout.js';
import { PageTitle } from '../shared/ui/PageTitle.js';

const SENTENCE = 'This page could not be opened. Check your connection and try again.';
const Middle = styled('div')({ maxWidth: 440, margin: '0 auto', padding: '72px 20px' });

/** Reloads the whole page: a missing file may have been replaced by a newer version of the app. */
const reload = (): void => window.location.reload();

/** Whether another version of the app has taken the place of this one: its start page names other files. */
async function isReplaced(): Promise<boolean> {
  const own = document.querySelector('script[src^="/assets/"]')?.getAttribute('src');
  const page = await fetch('/');
  return page.ok && !(await page.text()).includes(own ?? '');
}

interface InsteadProps {
  readonly title: string;
  readonly children: string;
  readonly below?: ReactNode;
}

function Instead({ title, children, below }: InsteadProps) {
  return (
    <Middle>
      <PageTitle title={title} />
      <Stack gap={16}>
        <Typography variant="h1" tabIndex={-1}>
          {title}
        </Typography>
        <ErrorState onRetry={reload}>{children}</ErrorState>
        {below}
      </Stack>
    </Middle>
  );
}

const TITLE = 'Navigation Error';
const CODE = { display: 'block', maxWidth: '100%', height: 'auto', borderRadius: 16 } as const;

export interface ErrorPageProps {
  readonly title: string;
  readonly sentence: string;
  readonly onRetry: () => void;
}

function PageError({ Instead: Shown }: Pick<BoundaryProps, 'Instead'>) {
  const toast = useToast();
  useEffect(() => {
    toast.error(TITLE, SENTENCE);
    let isShown = true;
    // An open tab outlives an update of the server: the page is there, under another name.
    isReplaced().then(
      (isIt) => isIt && isShown && browser.goTo(browser.here()),
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [toast]);
  if (Shown !== undefined) return <Shown title={TITLE} sentence={SENTENCE} onRetry={reload} />;
  return <Instead title={TITLE}>{SENTENCE}</Instead>;
}

/** The balance and the code as they were read last: being paid needs no network on this side. */
function LastSeen() {
  const kept = readAtHand();
  if (kept === undefined) return null;
  const { username, balance, code } = kept;
  return (
    <section aria-label="As it was last">
      <p>{balance}</p>
      <img src={code} width={300} height={300} alt={`QR code to pay @${username}`} style={CODE} />
      <p>Your code still works: whoever scans it needs a network, you do not.</p>
    </section>
  );
}

/**
 * Shown while it is unknown who is signed in: the server was not reached, was busy, or something else
 * answered. Reloads when the browser is online again.
 */
export function Unreachable({ error }: { readonly error: unknown }) {
  const isAway = hasAnswered(error);
  useEffect(() => {
    window.addEventListener('online', reload);
    return () => window.removeEventListener('online', reload);
  }, []);
  return (
    <main>
      <Instead title={isAway ? 'Encore Is Away' : 'You Are Offline'} below={<LastSeen />}>
        {isAway
          ? 'Encore cannot answer right now. Nothing is lost: try again in a moment.'
          : 'Encore cannot be reached. Nothing is lost: check your connection and try again.'}
      </Instead>
    </main>
  );
}

interface BoundaryProps {
  /** The page that is shown instead; one without a shell where it is left out. */
  readonly Instead?: ComponentType<ErrorPageProps> | undefined;
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
    return this.state.isBroken ? <PageError Instead={this.props.Instead} /> : this.props.children;
  }
}

/** Catches an error that a page throws, until another page is opened. */
export function PageErrorBoundary({ Instead, children }: Omit<BoundaryProps, 'path'>) {
  const { pathname } = useLocation();
  return (
    <Boundary path={pathname} Instead={Instead}>
      {children}
    </Boundary>
  );
}
