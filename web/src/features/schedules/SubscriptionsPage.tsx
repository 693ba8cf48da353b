/** Payments that recur: the list, a new one, and pausing, resuming and cancelling each. */
import Button from '@mui/material/Button';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Subscription, SubscriptionStatus } from '#contracts/api/subscriptions';
import { useFailure } from '../../shared/ui/failure.js';
import { changeSubscription } from './outcomes.js';
import { hasProgress, ScheduleProgress } from './ScheduleProgress.js';
import { ScheduleCard, ScheduleList, ScheduleSkeletons } from './ScheduleCard.js';
import { recipientOf, useChangeSubscriptionMutation, useSubscriptionsQuery } from './schedules.js';
import { Page } from '../shell/Page.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { useToast } from '../../shared/ui/toasts.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { ConfirmDialog } from '../../shared/ui/ConfirmDialog.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { money } from '../../shared/wording/money.js';
import { capitalised } from '../../shared/wording/people.js';
import { nextDayOf } from '../../shared/wording/time.js';

const NewScheduleDialog = onDemand(() => import('../payments/NewScheduleDialog.js'));

/** Cancelled ones last; otherwise the order of the list. */
const liveFirst = (subscriptions: readonly Subscription[]): readonly Subscription[] => [
  ...subscriptions.filter(({ status }) => status !== 'cancelled'),
  ...subscriptions.filter(({ status }) => status === 'cancelled'),
];

export default function SubscriptionsPage() {
  const query = useSubscriptionsQuery();
  const [isCreating, setCreating] = useState(false);
  const create = () => setCreating(true);
  return (
    <Page
      title="Subscriptions"
      action={
        <Button
          variant="outlined"
          size="small"
          startIcon={<Plus size={17} aria-hidden="true" />}
          aria-label="New Subscription"
          onClick={create}
        >
          New
        </Button>
      }
    >
      <Loaded
        query={query}
        failed="Your subscriptions could not be loaded."
        skeleton={<ScheduleSkeletons columns label="Loading your subscriptions" />}
        empty={
          <EmptyState
            title="No subscriptions yet"
            action={<Button onClick={create}>Start a Subscription</Button>}
          >
            Keep somebody playing: every day, every week or every month.
          </EmptyState>
        }
      >
        {(subscriptions) => (
          <ScheduleList columns label="Subscriptions">
            {liveFirst(subscriptions).map((subscription) => (
              <SubscriptionCard key={subscription.id} subscription={subscription} />
            ))}
          </ScheduleList>
        )}
      </Loaded>
      {isCreating && <NewScheduleDialog kind="recurring" onClose={() => setCreating(false)} />}
    </Page>
  );
}

function SubscriptionCard({ subscription }: { readonly subscription: Subscription }) {
  const { id, amount, frequency, description, status, nextPaymentDate, pauseReason } = subscription;
  const recipient = recipientOf(subscription);
  const [openedAt] = useState(() => Date.now());
  const toast = useToast();
  const fail = useFailure();
  const [change, { isLoading, originalArgs }] = useChangeSubscriptionMutation();
  const [isCancelling, setCancelling] = useState(false);

  const changeTo = async (next: SubscriptionStatus) => {
    const changed = await change({ id, status: next }).unwrap();
    toast.success(...changeSubscription.done(changed, { status: next }));
  };
  const toggle =
    status === 'active'
      ? ({ to: 'paused', label: 'Pause' } as const)
      : ({ to: 'active', label: 'Resume' } as const);
  return (
    <ScheduleCard
      recipient={recipient}
      description={description}
      amount={amount}
      often={capitalised(frequency)}
      status={status}
      when={nextPaymentDate === null ? undefined : `Next ${nextDayOf(nextPaymentDate, openedAt)}`}
      notes={
        hasProgress(subscription, pauseReason) && (
          <ScheduleProgress schedule={subscription} recipient={recipient} pauseReason={pauseReason} />
        )
      }
      actions={
        status !== 'cancelled' && (
          <>
            <BusyButton
              variant="text"
              size="small"
              isBusy={isLoading && originalArgs?.status === toggle.to}
              busyLabel=""
              aria-label={`${toggle.label} the subscription to ${recipient}`}
              onClick={() =>
                void changeTo(toggle.to).catch((error: unknown) => fail(error, changeSubscription.failed))
              }
            >
              {toggle.label}
            </BusyButton>
            <Button
              variant="text"
              size="small"
              color="inherit"
              aria-label={`Cancel the subscription to ${recipient}`}
              onClick={() => setCancelling(true)}
            >
              Cancel
            </Button>
            {isCancelling && (
              <ConfirmDialog
                title="Cancel this subscription?"
                confirm="Cancel Subscription"
                keep="Keep It"
                failed={changeSubscription.failed}
                onConfirm={() => changeTo('cancelled')}
                onClose={() => setCancelling(false)}
              >
                {recipient} will not receive {money(amount)} {frequency} any more. What was paid stays paid.
              </ConfirmDialog>
            )}
          </>
        )
      }
    />
  );
}
