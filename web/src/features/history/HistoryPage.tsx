/** The history: by month, searched and filtered, with a receipt for each line. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import IconButton from '@mui/material/IconButton';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import useMediaQuery from '@mui/material/useMediaQuery';
import { styled } from '@mui/material/styles';
import { CalendarDays, X } from 'lucide-react';
import { lazy, memo, Suspense, useCallback, useMemo, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom';
import { PrivacyButton } from '../account/Privacy.js';
import { unlessLeaving } from '../../shared/navigation/leaving.js';
import { Page } from '../shell/Page.js';
import { cameFromAnotherPage } from '../transactions/TransactionRow.js';
import { useArrivals } from '../transactions/arrivals.js';
import {
  historyAhead,
  useHistoryQuery,
  useHistoryState,
  useLazyEarlierTransactionsQuery,
  type TransactionFilter,
  type TransactionRows,
} from '../transactions/transactions.js';
import { useDrawnRows } from '../../shared/ui/drawn-rows.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { EmptyState, ErrorState } from '../../shared/ui/EmptyState.js';
import { Stack } from '../../shared/ui/Layout.js';
import { RowSkeletons } from '../../shared/ui/Rows.js';
import { CONTENT, DESKTOP, EASE, MS } from '../../shared/ui/theme.js';
import { useNow } from '../../shared/ui/use-now.js';
import { filterOf, NOTHING_CHOSEN, useHistoryChoice } from './filter.js';
import { Filters } from './Filters.js';
import { HistoryList } from './HistoryList.js';
import { HistoryTable } from './HistoryTable.js';
import { MonthPanel } from './MonthPanel.js';
import { linesOf } from './lines.js';
import { SearchProvider } from './matches.js';
import { NoTransactions } from '../transactions/NoTransactions.js';
import { MoreRows } from '../transactions/MoreRows.js';

const Everything = lazy(() => import('../statements/Everything.js').catch(unlessLeaving));
const Receipt = onDemand(() => import('./Receipt.js'));

/** The table keeps room for a name, a status and an amount beside the month. */
const WITH_MONTH = `@container ${CONTENT} (min-width: 860px)`;

const Columns = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 24,
  [WITH_MONTH]: { gridTemplateColumns: 'minmax(0, 1fr) 296px', alignItems: 'start' },
});
/** The month stands beside the list where there is room, else behind a button. */
const Beside = styled('aside')({
  display: 'none',
  [WITH_MONTH]: { display: 'block', position: 'sticky', top: 24 },
});
const WithoutBeside = styled('div')({ [WITH_MONTH]: { display: 'none' } });
/** Dimmed while another search is loading. */
const Listing = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 24,
  transition: `opacity ${MS.hover}ms ${EASE}`,
  '&[aria-busy="true"]': { opacity: 0.6 },
  '& mark': { borderRadius: 4, color: 'inherit', backgroundColor: theme.vars.palette.tint.warning },
  '& .why': {
    fontSize: 13,
    lineHeight: '18px',
    fontWeight: 400,
    color: theme.vars.palette.text.secondary,
  },
}));

/** Not drawn again with each page of rows that is added below it; the filters neither. */
const WhatIsListed = memo(function WhatIsListed({
  isEverything,
  onShow,
}: {
  readonly isEverything: boolean;
  /** With an account, or with null for payments. */
  readonly onShow: (account: string | null) => void;
}) {
  return (
    <ToggleButtonGroup
      exclusive
      value={isEverything ? 'everything' : 'payments'}
      aria-label="What is listed"
      onChange={(_event, next: 'payments' | 'everything' | null) => {
        if (next !== null) onShow(next === 'payments' ? null : 'available');
      }}
    >
      <ToggleButton value="payments">Payments</ToggleButton>
      <ToggleButton value="everything">Everything</ToggleButton>
    </ToggleButtonGroup>
  );
});

type Dispatch = (ask: ReturnType<typeof historyAhead>) => unknown;

export function prepare(_path: string, dispatch?: Dispatch): void {
  dispatch?.(historyAhead());
}

const isNarrowed = (filter: TransactionFilter): boolean => Object.keys(filter).length > 0;

interface WhatWasRead {
  readonly currentData?: TransactionRows | undefined;
  readonly data?: TransactionRows | undefined;
  readonly isFetching: boolean;
}

/**
 * What is shown of a list: what was read of it, and while another filter is read what was read of the one
 * before.
 */
function shownOf({ currentData, data, isFetching }: WhatWasRead): TransactionRows | undefined {
  return currentData ?? (isFetching ? data : undefined);
}

interface EarlierProps {
  readonly filter: TransactionFilter;
  /** Cursor of the rows that follow. */
  readonly next: string | undefined;
  /** Whether rows that were read are not drawn yet. */
  readonly isAdding: boolean;
}

/** The rows that follow, asked for as they come near: while they are read nothing else is drawn again. */
function Earlier({ filter, next, isAdding }: EarlierProps) {
  const [read, earlier, { lastArg }] = useLazyEarlierTransactionsQuery();
  // What is said of earlier rows is said of those that follow now.
  const isAskedFor = typeof lastArg === 'object' && lastArg.filter === filter && lastArg.cursor === next;
  const more = useCallback(() => {
    if (next !== undefined) void read({ filter, cursor: next });
  }, [read, filter, next]);
  return (
    <MoreRows
      isLoading={isAdding || (isAskedFor && earlier.isFetching)}
      hasFailed={isAskedFor && earlier.isError}
      onMore={more}
    />
  );
}

