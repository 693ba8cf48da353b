/** What every failed command does: a toast, and sign-in if the session has ended. */
import { useCallback } from 'react';
import { isNotConfirmed, isUnauthorized, sentenceFor } from '../api/call.js';
import { goToLogin, REDIRECT_MS } from '../navigation/leaving.js';
import { useToast } from './toasts.js';

export const UNAUTHORIZED = {
  title: 'Unauthorized',
  description: 'You are logged out. Logging in again...',
} as const;

/**
 *     const fail = useFailure();
 *     try { await create(body).unwrap(); } catch (error) { fail(error, 'Failed to create subscription'); }
 *
 * The toast says the server's sentence, or the one given. What its user did not confirm is no error.
 */
export function useFailure(): (error: unknown, otherwise: string, title?: string) => void {
  const toast = useToast();
  return useCallback(
    (error, otherwise, title = 'Error') => {
      if (isUnauthorized(error)) {
        toast.error(UNAUTHORIZED.title, UNAUTHORIZED.description);
        goToLogin(REDIRECT_MS.login);
      } else if (isNotConfirmed(error)) toast('Not Confirmed', sentenceFor(error, otherwise));
      else toast.error(title, sentenceFor(error, otherwise));
    },
    [toast],
  );
}
