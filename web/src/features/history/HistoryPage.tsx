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
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router-dom';
import { PrivacyButton } from '../account/Privacy.js';
import { unlessLeaving } from '../../shared/navigation/leaving.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { Page } from '../shell/Page.js';
import { cameFromAnotherPage } from '../transactions/TransactionRow.js';
import { useArrivals } from '../transactions/arrivals.js';
import {
  historyAhead,
  useHistoryQuery,
  useLazyEarlierTransactionsQuery,
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

export default function HistoryPage() {
  const isDesktop = useMediaQuery(DESKTOP);
  const [choice, change] = useHistoryChoice();
  const [query, setQuery] = useSearchParams();
  const [isMonthOpen, setMonthOpen] = useState(false);
  const filter = useMemo(() => filterOf(choice), [choice]);
  /** The account whose every entry is shown; null where payments are. */
  const account = query.get('account') || null;
  const history = useHistoryQuery(filter, { skip: account !== null });
  const [readEarlier, earlier, { lastArg }] = useLazyEarlierTransactionsQuery();
  const show = useCallback(
    (next: string | null): void => setQuery(next === null ? {} : { account: next }, { replace: true }),
    [setQuery],
  );
  const { currentData, data, isFetching, isError, refetch } = history;
  const { rows, next } = currentData ?? (isFetching ? data : undefined) ?? {};
  // What is said of earlier rows is said of those that follow now.
  const isAskedFor = typeof lastArg === 'object' && lastArg.filter === filter && lastArg.cursor === next;
  const arrived = useArrivals(currentData === undefined ? undefined : rows, JSON.stringify(filter));
  const nowMs = useNow();
  const drawn = useDrawnRows(rows);
  const isAdding = drawn !== rows;
  const lines = useMemo(() => linesOf(drawn ?? [], nowMs), [drawn, nowMs]);
  const hasMore = next !== undefined || isAdding;
  const count = hasMore || rows === undefined ? -1 : rows.length;
  const more = useCallback(() => {
    if (next !== undefined) void readEarlier({ filter, cursor: next });
  }, [readEarlier, filter, next]);
  const isNarrowed = Object.keys(filter).length > 0;

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

  const list = () => {
    if (rows === undefined)
      return isError && !isFetching ? (
        <ErrorState onRetry={() => void refetch()}>Your transactions could not be loaded.</ErrorState>
      ) : (
        <RowSkeletons count={8} label="Loading transactions" />
      );
    if (rows.length === 0)
      return isNarrowed ? (
        <EmptyState
          title="No transactions found"
          action={
            <Button variant="outlined" onClick={() => change(NOTHING_CHOSEN)}>
              Show all
            </Button>
          }
        >
          Nothing here matches what you are looking for.
        </EmptyState>
      ) : (
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
      <Listing aria-busy={currentData === undefined}>
        <SearchProvider value={choice.text.trim()}>
          {isDesktop ? (
            <HistoryTable lines={lines} hasMore={hasMore} arrived={arrived} nowMs={nowMs} />
          ) : (
            <HistoryList {...{ lines, filter, hasMore, count, arrived, nowMs }} />
          )}
        </SearchProvider>
        {hasMore && currentData !== undefined && (
          <MoreRows
            isLoading={isAdding || (isAskedFor && earlier.isFetching)}
            hasFailed={isAskedFor && earlier.isError}
            onMore={more}
          />
        )}
      </Listing>
    );
  };

  const isEmptyForNow = account === null && rows?.length === 0 && !isNarrowed;
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
              {list()}
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
      {receiptId !== null && (
        <Receipt id={receiptId} known={rows?.find(({ id }) => id === receiptId)} onClose={closeReceipt} />
      )}
    </Page>
  );
}
