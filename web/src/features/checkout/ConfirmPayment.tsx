/**
 * The checkout of an existing payment of a schedule that the payer's bank wants confirmed. The recipient is
 * read from the payer's own lists, never from the address; no other payment is opened. The amount is the
 * payment's own: the list has the schedule's, which may have been changed since the payment was begun.
 */
import Button from '@mui/material/Button';
import { useEffect, useMemo, useState } from 'react';
import { Link } from 'react-router-dom';
import { sentenceFor } from '../../shared/api/call.js';
import { FieldsSkeleton } from '../card-provider/ProviderFields.js';
import { PATHS } from '../../shared/navigation/paths.js';
import type { RequestedPayment } from './payment-query.js';
import { PaymentColumns } from './PaymentColumns.js';
import { PaymentStage } from './PaymentStage.js';
import {
  useScheduledPaymentsQuery,
  useSecretToConfirmMutation,
  useSubscriptionsQuery,
} from '../schedules/schedules.js';
import { Page } from '../shell/Page.js';
import { EmptyState, ErrorState } from '../../shared/ui/EmptyState.js';
import { Card } from '../../shared/ui/Layout.js';
import { Payment } from './Payment.js';

const TITLE = 'Confirm Payment';
const FAILED = 'The payment could not be opened. Please try again.';

interface PaymentToConfirm {
  readonly requested: RequestedPayment;
  /** The page of the list that it is in. */
  readonly list: string;
}
type Lookup = PaymentToConfirm | 'looking' | 'nowhere' | 'unreachable';

/**
 * The payment from the payer's lists, as it was when found: once confirmed, the lists no longer ask for it.
 */
function usePaymentToConfirm(paymentId: string): { found: Lookup; again: () => void } {
  const subscriptions = useSubscriptionsQuery(undefined, { refetchOnMountOrArgChange: true });
  const scheduled = useScheduledPaymentsQuery(undefined, { refetchOnMountOrArgChange: true });
  const [kept, setKept] = useState<PaymentToConfirm>();
  const waits = (each: { readonly confirmPaymentId: string | null }) => each.confirmPaymentId === paymentId;
  const subscription = subscriptions.data?.find(waits);
  const payment = subscription ?? scheduled.data?.find(waits);
  if (kept === undefined && payment) {
    const { toUserId: recipientId, amount, description } = payment;
    setKept({
      requested: { paymentId, recipientId, amount, description: description ?? '', method: 'card' },
      list: subscription ? PATHS.subscriptions : PATHS.scheduledPayments,
    });
  }
  const again = () => {
    void subscriptions.refetch();
    void scheduled.refetch();
  };
  if (kept !== undefined) return { found: kept, again };
  if (subscriptions.isFetching || scheduled.isFetching) return { found: 'looking', again };
  return { found: subscriptions.isError || scheduled.isError ? 'unreachable' : 'nowhere', again };
}

export function ConfirmPayment({ paymentId }: { readonly paymentId: string }) {
  const { found, again } = usePaymentToConfirm(paymentId);
  if (typeof found !== 'string') return <Confirmation paymentId={paymentId} {...found} />;
  return (
    <Page title={TITLE} back={PATHS.payments} width="narrow">
      {found === 'looking' && (
        <Card padding={20}>
          <FieldsSkeleton />
        </Card>
      )}
      {found === 'unreachable' && <ErrorState onRetry={again}>{FAILED}</ErrorState>}
      {found === 'nowhere' && (
        <EmptyState
          title="Nothing to confirm"
          action={
            <Button component={Link} to={PATHS.history} variant="outlined">
              View Transaction History
            </Button>
          }
        >
          This payment waits for you no longer. Your history has every payment you made.
        </EmptyState>
      )}
    </Page>
  );
}

function Confirmation({
  paymentId,
  requested: listed,
  list,
}: PaymentToConfirm & { readonly paymentId: string }) {
  const [ask, { data, error }] = useSecretToConfirmMutation();
  const amount = data?.amount ?? listed.amount;
  const requested = useMemo(() => ({ ...listed, amount }), [listed, amount]);
  const [isUnderWay, setUnderWay] = useState(false);
  useEffect(() => void ask(paymentId), [ask, paymentId]);
  const next = useMemo(() => ({ path: list, state: { confirmedPaymentId: paymentId } }), [list, paymentId]);
  return (
    <Page title={TITLE} back={isUnderWay ? undefined : list} width="narrow">
      <PaymentColumns stage={data && <PaymentStage label="You are paying" {...requested} />}>
        {/* Says nothing about a charge: the payment may have been made in another tab. */}
        {error !== undefined && (
          <ErrorState onRetry={() => void ask(paymentId)}>{sentenceFor(error, FAILED)}</ErrorState>
        )}
        {error === undefined && !data && (
          <Card padding={20}>
            <FieldsSkeleton />
          </Card>
        )}
        {data && (
          <Payment
            requested={requested}
            clientSecret={data.clientSecret}
            next={next}
            onUnderWay={setUnderWay}
          />
        )}
      </PaymentColumns>
    </Page>
  );
}
