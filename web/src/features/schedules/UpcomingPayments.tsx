/** All payments of the next 90 days, of subscriptions and scheduled payments, and their total. */
import { useState } from 'react';
import { Private, PrivateAmount } from '../account/Privacy.js';
import { useScheduledPaymentsQuery, useSubscriptionsQuery } from './schedules.js';
import { DAYS_AHEAD, totalOf, upcoming, type Upcoming } from './upcoming.js';
import { Avatar } from '../../shared/ui/Avatar.js';
import { EmptyState, ErrorState } from '../../shared/ui/EmptyState.js';
import { Card, DotLeaders, Section, Stack } from '../../shared/ui/Layout.js';
import { useIsRefused } from '../../shared/ui/Loaded.js';
import { ListRow, RowList, RowSkeletons } from '../../shared/ui/Rows.js';
import { usePieces } from '../../shared/ui/ShowMore.js';
import { money } from '../../shared/wording/money.js';
import { capitalised } from '../../shared/wording/people.js';
import { dayOf } from '../../shared/wording/time.js';

const AT_FIRST = 8;

export function UpcomingPayments() {
  const subscriptions = useSubscriptionsQuery();
  const scheduled = useScheduledPaymentsQuery();
  const lists = [subscriptions, scheduled];
  const isRefused = useIsRefused(lists.some(({ data, isFetching }) => data === null && !isFetching));
  // Fixed when the page is opened, so that the list does not change while it is read.
  const [now] = useState(() => new Date());
  const retry = () => {
    for (const { data, refetch } of lists) if (!data) void refetch();
  };
  return (
    <Section title={`Next ${DAYS_AHEAD} Days`}>
      {subscriptions.data && scheduled.data ? (
        <Payments payments={upcoming(subscriptions.data, scheduled.data, now)} />
      ) : isRefused || lists.some(({ isError }) => isError) ? (
        <ErrorState onRetry={retry}>Upcoming payments could not be worked out.</ErrorState>
      ) : (
        <RowSkeletons label="Loading upcoming payments" />
      )}
    </Section>
  );
}

function Payments({ payments }: { readonly payments: readonly Upcoming[] }) {
  const { shown, more } = usePieces(payments, AT_FIRST);
  if (payments.length === 0) return <EmptyState size="line" title="Nothing is due" />;
  const total = {
    label: payments.length === 1 ? '1 payment' : `${payments.length} payments`,
    value: <Private>{money(totalOf(payments))}</Private>,
  };
  return (
    <Stack gap={12}>
      <Card padding="10px 16px">
        <DotLeaders rows={[total]} />
      </Card>
      <div>
        <RowList label="Upcoming payments">
          {shown.map(({ id, at, recipient, amount, frequency, isRetry }) => (
            <ListRow
              key={id}
              title={recipient}
              detail={
                <>
                  {dayOf(at.toISOString())} <span aria-hidden="true">·</span>{' '}
                  {isRetry ? 'Next try' : frequency === undefined ? 'Scheduled' : capitalised(frequency)}
                </>
              }
              start={<Avatar name={recipient} />}
              end={<PrivateAmount decimal={amount} />}
            />
          ))}
        </RowList>
        {more}
      </div>
    </Stack>
  );
}
