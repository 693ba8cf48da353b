/** One month: what it began and ended with, every entry between with its balance, and the same as a PDF. */
import Button from '@mui/material/Button';
import MuiLink from '@mui/material/Link';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { Download, FileText } from 'lucide-react';
import { useMemo } from 'react';
import { Link } from 'react-router-dom';
import type { Statement } from '#contracts/api/statements';
import { Private, PrivacyButton } from '../account/Privacy.js';
import { Page } from '../shell/Page.js';
import { BigAmount } from '../../shared/ui/Amount.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { useFailure } from '../../shared/ui/failure.js';
import { DotLeaders, Note, Stack } from '../../shared/ui/Layout.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { RowSkeletons } from '../../shared/ui/Rows.js';
import { saveMade } from '../../shared/ui/save-file.js';
import { Stage } from '../../shared/ui/Stage.js';
import { COLUMNS, columnsOf } from '../../shared/ui/theme.js';
import { money, signedMoney } from '../../shared/wording/money.js';
import { EntryDays } from './EntryDays.js';
import { titleOfMonth, zoneSentence } from './Months.js';
import { entriesPath, STATEMENTS } from '../../shared/navigation/statement-paths.js';
import { useDownloadStatementMutation, useStatementQuery } from './statements.js';

/** The figures stand above the entries, and beside them where there is room. */
const Columns = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 24,
  [COLUMNS]: {
    gridTemplateColumns: columnsOf(340),
    alignItems: 'start',
    '& > aside': { order: 2, position: 'sticky', top: 24 },
  },
});

const Inside = styled('div')({
  padding: '20px 22px 22px',
  '& .figure': { minHeight: 46, margin: '2px 0 14px' },
  '& .take': { marginTop: 18 },
});

export function OneStatement({ month }: { readonly month: string }) {
  const query = useStatementQuery(month);
  const title = titleOfMonth(month);
  return (
    <Page title={title} back={STATEMENTS} width="narrow" action={<PrivacyButton />}>
      <Loaded
        query={query}
        failed="This statement could not be loaded."
        skeleton={
          <Stack gap={24} role="status" aria-label="Loading the statement">
            <Skeleton height={260} style={{ borderRadius: 16 }} />
            <RowSkeletons count={4} />
          </Stack>
        }
      >
        {(statement) => (
          <Columns>
            <aside aria-label="The month’s figures">
              <Figures statement={statement} title={title} />
            </aside>
            <Stack gap={24}>
              <Lines statement={statement} />
              <Note icon={FileText}>
                {zoneSentence(statement.timeZone)}{' '}
                {statement.isClosed
                  ? 'This month is closed: its entries never change.'
                  : 'This month is not closed yet: more may come.'}
              </Note>
            </Stack>
          </Columns>
        )}
      </Loaded>
    </Page>
  );
}

function Figures({ statement, title }: { readonly statement: Statement; readonly title: string }) {
  const { month, opening, received, sent, closing, isClosed } = statement;
  const fail = useFailure();
  const [download, { isLoading }] = useDownloadStatementMutation();
  const save = async () => {
    try {
      saveMade(`encore-statement-${month}.pdf`, await download(month).unwrap());
    } catch (error) {
      fail(error, 'Failed to download the statement');
    }
  };
  return (
    <Stage light="aside">
      <Inside>
        <Typography variant="label" component="h2" sx={{ color: 'stage.on2' }}>
          {isClosed ? 'Closing balance' : 'Balance so far'}
        </Typography>
        <div className="figure">
          <Private size="big">
            <BigAmount decimal={closing} size={38} />
          </Private>
        </div>
        <DotLeaders
          rows={[
            { label: 'Opening balance', value: <Private>{money(opening)}</Private> },
            { label: 'In', value: <Private>{signedMoney(received, true)}</Private> },
            { label: 'Out', value: <Private>{signedMoney(sent, false)}</Private> },
          ]}
        />
        <div className="take">
          <BusyButton
            variant="stage"
            fullWidth
            isBusy={isLoading}
            busyLabel="Making the PDF"
            startIcon={<Download size={18} strokeWidth={1.75} aria-hidden="true" />}
            aria-label={`Download PDF of ${title}`}
            onClick={() => void save()}
          >
            Download PDF
          </BusyButton>
        </div>
      </Inside>
    </Stage>
  );
}

function Lines({ statement: { lines, isCut, account } }: { readonly statement: Statement }) {
  const newestFirst = useMemo(() => [...lines].reverse(), [lines]);
  if (lines.length === 0)
    return (
      <EmptyState
        title="Nothing moved in this month"
        action={
          <Button component={Link} to={STATEMENTS} variant="outlined">
            All statements
          </Button>
        }
      >
        The balance at its end is the one at its beginning.
      </EmptyState>
    );
  return (
    <>
      <EntryDays entries={newestFirst} isCut={isCut} />
      {isCut && (
        <Typography variant="body2" color="textSecondary">
          The month has more entries than stand here. The PDF holds 3,000 of them at most;{' '}
          <MuiLink component={Link} to={entriesPath(account)}>
            the list of everything
          </MuiLink>{' '}
          has them all.
        </Typography>
      )}
    </>
  );
}
