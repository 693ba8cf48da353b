/**
 * Sends a new subscription or scheduled payment. Where the payer has nothing to pay with, the server asks for
 * a card: its form opens, and once the card is kept the same request goes again.
 */
import { useState, type ReactNode } from 'react';
import { useFailure } from '../../shared/ui/failure.js';
import { isCallError } from '../../shared/api/call.js';
import { useRequestKey } from '../../shared/api/request-key.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { useToast } from '../../shared/ui/toasts.js';
import { dateTimeOf } from '../../shared/wording/time.js';
import { money } from '../../shared/wording/money.js';
import {
  useCreateScheduledPaymentMutation,
  useCreateSubscriptionMutation,
  type Frequency,
} from './new-schedules.js';

const SaveCardDialog = onDemand(() => import('../card-provider/SaveCardDialog.js'));

/** What the server says where neither the balance nor a saved card covers a payment to come. */
const needsCard = (error: unknown): boolean => isCallError(error) && error.code === 'card_required';

interface Written {
  readonly toUserId: string;
  readonly amount: string;
  readonly description: string;
}
export type NewSubscription = Written & { readonly frequency: Frequency };
export type NewScheduledPayment = Written & { readonly scheduledDate: string };

export interface Scheduling {
  readonly isBusy: boolean;
  readonly subscribe: (subscription: NewSubscription) => void;
  readonly schedule: (payment: NewScheduledPayment) => void;
  /** The card form, to be put anywhere outside the form. */
  readonly dialog: ReactNode;
}

interface HowToSchedule {
  readonly failedToSchedule: string;
  /**
   * Of a subscription: the form that stands on home sends a number, the page of subscriptions the text
   * (spec.md §7).
   */
  readonly amountAs: 'number' | 'text';
}

/** `onCreated` after the server has taken it: dialogs close, forms reset. */
export function useScheduling(
  onCreated: () => void,
  { failedToSchedule, amountAs }: HowToSchedule = {
    failedToSchedule: 'Failed to schedule payment',
    amountAs: 'number',
  },
): Scheduling {
  const toast = useToast();
  const fail = useFailure();
  const [createSubscription, subscription] = useCreateSubscriptionMutation();
  const [createScheduledPayment, scheduledPayment] = useCreateScheduledPaymentMutation();
  const [again, setAgain] = useState<() => void>();
  const request = useRequestKey('schedule');

  const send = async (create: () => Promise<void>, otherwise: string): Promise<void> => {
    try {
      await create();
      request.end();
      onCreated();
    } catch (error) {
      request.endIfRefused(error);
      if (needsCard(error)) setAgain(() => () => void send(create, otherwise));
      else fail(error, otherwise);
    }
  };

  const subscribe = (wanted: NewSubscription) =>
    void send(async () => {
      const { nextPaymentDate } = await createSubscription({
        ...wanted,
        amountAs,
        key: request.keyFor(wanted),
      }).unwrap();
      const next = nextPaymentDate === null ? '' : ` The next payment is on ${dateTimeOf(nextPaymentDate)}.`;
      toast.success('Subscription Created', `${money(wanted.amount)} ${wanted.frequency}.${next}`);
    }, 'Failed to create subscription');

  const schedule = (wanted: NewScheduledPayment) =>
    void send(async () => {
      const { scheduledDate } = await createScheduledPayment({
        ...wanted,
        key: request.keyFor(wanted),
      }).unwrap();
      toast.success(
        'Payment Scheduled',
        `${money(wanted.amount)} will be paid on ${dateTimeOf(scheduledDate)}.`,
      );
    }, failedToSchedule);

  const dialog = again && (
    <SaveCardDialog
      reason="Add a card to pay with. It is charged only when a payment is due."
      onClose={() => setAgain(undefined)}
      onSaved={() => {
        setAgain(undefined);
        again();
      }}
    />
  );
  return { isBusy: subscription.isLoading || scheduledPayment.isLoading, subscribe, schedule, dialog };
}
