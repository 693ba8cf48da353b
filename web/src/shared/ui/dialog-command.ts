/**
 * What a dialog sends under a key of its own. How it ended is told in a toast, and why it was refused stands
 * at the dialog's button.
 */
import { useState } from 'react';
import { isNotConfirmed, isUnauthorized, sentenceFor } from '../api/call.js';
import { useRequestKey } from '../api/request-key.js';
import { useFailure } from './failure.js';
import { useIsShown } from './is-shown.js';
import type { Outcome } from './outcome.js';
import { useToast } from './toasts.js';

interface DialogCommand<Answer, Body> {
  /** Why it was refused. */
  readonly problem: string | undefined;
  readonly clearProblem: () => void;
  /**
   * Sends it by `send`, under the key of `content`; `body` is what its words are about. Resolves to whether
   * the dialog is to be closed: it was done, and the dialog still stands there. Never rejects.
   */
  readonly run: (content: object, send: (key: string) => Promise<Answer>, body: Body) => Promise<boolean>;
}

/** `requestName`: under which its key is kept in the tab. */
export function useDialogCommand<Answer, Body>(
  requestName: string,
  { done, failed, plainToast }: Outcome<Answer, Body>,
): DialogCommand<Answer, Body> {
  const toast = useToast();
  const fail = useFailure();
  const request = useRequestKey(requestName);
  const [problem, setProblem] = useState<string>();
  const isShown = useIsShown();
  return {
    problem,
    clearProblem: () => setProblem(undefined),
    run: async (content, send, body) => {
      try {
        const answer = await send(request.keyFor(content));
        request.end();
        toast.success(...done(answer, body));
        return isShown.current;
      } catch (error) {
        request.endIfRefused(error);
        if (plainToast && !isUnauthorized(error) && !isNotConfirmed(error)) toast.error('Error', failed);
        else fail(error, failed);
        if (!isUnauthorized(error)) setProblem(sentenceFor(error, failed));
        return false;
      }
    },
  };
}
