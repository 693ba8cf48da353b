/** The history on a phone: a card of rows for each month, with its totals in the heading. */
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { useId } from 'react';
import type { Transaction } from '#contracts/api/payments';
import { Private } from '../account/Privacy.js';
import { TransactionRow } from '../transactions/TransactionRow.js';
import { sumsOf, useAllTransactionsQuery, type TransactionFilter } from '../transactions/transactions.js';
import { RowList } from '../../shared/ui/Rows.js';
import { Stack } from '../../shared/ui/Layout.js';
import { signedMoney } from '../../shared/wording/money.js';
import { spanOfMonth } from '../../shared/wording/months.js';
import type { Month } from './months.js';
import { useNow } from '../../shared/ui/use-now.js';

const Head = styled('div')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'baseline',
  justifyContent: 'space-between',
  gap: '0 12px',
  paddingBottom: 8,
  '& .sums': {
    display: 'flex',
    gap: 8,
    fontSize: 13,
    lineHeight: '18px',
    fontWeight: 620,
    fontStretch: '106%',
    whiteSpace: 'nowrap',
    color: theme.vars.palette.text.secondary,
  },
  '& .in': { color: theme.vars.palette.success.main },
}));

/** The later of two ISO times, or the one that is given. */
const later = (a: string | undefined, b: string): string => (a !== undefined && a > b ? a : b);
const earlier = (a: string | undefined, b: string): string => (a !== undefined && a < b ? a : b);

interface OneMonthProps {
  readonly month: Month;
  readonly filter: TransactionFilter;
  /** Whether more rows of the month may be further down. */
  readonly isCut: boolean;
  readonly arrived: readonly Transaction[];
  readonly nowMs: number;
}

function OneMonth({ month, filter, isCut, arrived, nowMs }: OneMonthProps) {
  const id = useId();
  const span = spanOfMonth(month.key);
  // A total of half a month would be wrong: the missing rows are read first.
  const { currentData: all } = useAllTransactionsQuery(
    { ...filter, from: later(filter.from, span.from), to: earlier(filter.to, span.to) },
    { skip: !isCut },
  );
  const whole = isCut ? all : month.rows;
  const sums = whole && sumsOf(whole);
  return (
    <section aria-labelledby={id}>
      <Head>
        <Typography variant="h2" id={id}>
          {month.title}
        </Typography>
        {sums && (
          <span className="sums">
            <Private>
              {sums.received !== '0.00' && <span className="in">{signedMoney(sums.received, true)}</span>}
              {sums.sent !== '0.00' && <span>{signedMoney(sums.sent, false)}</span>}
            </Private>
          </span>
        )}
      </Head>
      <RowList label={month.title}>
        {month.rows.map((row) => (
          <TransactionRow
            key={row.id}
            transaction={row}
            nowMs={nowMs}
            hasArrived={arrived.some((each) => each.id === row.id)}
          />
        ))}
      </RowList>
    </section>
  );
}

interface HistoryListProps {
  readonly months: readonly Month[];
  readonly filter: TransactionFilter;
  readonly hasMore: boolean;
  readonly arrived: readonly Transaction[];
}

export function HistoryList({ months, filter, hasMore, arrived }: HistoryListProps) {
  const nowMs = useNow();
  return (
    <Stack gap={24}>
      {months.map((month, index) => (
        <OneMonth
          key={month.key}
          month={month}
          filter={filter}
          isCut={hasMore && index === months.length - 1}
          arrived={arrived}
          nowMs={nowMs}
        />
      ))}
    </Stack>
  );
}
