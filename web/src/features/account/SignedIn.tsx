/** Guards the screens of signed-in people. Everybody else sees a toast and is sent to sign in, and back. */
import { useEffect, type ReactNode } from 'react';
import { goToLogin, REDIRECT_MS } from '../../shared/navigation/leaving.js';
import { useToast } from '../../shared/ui/toasts.js';
import { useSession } from './current-user.js';
import { UNAUTHORIZED } from '../../shared/ui/failure.js';

interface SignedInProps {
  readonly children: ReactNode;
  /** Shown while the session is unknown. */
  readonly waiting: ReactNode;
  /** Shown while the browser goes to sign in. */
  readonly away?: ReactNode;
  readonly toast?: { readonly title: string; readonly description: string };
  readonly delayMs?: number;
}

export function SignedIn({
  children,
  waiting,
  away = waiting,
  toast = UNAUTHORIZED,
  delayMs = REDIRECT_MS.login,
}: SignedInProps) {
  const { status } = useSession();
  const tell = useToast();
  const { title, description } = toast;
  useEffect(() => {
    if (status !== 'signed-out') return;
    tell.error(title, description);
    goToLogin(delayMs);
  }, [status, title, description, delayMs, tell]);
  if (status === 'signed-in') return children;
  return status === 'loading' ? waiting : away;
}