interface PaymentsProps {
  readonly filter: TransactionFilter;
  /** What is searched for. */
  readonly text: string;
  readonly isDesktop: boolean;
  readonly onShowAll: () => void;
}

/** The rows of a filter. The page around them is not drawn again with each page of rows. */
function Payments({ filter, text, isDesktop, onShowAll }: PaymentsProps) {
  const history = useHistoryQuery(filter);
  const { currentData, isFetching, isError, refetch } = history;
  const { rows, next } = shownOf(history) ?? {};
  const arrived = useArrivals(currentData === undefined ? undefined : rows, JSON.stringify(filter));
  const nowMs = useNow();
  const drawn = useDrawnRows(rows);
  const isAdding = drawn !== rows;
  const lines = useMemo(() => linesOf(drawn ?? [], nowMs), [drawn, nowMs]);
  const hasMore = next !== undefined || isAdding;
  if (rows === undefined)
    return isError && !isFetching ? (
      <ErrorState onRetry={() => void refetch()}>Your transactions could not be loaded.</ErrorState>
    ) : (
      <RowSkeletons count={8} label="Loading transactions" />
    );
  if (rows.length === 0)
    return isNarrowed(filter) ? (
      <EmptyState
        title="No transactions found"
        action={
          <Button variant="outlined" onClick={onShowAll}>
            Show all
          </Button>
        }
      >
        Nothing here matches what you are looking for.
      </EmptyState>
    ) : (
      <NoTransactions />
    );
  const count = hasMore ? -1 : rows.length;
  return (
    <Listing aria-busy={currentData === undefined}>
      <SearchProvider value={text}>
        {isDesktop ? (
          <HistoryTable lines={lines} hasMore={hasMore} arrived={arrived} nowMs={nowMs} />
        ) : (
          <HistoryList {...{ lines, filter, hasMore, count, arrived, nowMs }} />
        )}
      </SearchProvider>
      {hasMore && currentData !== undefined && <Earlier filter={filter} next={next} isAdding={isAdding} />}
    </Listing>
  );
}

/** The receipt of a row, which is shown at once where the row was read. */
function ReceiptOf({
  id,
  filter,
  onClose,
}: {
  readonly id: string;
  readonly filter: TransactionFilter;
  readonly onClose: () => void;
}) {
  const { known } = useHistoryState(filter, {
    selectFromResult: (history) => ({ known: shownOf(history)?.rows.find((row) => row.id === id) }),
  });
  return <Receipt id={id} known={known} onClose={onClose} />;
}

export default function HistoryPage() {
  const isDesktop = useMediaQuery(DESKTOP);
  const [choice, change] = useHistoryChoice();
  const [query, setQuery] = useSearchParams();
  const [isMonthOpen, setMonthOpen] = useState(false);
  const filter = useMemo(() => filterOf(choice), [choice]);
  /** The account whose every entry is shown; null where payments are. */
  const account = query.get('account') || null;
  const show = useCallback(
    (next: string | null): void => setQuery(next === null ? {} : { account: next }, { replace: true }),
    [setQuery],
  );
  const { isEmpty } = useHistoryState(filter, {
    selectFromResult: (history) => ({ isEmpty: shownOf(history)?.rows.length === 0 }),
  });

  const receiptId = query.get('receipt') || null;
  const { state } = useLocation();
  const navigate = useNavigate();
  const closeReceipt = () => {
    if (cameFromAnotherPage(state)) {
      void navigate(-1);
      return;
    }
    setQuery(
      (now) => {
        const next = new URLSearchParams(now);
        next.delete('receipt');
        return next;
      },
      { replace: true },
    );
  };

  const isEmptyForNow = account === null && isEmpty && !isNarrowed(filter);
  return (
    <Page
      title="Transaction History"
      action={
        <>
          <PrivacyButton />
          {!isEmptyForNow && (
            <WithoutBeside>
              <IconButton
                aria-label="Months"
                aria-haspopup="dialog"
                onClick={() => setMonthOpen(true)}
                style={{ marginRight: -12 }}
              >
                <CalendarDays size={22} strokeWidth={1.75} aria-hidden="true" />
              </IconButton>
            </WithoutBeside>
          )}
        </>
      }
    >
      <Columns>
        <Stack gap={20}>
          <WhatIsListed isEverything={account !== null} onShow={show} />
          {account === null ? (
            <>
              {!isEmptyForNow && <Filters choice={choice} onChange={change} />}
              <Payments
                filter={filter}
                text={choice.text.trim()}
                isDesktop={isDesktop}
                onShowAll={() => change(NOTHING_CHOSEN)}
              />
            </>
          ) : (
            <Suspense fallback={<RowSkeletons count={8} label="Loading entries" />}>
              <Everything account={account} onAccount={show} />
            </Suspense>
          )}
        </Stack>
        {isDesktop && (
          <Beside aria-label="The month">
            <MonthPanel />
          </Beside>
        )}
      </Columns>
      <Dialog
        open={isMonthOpen}
        onClose={() => setMonthOpen(false)}
        slotProps={{ paper: { 'aria-label': 'Months' } }}
      >
        <MonthPanel
          close={
            <IconButton aria-label="Close" onClick={() => setMonthOpen(false)}>
              <X size={20} strokeWidth={1.75} aria-hidden="true" />
            </IconButton>
          }
        />
      </Dialog>
      {receiptId !== null && <ReceiptOf id={receiptId} filter={filter} onClose={closeReceipt} />}
    </Page>
  );
}
