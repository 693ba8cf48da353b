/**
 * After the sign-in that a call was parked for: shows its words once more, and sends it under its own key.
 * Where neither the balance nor a saved card covers it, the form for a card opens first, as at its own form.
 */
import { Check } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useUser } from '../account/current-user.js';
import { isCallError, isNotConfirmed, isUnauthorized, sentenceFor } from '../../shared/api/call.js';
import { IDEMPOTENCY_KEY_HEADER } from '#contracts/plain/headers';
import { spendKey } from '../../shared/api/request-key.js';
import { useFailure } from '../../shared/ui/failure.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { useToast } from '../../shared/ui/toasts.js';
import { ConfirmSheet } from './ConfirmSheet.js';
import { FIRST_STEPS, outcomeOf } from './outcomes.js';
import { forgetParked, PARKED_MS, parkedBy, type ParkedCall } from './parked-call.js';
import { useRest } from './rest.js';
import { useResumeCallMutation } from './resume.js';

const SaveCardDialog = onDemand(() => import('../card-provider/SaveCardDialog.js'));

export function ResumedCall({ onEnd }: { readonly onEnd: () => void }) {
  const { id } = useUser();
  const [parked, setParked] = useState(() => parkedBy(id));
  // Somebody else has signed in meanwhile.
  const [userId, setUserId] = useState(id);
  if (userId !== id) {
    setUserId(id);
    setParked(parkedBy(id));
  }
  const end = () => {
    forgetParked();
    setParked(undefined);
    onEnd();
  };
  if (parked === undefined) return null;
  return FIRST_STEPS.has(parked.endpoint) ? (
    <PressAgain parked={parked} onEnd={end} />
  ) : (
    <Resumable parked={parked} onEnd={end} />
  );
}

interface ParkedProps {
  readonly parked: ParkedCall;
  readonly onEnd: () => void;
}

/** The page goes on by itself once its button is pressed. */
function PressAgain({ onEnd }: ParkedProps) {
  const toast = useToast();
  useEffect(() => {
    toast('You Signed In Again', 'You can go on now: press the button once more.');
    onEnd();
    // Once per sign-in.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  return null;
}

const NOT_KNOWN = 'No answer came, so this may have been done or not. Look before you ask again.';
const HAS_WAITED_TOO_LONG = 'This has waited too long, and nothing has happened. Please start anew.';

function Resumable({ parked, onEnd }: ParkedProps) {
  const { call, endpoint, requested, at } = parked;
  const outcome = outcomeOf(endpoint, call);
  const toast = useToast();
  const fail = useFailure();
  const [send, { isLoading }] = useResumeCallMutation();
  const [problem, setProblem] = useState<string>();
  const [needsCard, setNeedsCard] = useState(false);
  /** It was sent, and may have been done. */
  const [isUnanswered, setUnanswered] = useState(false);
  const [endsInMs] = useState(() => at + PARKED_MS - Date.now());
  const rest = useRest(endsInMs);

  const spend = () => {
    const key = call.headers?.[IDEMPOTENCY_KEY_HEADER];
    if (key !== undefined) spendKey(key);
    onEnd();
  };
  const refuse = (error: unknown) => {
    const { failed, failedTitle = 'Error', plainToast } = outcome;
    if (isUnauthorized(error)) fail(error, failed);
    else {
      toast.error(failedTitle, plainToast ? failed : sentenceFor(error, failed));
      spend();
    }
  };
  const confirm = async () => {
    setProblem(undefined);
    // What may have been done is sent again whenever that is: only the server knows.
    if (rest?.hasEnded && !isUnanswered) return setProblem(HAS_WAITED_TOO_LONG);
    try {
      const answer = (await send({ ...call, endpoint }).unwrap()) as never;
      const tell = outcome.hasFailed?.(answer) ? toast.error : toast.success;
      tell(...outcome.done(answer, bodyOf(call) as never));
      spend();
    } catch (error) {
      if (isNotConfirmed(error)) return;
      if (isCallError(error) && error.code === 'card_required') setNeedsCard(true);
      // It may have been done: it is sent again under the same key.
      else if (isCallError(error) && (error.status === 0 || error.status >= 500)) {
        setUnanswered(true);
        setProblem(sentenceFor(error, outcome.failed));
      } else refuse(error);
    }
  };
  if (needsCard)
    return (
      <SaveCardDialog
        reason="Add a card to pay with. It is charged only when a payment is due."
        onClose={() => setNeedsCard(false)}
        onSaved={() => {
          setNeedsCard(false);
          void confirm();
        }}
      />
    );
  return (
    <ConfirmSheet
      title="Confirm what you asked for"
      label={outcome.label ?? 'Confirm'}
      requested={requested}
      wordsTitle="You confirm exactly these words"
      button="Confirm"
      icon={Check}
      isBusy={isLoading}
      problem={problem}
      note={rest && !rest.hasEnded && `You have signed in. This request ends in ${rest.text}.`}
      onConfirm={() => void confirm()}
      onCancel={() => {
        onEnd();
        if (isUnanswered) toast('Not Known Yet', NOT_KNOWN);
        else toast('Not Confirmed', 'You did not confirm this. Nothing has changed.');
      }}
    />
  );
}

const bodyOf = ({ body }: ParkedCall['call']): object =>
  typeof body === 'object' && body !== null ? body : {};
