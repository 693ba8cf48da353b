/** Guards the screens of signed-in people. Everybody else sees a toast and is sent to sign in, and back. */
import { useEffect, useRef, type ReactNode } from 'react';
import { goToLogin, REDIRECT_MS } from '../../shared/navigation/leaving.js';
import { useToast } from '../../shared/ui/toasts.js';
import { useSession } from './current-user.js';
import { UNAUTHORIZED } from '../../shared/ui/failure.js';

/** What is said before the browser goes to sign in, and for how long. */
export interface Farewell {
  readonly title: string;
  readonly description: string;
  readonly delayMs: number;
}

interface SignedInProps {
  readonly children: ReactNode;
  /** Shown while the session is unknown. */
  readonly waiting: ReactNode;
  /** Shown while the browser goes to sign in. */
  readonly away?: ReactNode;
  /** To whoever comes without a session. */
  readonly farewell?: Farewell | undefined;
  /** To whose session has ended on this page; the other one where it is left out. */
  readonly atEnd?: Farewell | undefined;
}

const LOGGED_OUT: Farewell = { ...UNAUTHORIZED, delayMs: REDIRECT_MS.login };

export function SignedIn({
  children,
  waiting,
  away = waiting,
  farewell = LOGGED_OUT,
  atEnd = farewell,
}: SignedInProps) {
  const { status } = useSession();
  const tell = useToast();
  const hadSession = useRef(false);
  useEffect(() => {
    if (status === 'signed-in') hadSession.current = true;
    if (status !== 'signed-out') return;
    const { title, description, delayMs } = hadSession.current ? atEnd : farewell;
    tell.error(title, description);
    goToLogin(delayMs);
  }, [status, farewell, atEnd, tell]);
  if (status === 'signed-in') return children;
  return status === 'loading' ? waiting : away;
}
