/** The last three things that came or went. */
import MuiLink from '@mui/material/Link';
import { Link } from 'react-router-dom';
import type { Transaction } from '#contracts/api/payments';
import { usePrivacy } from '../account/privacy.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { NoTransactions } from '../transactions/NoTransactions.js';
import { TransactionRow } from '../transactions/TransactionRow.js';
import { RECENT_SHOWN } from '../transactions/transactions.js';
import { Section } from '../../shared/ui/Layout.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { RowList, RowSkeletons } from '../../shared/ui/Rows.js';
import { useNow } from '../../shared/ui/use-now.js';

interface RecentActivityProps {
  readonly recent: {
    readonly data?: readonly Transaction[] | null;
    readonly isError: boolean;
    readonly isFetching: boolean;
    readonly refetch: () => unknown;
  };
  readonly arrived: readonly Transaction[];
}

export function RecentActivity({ recent, arrived }: RecentActivityProps) {
  const hasMore = (recent.data?.length ?? 0) > RECENT_SHOWN;
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
      <Loaded
        query={recent}
        failed="Your recent activity could not be loaded."
        skeleton={<RowSkeletons count={RECENT_SHOWN} label="Loading recent activity" />}
        empty={<NoTransactions />}
      >
        {(transactions) => <Recent transactions={transactions} arrived={arrived} />}
      </Loaded>
    </Section>
  );
}

interface RecentProps {
  readonly transactions: readonly Transaction[];
  readonly arrived: readonly Transaction[];
}

function Recent({ transactions, arrived }: RecentProps) {
  const nowMs = useNow();
  const { isHidden } = usePrivacy();
  return (
    <RowList label="Recent Activity">
      {transactions.slice(0, RECENT_SHOWN).map((transaction) => (
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
