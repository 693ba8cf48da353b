/** Payouts, newest first, with the status of each. */
import Skeleton from '@mui/material/Skeleton';
import { styled } from '@mui/material/styles';
import type { Payout } from '#contracts/api/payouts';
import { PrivateAmount } from '../account/Privacy.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { Row, Section } from '../../shared/ui/Layout.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { LongRows, type RowItem } from '../../shared/ui/LongRows.js';
import { RowList } from '../../shared/ui/Rows.js';
import { StatusChip } from '../../shared/ui/StatusChip.js';
import { NARROW } from '../../shared/ui/theme.js';
import { dayOf, weekdayOf } from '../../shared/wording/time.js';
import { usePayoutsQuery } from './bank-accounts.js';

const Item = styled('li')(({ theme }) => ({
  padding: '14px 16px',
  [NARROW]: { padding: '14px 12px' },
  '& .line': { fontSize: 13, lineHeight: '18px', marginTop: 4, color: theme.vars.palette.text.secondary },
  '& .wrong': { fontSize: 13, lineHeight: '18px', marginTop: 2, color: theme.vars.palette.error.main },
}));

/** What has a colour of its own; anything else is open. */
const PAYOUT_STATUSES = ['completed', 'processing', 'failed'] as const;
const AT_FIRST = 10;
const ESTIMATE_PX = 75;

export function PayoutHistory() {
  const query = usePayoutsQuery();
  return (
    <Section title="Payout History">
      <Loaded
        query={query}
        failed="Your payouts could not be loaded."
        skeleton={<PayoutSkeletons />}
        empty={<EmptyState size="line" title="No payouts yet" />}
      >
        {(payouts) => (
          <LongRows
            label="Payouts"
            rows={payouts}
            atFirst={AT_FIRST}
            estimatePx={ESTIMATE_PX}
            row={(payout, item) => <PayoutRow payout={payout} item={item} />}
          />
        )}
      </Loaded>
    </Section>
  );
}

interface PayoutRowProps {
  readonly payout: Payout;
  readonly item: RowItem;
}

function PayoutRow({ payout, item }: PayoutRowProps) {
  const { amount, status, statusReason, arrivesOn, createdAt, completedAt, failureReason, madeUp } = payout;
  return (
    <Item {...item}>
      <Row spread>
        <PrivateAmount decimal={amount} tone={status === 'failed' ? 'void' : undefined} />
        <StatusChip status={status} among={PAYOUT_STATUSES} />
      </Row>
      <div className="line">
        Requested {dayOf(createdAt)}
        {arrivesOn && (
          <>
            {' '}
            <span aria-hidden="true">·</span> Expected at your bank {weekdayOf(arrivesOn)}
          </>
        )}
        {completedAt && (
          <>
            {' '}
            <span aria-hidden="true">·</span> Completed {dayOf(completedAt)}
          </>
        )}
      </div>
      {statusReason && <div className="line">{statusReason}</div>}
      {failureReason && <div className="wrong">{failureReason}</div>}
      {status === 'failed' && <div className="line">{whereMoneyIs(amount, madeUp)}</div>}
    </Item>
  );
}

/** Where the money of a payout that failed is. */
function whereMoneyIs(amount: string, madeUp: string | null): string {
  if (madeUp === null) return 'The money is back in your balance.';
  if (madeUp === amount) return 'The money made up for what you owed, which had been written off.';
  return 'Some of it made up for what you owed, which had been written off. The rest is back in your balance.';
}

function PayoutSkeletons() {
  return (
    <div role="status" aria-label="Loading your payouts">
      <RowList>
        {[0, 1, 2].map((line) => (
          <Item key={line} aria-hidden="true">
            <Row spread style={{ minHeight: 24 }}>
              <Skeleton width={88} height={16} />
              <Skeleton width={92} height={24} />
            </Row>
            <Skeleton width="52%" height={12} style={{ marginTop: 10 }} />
          </Item>
        ))}
      </RowList>
    </div>
  );
}
