/** What pays a schedule, why a payment of it waits or failed, and what its payer can do about that. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { Link, useLocation } from 'react-router-dom';
import type { Subscription } from '#contracts/api/subscriptions';
import { useSavedCardsQuery } from '../profile/saved-cards.js';
import { waitingPath } from '../../shared/navigation/paths.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { Banner } from '../../shared/ui/Layout.js';
import { dateTimeOf } from '../../shared/wording/time.js';
import { failedFrom, paidFrom } from './source.js';

const Line = styled('div')(({ theme }) => ({
  color: theme.vars.palette.text.secondary,
  '&[data-tone="bad"]': { color: theme.vars.palette.error.main },
}));

const Acts = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8, padding: '6px 0' });

type Progressing = Pick<
  Subscription,
  | 'id'
  | 'source'
  | 'failedDueAt'
  | 'lastFailureFrom'
  | 'lastFailureReason'
  | 'nextTryAt'
  | 'needsConfirmation'
  | 'confirmPaymentId'
  | 'confirmBy'
  | 'isCollecting'
  | 'standsStill'
  | 'heldBecause'
>;

/** The id of the payment that the checkout has just confirmed. */
function confirmedIn(state: unknown): string | undefined {
  if (typeof state !== 'object' || state === null || !('confirmedPaymentId' in state)) return undefined;
  return typeof state.confirmedPaymentId === 'string' ? state.confirmedPaymentId : undefined;
}

interface ProgressProps {
  readonly schedule: Progressing;
  readonly recipient: string;
  /** The reason of an automatic pause. */
  readonly pauseReason?: string | null;
  /** Whether it still goes on, or can be taken up again. */
  readonly isLive: boolean;
  readonly isPaying: boolean;
  readonly onPayNow: (dueAt: string) => void;
  readonly onChangeCard: () => void;
}

export function ScheduleProgress({
  schedule,
  recipient,
  pauseReason = null,
  isLive,
  isPaying,
  onPayNow,
  onChangeCard,
}: ProgressProps) {
  const { failedDueAt } = schedule;
  const { lastFailureReason, nextTryAt, needsConfirmation, confirmPaymentId, confirmBy, isCollecting } =
    schedule;
  // A confirmed payment settles a moment later; until then the list still asks for confirmation.
  const confirmed = confirmedIn(useLocation().state);
  const isToConfirm = needsConfirmation && confirmPaymentId !== null && confirmPaymentId !== confirmed;
  return (
    <>
      {schedule.standsStill !== undefined && <Line data-tone="bad">{schedule.standsStill}</Line>}
      {schedule.heldBecause !== undefined && <Line>{schedule.heldBecause}</Line>}
      {pauseReason !== null && <Line data-tone="bad">{pauseReason}</Line>}
      {lastFailureReason !== null && lastFailureReason !== pauseReason && !isToConfirm && (
        <Line data-tone="bad">The last payment failed. {lastFailureReason}</Line>
      )}
      <FailedFrom schedule={schedule} />
      {nextTryAt !== null && <Line>Next try {dateTimeOf(nextTryAt)}</Line>}
      {isCollecting && <Line>A payment is being collected now.</Line>}
      {confirmed !== undefined && confirmed === confirmPaymentId && (
        <Line>Confirmed. The payment is on its way.</Line>
      )}
      {isToConfirm && (
        <>
          <Banner tone="warning">
            Your bank wants you to confirm this payment
            {confirmBy === null ? '' : ` by ${dateTimeOf(confirmBy)}`}.
          </Banner>
          <Button
            component={Link}
            to={waitingPath(confirmPaymentId)}
            variant="tungsten"
            aria-label={`Confirm Payment to ${recipient}`}
            style={{ margin: '4px 0 6px' }}
          >
            Confirm Payment
          </Button>
        </>
      )}
      {isLive && <WhatPays source={schedule.source} />}
      {isLive && (failedDueAt !== null || pauseReason !== null) && (
        <Acts>
          {failedDueAt !== null && (
            <BusyButton
              variant="tungsten"
              size="small"
              isBusy={isPaying}
              aria-label={`Pay Now to ${recipient}`}
              onClick={() => onPayNow(failedDueAt)}
            >
              Pay Now
            </BusyButton>
          )}
          <Button
            variant="outlined"
            size="small"
            aria-label={`Change Card for ${recipient}`}
            onClick={onChangeCard}
          >
            Change Card
          </Button>
        </Acts>
      )}
    </>
  );
}

/** What is charged. */
function WhatPays({ source }: Pick<Progressing, 'source'>) {
  const { data: cards } = useSavedCardsQuery();
  return <Line>{paidFrom(source, cards ?? undefined)}</Line>;
}

/** What the failed attempt was to be paid from. */
function FailedFrom({ schedule }: { readonly schedule: Progressing }) {
  const { data: cards } = useSavedCardsQuery();
  const { lastFailureFrom, needsConfirmation } = schedule;
  if (lastFailureFrom === null || needsConfirmation) return null;
  return <Line>{failedFrom(lastFailureFrom, cards ?? undefined)}</Line>;
}
