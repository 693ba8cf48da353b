/** Scheduled payments, and all payments of the next 90 days. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { ScheduledPayment } from '#contracts/api/scheduled-payments';
import { Private } from '../account/Privacy.js';
import { useUser } from '../account/current-user.js';
import { leftForm } from '../payments/left-form.js';
import { useFailure } from '../../shared/ui/failure.js';
import { cancelScheduledPayment, changeScheduledTerms, payScheduledNow } from './outcomes.js';
import { ScheduleProgress } from './ScheduleProgress.js';
import { ScheduleCard, ScheduleList, ScheduleSkeletons } from './ScheduleCard.js';
import {
  recipientOf,
  useCancelScheduledPaymentMutation,
  useChangeScheduledTermsMutation,
  usePayScheduledNowMutation,
  useScheduledPaymentsQuery,
  type TermsChange,
} from './schedules.js';
import { hasFailed, shownStatus } from './source.js';
import { useEdited } from './use-edited.js';
import { Page } from '../shell/Page.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { useToast } from '../../shared/ui/toasts.js';
import { ConfirmDialog } from '../../shared/ui/ConfirmDialog.js';
import { ExceptOnPhone } from '../../shared/ui/PageHeader.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { COLUMNS, columnsOf } from '../../shared/ui/theme.js';
import { money } from '../../shared/wording/money.js';
import { dateTimeOf, dayOf } from '../../shared/wording/time.js';
import { UpcomingPayments } from './UpcomingPayments.js';

const EditScheduleDialog = onDemand(() => import('./EditScheduleDialog.js'));
const NewScheduleDialog = onDemand(() => import('../payments/NewScheduleDialog.js'));

const Columns = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 24,
  [COLUMNS]: { gridTemplateColumns: columnsOf(408), alignItems: 'start' },
  '& > div': { minWidth: 0 },
});

const isPending = ({ status }: ScheduledPayment): boolean => status === 'pending';
/** Pending payments first, the next one at the top; then the others in the order of the list. */
const soonestFirst = (payments: readonly ScheduledPayment[]): readonly ScheduledPayment[] => [
  ...payments.filter(isPending).sort((a, b) => a.scheduledDate.localeCompare(b.scheduledDate)),
  ...payments.filter((payment) => !isPending(payment)),
];

export default function ScheduledPaymentsPage() {
  const query = useScheduledPaymentsQuery();
  const { id } = useUser();
  const [isCreating, setCreating] = useState(() => leftForm(id) !== undefined);
  const create = () => setCreating(true);
  return (
    <Page
      title="Scheduled Payments"
      action={
        <Button
          variant="outlined"
          size="small"
          startIcon={<Plus size={17} aria-hidden="true" />}
          aria-label="Schedule Payment"
          onClick={create}
        >
          Schedule<ExceptOnPhone> Payment</ExceptOnPhone>
        </Button>
      }
    >
      <Columns>
        <div>
          <Loaded
            query={query}
            failed="Your scheduled payments could not be loaded."
            skeleton={<ScheduleSkeletons label="Loading your scheduled payments" />}
            empty={
              <EmptyState
                title="No scheduled payments yet"
                action={<Button onClick={create}>Schedule a Payment</Button>}
              >
                Plan a payment for opening night, and it is made by itself.
              </EmptyState>
            }
          >
            {(payments) => (
              <ScheduleList
                label="Scheduled payments"
                schedules={soonestFirst(payments)}
                card={(payment) => <PaymentCard payment={payment} />}
              />
            )}
          </Loaded>
        </div>
        <UpcomingPayments />
      </Columns>
      {isCreating && <NewScheduleDialog kind="later" onClose={() => setCreating(false)} />}
    </Page>
  );
}

function PaymentCard({ payment }: { readonly payment: ScheduledPayment }) {
  const { id, amount, scheduledDate, description, status, completedAt, isCollecting } = payment;
  const recipient = recipientOf(payment);
  const toast = useToast();
  const [cancel] = useCancelScheduledPaymentMutation();
  const [isCancelling, setCancelling] = useState(false);

  const fail = useFailure();
  const [edited, edit] = useEdited(id);
  const [changeTerms, changing] = useChangeScheduledTermsMutation();
  const [pay, paying] = usePayScheduledNowMutation();
  const isLive = status === 'pending' || status === 'failed';
  const saveTerms = async (terms: TermsChange) => {
    toast.success(...changeScheduledTerms.done(await changeTerms({ id, change: terms }).unwrap(), terms));
  };
  const payNow = async (dueAt: string) => {
    try {
      const answer = await pay({ id, dueAt }).unwrap();
      (hasFailed(answer) ? toast.error : toast.success)(...payScheduledNow.done(answer, undefined));
    } catch (error) {
      fail(error, payScheduledNow.failed);
    }
  };
  const confirm = async () => {
    toast.success(...cancelScheduledPayment.done(await cancel(id).unwrap(), undefined));
  };
  return (
    <ScheduleCard
      id={id}
      recipient={recipient}
      description={description}
      amount={amount}
      often={dayOf(scheduledDate)}
      status={shownStatus(payment)}
      when={
        status === 'pending'
          ? dateTimeOf(scheduledDate).split(', ').at(-1)
          : status === 'completed' && completedAt !== null
            ? `Paid ${dayOf(completedAt)}`
            : undefined
      }
      notes={
        <ScheduleProgress
          schedule={payment}
          recipient={recipient}
          isLive={isLive}
          isPaying={paying.isLoading}
          onPayNow={(dueAt) => void payNow(dueAt)}
          onChangeCard={() => edit('source')}
        />
      }
      actions={
        isLive && (
          <>
            <Button
              variant="text"
              size="small"
              aria-label={`Edit the payment to ${recipient} on ${dayOf(scheduledDate)}`}
              onClick={() => edit('terms')}
            >
              Edit
            </Button>
            {edited !== undefined && (
              <EditScheduleDialog
                title={edited === 'source' ? 'Change Card' : 'Edit Scheduled Payment'}
                schedule={payment}
                onlySource={edited === 'source'}
                isBusy={changing.isLoading}
                failed={changeScheduledTerms.failed}
                onChange={saveTerms}
                onClose={() => edit(undefined)}
              />
            )}
            {status === 'pending' && (
              <Button
                variant="text"
                size="small"
                color="inherit"
                aria-label={`Cancel the payment to ${recipient} on ${dayOf(scheduledDate)}`}
                onClick={() => setCancelling(true)}
              >
                Cancel
              </Button>
            )}
            {isCancelling && (
              <ConfirmDialog
                title="Cancel this payment?"
                confirm="Cancel Payment"
                keep="Keep It"
                failed={cancelScheduledPayment.failed}
                onConfirm={confirm}
                onClose={() => setCancelling(false)}
              >
                {isCollecting ? (
                  <>
                    The payment of <Private>{money(amount)}</Private> to {recipient} is being collected now.
                    It is only stopped if that fails.
                  </>
                ) : (
                  <>
                    {recipient} will not receive <Private>{money(amount)}</Private> on {dayOf(scheduledDate)}.
                    Nothing has been charged.
                  </>
                )}
              </ConfirmDialog>
            )}
          </>
        )
      }
    />
  );
}
