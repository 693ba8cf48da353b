/** Why a payment of a schedule waits or failed, with a button if the payer can act. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { Link, useLocation } from 'react-router-dom';
import type { Subscription } from '#contracts/api/subscriptions';
import { useSavedCardsQuery } from '../profile/saved-cards.js';
import { PATHS, waitingPath } from '../../shared/navigation/paths.js';
import { Banner } from '../../shared/ui/Layout.js';
import { capitalised } from '../../shared/wording/people.js';
import { dateTimeOf } from '../../shared/wording/time.js';

const Line = styled('div')(({ theme }) => ({
  color: theme.vars.palette.text.secondary,
  '&[data-tone="bad"]': { color: theme.vars.palette.error.main },
}));

const Source = styled('div')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  justifyContent: 'space-between',
  gap: 8,
  padding: '4px 0 6px',
  color: theme.vars.palette.text.secondary,
}));

type Progressing = Pick<
  Subscription,
  | 'lastFailureReason'
  | 'nextTryAt'
  | 'needsConfirmation'
  | 'confirmPaymentId'
  | 'confirmBy'
  | 'isCollecting'
  | 'standsStill'
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
}

export function ScheduleProgress({ schedule, recipient, pauseReason = null }: ProgressProps) {
  const { lastFailureReason, nextTryAt, needsConfirmation, confirmPaymentId, confirmBy, isCollecting } =
    schedule;
  // A confirmed payment settles a moment later; until then the list still asks for confirmation.
  const confirmed = confirmedIn(useLocation().state);
  const isToConfirm = needsConfirmation && confirmPaymentId !== null && confirmPaymentId !== confirmed;
  return (
    <>
      {schedule.standsStill !== undefined && <Line data-tone="bad">{schedule.standsStill}</Line>}
      {pauseReason !== null && <Line data-tone="bad">{pauseReason}</Line>}
      {lastFailureReason !== null && lastFailureReason !== pauseReason && !isToConfirm && (
        <Line data-tone="bad">The last payment failed. {lastFailureReason}</Line>
      )}
      {(lastFailureReason !== null || pauseReason !== null) && !isToConfirm && <WhatPays />}
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
    </>
  );
}

/** What is charged, and where another card is chosen. */
function WhatPays() {
  const { data: cards } = useSavedCardsQuery();
  const card = cards?.find(({ isDefault }) => isDefault);
  return (
    <Source>
      <span>
        {card === undefined
          ? 'Paid from your balance. You have no saved card.'
          : `Paid from your balance, or else by ${capitalised(card.brand)} ••••${card.last4}.`}
      </span>
      <Button component={Link} to={PATHS.profile} variant="outlined" size="small">
        {card === undefined ? 'Add a Card' : 'Change Card'}
      </Button>
    </Source>
  );
}

/** Whether {@link ScheduleProgress} says anything. */
export function hasProgress(schedule: Progressing, pauseReason: string | null = null): boolean {
  const { lastFailureReason, nextTryAt, needsConfirmation, isCollecting } = schedule;
  return (
    schedule.standsStill !== undefined ||
    pauseReason !== null ||
    lastFailureReason !== null ||
    nextTryAt !== null ||
    needsConfirmation ||
    isCollecting
  );
}
