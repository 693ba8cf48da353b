/**
 * Sends a new subscription or scheduled payment. Where the payer has nothing to pay with, the server asks for
 * a card: its form opens, and once the card is saved the same request goes again.
 */
import { useState, type ReactNode } from 'react';
import { isCallError, isUnauthorized, sentenceFor } from '../../shared/api/call.js';
import { useRequestKey } from '../../shared/api/request-key.js';
import { useFailure } from '../../shared/ui/failure.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { useToast } from '../../shared/ui/toasts.js';
import {
  useCreateScheduledPaymentMutation,
  useCreateSubscriptionMutation,
  type NewSchedule,
} from './new-schedules.js';
import * as outcomes from './outcomes.js';

const SaveCardDialog = onDemand(() => import('../card-provider/SaveCardDialog.js'));

/** What the server says where neither the balance nor a saved card covers a payment to come. */
const needsCard = (error: unknown): boolean => isCallError(error) && error.code === 'card_required';

export interface ScheduleRequest {
  readonly isBusy: boolean;
  readonly send: (schedule: NewSchedule) => void;
  /** Why the server refused it. */
  readonly problem: string | undefined;
  readonly clearProblem: () => void;
  /** The card form, to be put anywhere outside the form. */
  readonly cardDialog: ReactNode;
}

interface ScheduleRequestOptions {
  /** Once the server has taken it: dialogs close, forms reset. */
  readonly onCreated: () => void;
  /** Before a user whose session has ended is led to the sign-in. */
  readonly onSignedOut: () => void;
  /** The sentence for a scheduled payment that the server refuses without one of its own. */
  readonly failedToSchedule: string;
  readonly amountAs: 'number' | 'text';
}

export function useScheduleRequest({
  onCreated,
  onSignedOut,
  failedToSchedule,
  amountAs,
}: ScheduleRequestOptions): ScheduleRequest {
  const toast = useToast();
  const fail = useFailure();
  const [createSubscription, subscription] = useCreateSubscriptionMutation();
  const [createScheduledPayment, scheduledPayment] = useCreateScheduledPaymentMutation();
  const [withoutCard, setWithoutCard] = useState<NewSchedule>();
  const [problem, setProblem] = useState<string>();
  const request = useRequestKey('schedule');

  const create = async (schedule: NewSchedule): Promise<void> => {
    const key = request.keyFor(schedule);
    if ('frequency' in schedule) {
      const created = await createSubscription({ ...schedule, amountAs, key }).unwrap();
      const { hasFailed, done } = outcomes.createSubscription;
      (hasFailed?.(created) ? toast.error : toast.success)(...done(created, schedule));
    } else {
      const created = await createScheduledPayment({ ...schedule, key }).unwrap();
      toast.success(...outcomes.createScheduledPayment.done(created, schedule));
    }
  };
  const send = async (schedule: NewSchedule): Promise<void> => {
    try {
      await create(schedule);
      request.end();
      onCreated();
    } catch (error) {
      request.endIfRefused(error);
      if (needsCard(error)) return setWithoutCard(schedule);
      const failed = 'frequency' in schedule ? outcomes.createSubscription.failed : failedToSchedule;
      if (isUnauthorized(error)) onSignedOut();
      else setProblem(sentenceFor(error, failed));
      fail(error, failed);
    }
  };

  const cardDialog = withoutCard && (
    <SaveCardDialog
      reason="Add a card to pay with. It is charged only when a payment is due."
      onClose={() => setWithoutCard(undefined)}
      onSaved={() => {
        setWithoutCard(undefined);
        void send(withoutCard);
      }}
    />
  );
  return {
    isBusy: subscription.isLoading || scheduledPayment.isLoading,
    send: (schedule) => void send(schedule),
    problem,
    clearProblem: () => setProblem(undefined),
    cardDialog,
  };
}
