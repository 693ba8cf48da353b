/** Payments that recur: the list, a new one, and pausing, resuming and cancelling each. */
import Button from '@mui/material/Button';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Subscription, SubscriptionStatus } from '#contracts/api/subscriptions';
import { Private } from '../account/Privacy.js';
import { useUser } from '../account/current-user.js';
import { leftForm } from '../payments/left-form.js';
import { useFailure } from '../../shared/ui/failure.js';
import { changeSubscription, changeSubscriptionTerms, paySubscriptionNow } from './outcomes.js';
import { ScheduleProgress } from './ScheduleProgress.js';
import { ScheduleCard, ScheduleList, ScheduleSkeletons } from './ScheduleCard.js';
import {
  recipientOf,
  useChangeSubscriptionMutation,
  useChangeSubscriptionTermsMutation,
  usePaySubscriptionNowMutation,
  useSubscriptionsQuery,
  type TermsChange,
} from './schedules.js';
import { hasFailed, shownStatus } from './source.js';
import { useEdited } from './use-edited.js';
import { Page } from '../shell/Page.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { useToast } from '../../shared/ui/toasts.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { ConfirmDialog } from '../../shared/ui/ConfirmDialog.js';
import { ExceptOnPhone } from '../../shared/ui/PageHeader.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { money } from '../../shared/wording/money.js';
import { capitalised } from '../../shared/wording/people.js';
import { nextDayOf } from '../../shared/wording/time.js';

const EditScheduleDialog = onDemand(() => import('./EditScheduleDialog.js'));
const NewScheduleDialog = onDemand(() => import('../payments/NewScheduleDialog.js'));

/** Cancelled ones last; otherwise the order of the list. */
const liveFirst = (subscriptions: readonly Subscription[]): readonly Subscription[] => [
  ...subscriptions.filter(({ status }) => status !== 'cancelled'),
  ...subscriptions.filter(({ status }) => status === 'cancelled'),
];

export default function SubscriptionsPage() {
  const query = useSubscriptionsQuery();
  const { id } = useUser();
  const [isCreating, setCreating] = useState(() => leftForm(id) !== undefined);
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
          New<ExceptOnPhone> Subscription</ExceptOnPhone>
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
          <ScheduleList
            columns
            label="Subscriptions"
            schedules={liveFirst(subscriptions)}
            card={(subscription) => <SubscriptionCard subscription={subscription} />}
          />
        )}
      </Loaded>
      {isCreating && <NewScheduleDialog kind="recurring" onClose={() => setCreating(false)} />}
    </Page>
  );
}

function SubscriptionCard({ subscription }: { readonly subscription: Subscription }) {
  const {
    id,
    amount,
    frequency,
    description,
    status,
    nextPaymentDate,
    pauseReason,
    heldBecause,
    standsStill,
  } = subscription;
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
  const [edited, edit] = useEdited(id);
  const [changeTerms, changing] = useChangeSubscriptionTermsMutation();
  const [pay, paying] = usePaySubscriptionNowMutation();
  const saveTerms = async (terms: TermsChange) => {
    toast.success(...changeSubscriptionTerms.done(await changeTerms({ id, change: terms }).unwrap(), terms));
  };
  const payNow = async (dueAt: string) => {
    try {
      const answer = await pay({ id, dueAt }).unwrap();
      (hasFailed(answer) ? toast.error : toast.success)(...paySubscriptionNow.done(answer, undefined));
    } catch (error) {
      fail(error, paySubscriptionNow.failed);
    }
  };
  const toggle =
    status === 'active'
      ? ({ to: 'paused', label: 'Pause' } as const)
      : ({ to: 'active', label: 'Resume' } as const);
  return (
    <ScheduleCard
      id={id}
      recipient={recipient}
      description={description}
      amount={amount}
      often={capitalised(frequency)}
      status={shownStatus(subscription)}
      when={
        nextPaymentDate === null || heldBecause !== undefined || standsStill !== undefined
          ? undefined
          : `Next ${nextDayOf(nextPaymentDate, openedAt)}`
      }
      notes={
        <ScheduleProgress
          schedule={subscription}
          recipient={recipient}
          pauseReason={pauseReason}
          isLive={status !== 'cancelled'}
          isPaying={paying.isLoading}
          onPayNow={(dueAt) => void payNow(dueAt)}
          onChangeCard={() => edit('source')}
        />
      }
      actions={
        status !== 'cancelled' && (
          <>
            <Button
              variant="text"
              size="small"
              aria-label={`Edit the subscription to ${recipient}`}
              onClick={() => edit('terms')}
            >
              Edit
            </Button>
            {edited !== undefined && (
              <EditScheduleDialog
                title={edited === 'source' ? 'Change Card' : 'Edit Subscription'}
                schedule={subscription}
                onlySource={edited === 'source'}
                isBusy={changing.isLoading}
                failed={changeSubscriptionTerms.failed}
                onChange={saveTerms}
                onClose={() => edit(undefined)}
              />
            )}
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
                {recipient} will not receive <Private>{money(amount)}</Private> {frequency} any more. What was
                paid stays paid.
              </ConfirmDialog>
            )}
          </>
        )
      }
    />
  );
}
