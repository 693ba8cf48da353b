/**
 * Step-up: asks the user to confirm the call that waits, with a passkey or by signing in again, and goes on
 * with the call that was parked for a sign-in.
 */
import { Fingerprint, LogIn, RotateCw } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useSession, useUser } from '../account/current-user.js';
import { isCallError, isUnauthorized, NOT_REACHED } from '../../shared/api/call.js';
import { confirmations, type Confirmation } from '../../shared/api/confirmations.js';
import { passkeyProof } from '../../shared/api/passkey-proof.js';
import { browser } from '../../shared/navigation/leaving.js';
import { freshLoginPath } from '../../shared/navigation/paths.js';
import { ConfirmSheet } from './ConfirmSheet.js';
import { outcomeOf } from './outcomes.js';
import { forgetParked, park } from './parked-call.js';
import { requestedBy } from './requested.js';
import { ResumedCall } from './ResumedCall.js';
import { useRest } from './rest.js';

const UNNAMED = 'Confirm';
const NOT_SHOWN = 'This needs your passkey. Nothing has changed; please try again.';
const NOT_KEPT =
  'Your browser keeps nothing for this page, so this would be lost while you sign in. Nothing has changed: let it keep data, or log out, sign in again and ask once more.';
const HAS_ENDED = 'This request has ended, and nothing has happened. Ask again to go on.';

interface StepUpProps {
  readonly open: boolean;
  /** It could not be loaded: nothing is confirmed. */
  readonly onClose: () => void;
  /** The parked call has been sent, or will never be. */
  readonly onResumed: () => void;
}

export default function StepUp({ open, onResumed }: StepUpProps) {
  const first = useSyncExternalStore(confirmations.subscribe, confirmations.first);
  const session = useSession();
  if (!open || session.status !== 'signed-in') return null;
  return (
    <>
      <ResumedCall onEnd={onResumed} />
      {first?.refusal.code === 'passkey_required' && <ByPasskey key={first.id} asked={first} />}
      {first?.refusal.code === 'sign_in_required' && <BySignIn key={first.id} asked={first} />}
    </>
  );
}

interface AskedProps {
  readonly asked: Confirmation;
}

function ByPasskey({ asked }: AskedProps) {
  const { refusal, call, endpoint, post, decide } = asked;
  const [requested] = useState(() => requestedBy(refusal));
  const rest = useRest(requested.endsInMs);
  const [step, setStep] = useState<'none' | 'device' | 'sending'>('none');
  const [problem, setProblem] = useState<string>();
  const hasEnded = rest?.hasEnded === true && step === 'none';

  const confirm = async () => {
    setProblem(undefined);
    if (hasEnded) {
      setStep('sending');
      decide('again');
      return;
    }
    setStep('device');
    try {
      const proof = await passkeyProof(post, requested.id);
      setStep('sending');
      decide({ proof });
    } catch (failure) {
      setStep('none');
      // Cancelled, or no authenticator; or the server's own refusal.
      if (!isCallError(failure)) setProblem(NOT_SHOWN);
      else if (isUnauthorized(failure)) decide({ refused: failure });
      else setProblem(failure.sentence ?? NOT_REACHED);
    }
  };
  return (
    <ConfirmSheet
      title="Confirm with your passkey"
      label={outcomeOf(endpoint, call).label ?? UNNAMED}
      requested={requested}
      wordsTitle="Your passkey signs exactly these words"
      button={hasEnded ? 'Ask again' : 'Confirm with passkey'}
      icon={hasEnded ? RotateCw : Fingerprint}
      busyLabel={step === 'device' ? 'Waiting for your device' : undefined}
      isBusy={step !== 'none'}
      problem={problem ?? (hasEnded ? HAS_ENDED : undefined)}
      note={rest && !rest.hasEnded && `This request ends in ${rest.text}.`}
      onConfirm={() => void confirm()}
      onCancel={() => decide('cancelled')}
    />
  );
}

function BySignIn({ asked }: AskedProps) {
  const { refusal, call, endpoint, decide } = asked;
  const { id: userId } = useUser();
  const [requested] = useState(() => requestedBy(refusal));
  const [isLeaving, setLeaving] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    // The browser's arrow brings back this very page, as it was left.
    const shown = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      forgetParked();
      setLeaving(false);
    };
    window.addEventListener('pageshow', shown);
    return () => window.removeEventListener('pageshow', shown);
  }, []);
  const leave = () => {
    if (!park({ userId, endpoint, call, requested })) return setProblem(NOT_KEPT);
    setLeaving(true);
    browser.goTo(freshLoginPath(browser.here()));
  };
  return (
    <ConfirmSheet
      title="Sign in again to confirm"
      label={outcomeOf(endpoint, call).label ?? UNNAMED}
      requested={requested}
      wordsTitle="You confirm exactly these words"
      button="Sign in again to confirm"
      icon={LogIn}
      busyLabel="Opening"
      isBusy={isLeaving}
      problem={problem}
      note="You come back to this once you have signed in."
      onConfirm={leave}
      onCancel={() => decide('cancelled')}
    />
  );
}
