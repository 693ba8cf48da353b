/** The last three things that came or went. */
import Button from '@mui/material/Button';
import MuiLink from '@mui/material/Link';
import { Link } from 'react-router-dom';
import type { Transaction } from '#contracts/api/payments';
import { usePrivacy } from '../account/privacy.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { TransactionRow } from '../transactions/TransactionRow.js';
import { RECENT_SHOWN, type useRecentTransactionsQuery } from '../transactions/transactions.js';
import { EmptyState, ErrorState } from '../../shared/ui/EmptyState.js';
import { Section } from '../../shared/ui/Layout.js';
import { RowList, RowSkeletons } from '../../shared/ui/Rows.js';
import { useNow } from '../../shared/ui/use-now.js';

interface RecentActivityProps {
  readonly recent: ReturnType<typeof useRecentTransactionsQuery>;
  readonly arrived: readonly Transaction[];
}

export function RecentActivity({ recent, arrived }: RecentActivityProps) {
  const { data, isError, isFetching, refetch } = recent;
  const hasMore = (data?.length ?? 0) > RECENT_SHOWN;
  return (
    <Section
      title="Recent Activity"
      action={
        hasMore && (
          <MuiLink component={Link} to={PATHS.history}>
            View All
          </MuiLink>
        )
      }
    >
      <Recent
        data={data}
        hasFailed={isError && !isFetching}
        onRetry={() => void refetch()}
        arrived={arrived}
      />
    </Section>
  );
}

interface RecentProps {
  readonly data: readonly Transaction[] | null | undefined;
  readonly hasFailed: boolean;
  readonly onRetry: () => void;
  readonly arrived: readonly Transaction[];
}

function Recent({ data, hasFailed, onRetry, arrived }: RecentProps) {
  const nowMs = useNow();
  const { isHidden } = usePrivacy();
  if (!data)
    return hasFailed ? (
      <ErrorState onRetry={onRetry}>Your recent activity could not be loaded.</ErrorState>
    ) : (
      <RowSkeletons count={RECENT_SHOWN} label="Loading recent activity" />
    );
  if (data.length === 0)
    return (
      <EmptyState
        title="No transactions yet"
        action={
          <Button component={Link} to={PATHS.myQr} variant="outlined">
            Show My QR Code
          </Button>
        }
      >
        Share your QR code and the first tip will stand here.
      </EmptyState>
    );
  return (
    <RowList label="Recent Activity">
      {data.slice(0, RECENT_SHOWN).map((transaction) => (
        <TransactionRow
          key={transaction.id}
          transaction={transaction}
          nowMs={nowMs}
          isHidden={isHidden}
          hasArrived={arrived.some(({ id }) => id === transaction.id)}
        />
      ))}
    </RowList>
  );
}
