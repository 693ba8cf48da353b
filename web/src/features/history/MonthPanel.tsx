/** Totals of a month, and its export as a file or on paper. */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Skeleton from '@mui/material/Skeleton';
import { styled } from '@mui/material/styles';
import { ChevronLeft, ChevronRight, Download, FileText, Printer } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { Private } from '../account/Privacy.js';
import type { Transaction } from '#contracts/api/payments';
import { useUser } from '../account/current-user.js';
import { useReadAllTransactions, useTransactionTotalsQuery } from '../transactions/transactions.js';
import { statementPath } from '../../shared/navigation/statement-paths.js';
import { BigAmount } from '../../shared/ui/Amount.js';
import { DotLeaders } from '../../shared/ui/Layout.js';
import { usePrint } from '../../shared/ui/print.js';
import { useToast } from '../../shared/ui/toasts.js';
import { saveFile } from '../../shared/ui/save-file.js';
import { Stage } from '../../shared/ui/Stage.js';
import { touchRoom } from '../../shared/ui/theme.js';
import { signedMoney } from '../../shared/wording/money.js';
import { beginningOf, monthAfter, monthKey, spanOfMonth } from '../../shared/wording/months.js';
import { monthOf } from '../../shared/wording/time.js';
import { csvFile } from './csv.js';
import { PrintedMonth } from './PrintedMonth.js';

const Inside = styled('div')(({ theme }) => ({
  padding: '24px 22px 22px',
  '& .head': { display: 'flex', alignItems: 'center', justifyContent: 'space-between', height: 18 },
  '& .head h2': {
    fontSize: 13,
    lineHeight: '18px',
    fontWeight: 600,
    margin: 0,
    color: theme.vars.palette.stage.on2,
  },
  '& .head .turn': { display: 'flex', marginRight: -14, color: theme.vars.palette.stage.on2 },
  '& .head .turn button': { width: 36, height: 36, ...touchRoom(4, 4) },
  '& .figure': { margin: '4px 0 26px', minHeight: 40 },
  '& .take': { display: 'grid', gridTemplateColumns: 'repeat(2, minmax(0, 1fr))', gap: 10, marginTop: 18 },
  '& .failed': { margin: '0 0 16px', color: theme.vars.palette.stage.on2, fontSize: 14, lineHeight: '20px' },
  '& .MuiSkeleton-root': { backgroundColor: theme.vars.palette.stage.pool },
  // A stage has no sunken ground, which the theme expects.
  '& button.Mui-disabled': {
    backgroundColor: 'transparent',
    borderColor: theme.vars.palette.stage.line,
    color: 'inherit',
    opacity: 0.55,
  },
}));

const icon = { size: 18, strokeWidth: 1.75, 'aria-hidden': true } as const;

const FILE_KEPT_MS = 60_000;

interface MonthPanelProps {
  /** The close button, where the panel is a dialog. */
  readonly close?: ReactNode;
}

export function MonthPanel({ close }: MonthPanelProps) {
  const user = useUser();
  const thisMonth = monthKey(new Date());
  const [month, setMonth] = useState(thisMonth);
  const span = spanOfMonth(month);
  const { currentData: sums, isError, isFetching, refetch } = useTransactionTotalsQuery(span);
  // Its rows are read once they are taken away as a file or on paper.
  const readRows = useReadAllTransactions();
  const [isTaking, setTaking] = useState(false);
  const toast = useToast();
  const { sheet, print } = usePrint();
  const isEmpty = !sums || sums.lines === 0;
  const title = monthOf((beginningOf(month) ?? new Date()).toISOString());

  const take = async (hand: (rows: readonly Transaction[]) => void): Promise<void> => {
    setTaking(true);
    const rows = await readRows(span);
    setTaking(false);
    if (rows) hand(rows);
    else
      toast.error(
        'Month Not Loaded',
        'The transactions of this month could not be loaded. Please try again.',
      );
  };
  const save = (rows: readonly Transaction[]) => {
    const url = URL.createObjectURL(csvFile(rows));
    saveFile(`encore-${month}.csv`, url);
    // Safari reads the file after the click has ended.
    setTimeout(() => URL.revokeObjectURL(url), FILE_KEPT_MS);
  };
  return (
    <Stage light="aside">
      <Inside>
        <div className="head">
          <h2>{title}, net</h2>
          <div className="turn">
            <IconButton aria-label="The month before" onClick={() => setMonth(monthAfter(month, -1))}>
              <ChevronLeft {...icon} />
            </IconButton>
            <IconButton
              aria-label="The month after"
              disabled={month >= thisMonth}
              onClick={() => setMonth(monthAfter(month))}
            >
              <ChevronRight {...icon} />
            </IconButton>
            {close}
          </div>
        </div>
        <div aria-live="polite">
          {sums ? (
            <>
              <div className="figure">
                <Private size="big">
                  <BigAmount
                    decimal={sums.net.replace('-', '')}
                    size={34}
                    direction={sums.net === '0.00' ? undefined : sums.net.startsWith('-') ? 'out' : 'in'}
                  />
                </Private>
              </div>
              <DotLeaders
                rows={[
                  { label: 'Received', value: <Private>{signedMoney(sums.received, true)}</Private> },
                  { label: 'Sent', value: <Private>{signedMoney(sums.sent, false)}</Private> },
                  { label: 'Transactions', value: sums.count.toLocaleString('en-US') },
                ]}
              />
            </>
          ) : isError && !isFetching ? (
            <div className="failed" style={{ marginTop: 16 }}>
              This month could not be loaded.
            </div>
          ) : (
            <div role="status" aria-label="Loading the month">
              <div className="figure">
                <Skeleton width={150} height={34} />
              </div>
              {[0, 1, 2].map((each) => (
                <Skeleton key={each} height={14} style={{ margin: '9px 0' }} />
              ))}
            </div>
          )}
        </div>
        {isError && !isFetching ? (
          <Button variant="stage" size="small" fullWidth onClick={() => void refetch()}>
            Try again
          </Button>
        ) : (
          <div className="take">
            <Button
              variant="stage"
              size="small"
              disabled={isEmpty || isTaking}
              aria-label={`Download ${title} as CSV`}
              startIcon={<Download {...icon} />}
              onClick={() => void take(save)}
            >
              CSV
            </Button>
            <Button
              variant="stage"
              size="small"
              disabled={isEmpty || isTaking}
              aria-label={`Print ${title}`}
              startIcon={<Printer {...icon} />}
              onClick={() =>
                void take((rows) => print(<PrintedMonth title={title} rows={rows} user={user} />))
              }
            >
              Print
            </Button>
          </div>
        )}
        <Button
          component={Link}
          to={statementPath(month)}
          variant="stage"
          size="small"
          fullWidth
          aria-label={`Statement of ${title}`}
          startIcon={<FileText {...icon} />}
          style={{ marginTop: 10 }}
        >
          Statement
        </Button>
      </Inside>
      {sheet}
    </Stage>
  );
}
