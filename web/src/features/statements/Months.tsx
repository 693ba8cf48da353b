/** The months that have entries, newest first, under their years: the newest year on the stage. */
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { FileText } from 'lucide-react';
import { Link } from 'react-router-dom';
import type { StatementSummary } from '#contracts/api/statements';
import { decimalFromMinor, minorOf } from '#contracts/plain/money';
import { Private, PrivacyButton, PrivateAmount } from '../account/Privacy.js';
import { Page } from '../shell/Page.js';
import { Sums } from '../transactions/Sums.js';
import { RowLink } from '../transactions/TransactionRow.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { BigAmount } from '../../shared/ui/Amount.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { DotLeaders, Note, Section, Stack } from '../../shared/ui/Layout.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { Disc, ListRow, RowList, RowSkeletons } from '../../shared/ui/Rows.js';
import { Stage } from '../../shared/ui/Stage.js';
import { money, signedMoney } from '../../shared/wording/money.js';
import { beginningOf } from '../../shared/wording/months.js';
import { monthOf } from '../../shared/wording/time.js';
import { statementPath } from '../../shared/navigation/statement-paths.js';
import { useStatementsQuery } from './statements.js';

interface Year {
  readonly year: string;
  readonly months: readonly StatementSummary[];
  readonly received: string;
  readonly sent: string;
}

/** Months, newest first, by their year, with what came in and went out in it. */
function yearsOf(months: readonly StatementSummary[]): Year[] {
  const sum = (of: readonly StatementSummary[], which: 'received' | 'sent'): string =>
    decimalFromMinor(of.reduce((all, month) => all + minorOf(month[which]), 0));
  return [...new Set(months.map(({ month }) => month.slice(0, 4)))].map((year) => {
    const own = months.filter(({ month }) => month.startsWith(year));
    return { year, months: own, received: sum(own, 'received'), sent: sum(own, 'sent') };
  });
}

export const titleOfMonth = (month: string): string =>
  monthOf(beginningOf(month)?.toISOString() ?? '') || month;

/** In which a month begins and ends, for people. */
export const zoneSentence = (timeZone: string): string =>
  `A month begins and ends at midnight in ${timeZone === 'UTC' ? 'UTC' : timeZone.replace(/_/g, ' ')}.`;

export function Months() {
  const query = useStatementsQuery();
  return (
    <Page title="Statements" back={PATHS.history} width="list" action={<PrivacyButton />}>
      <Loaded
        query={query}
        failed="Your statements could not be loaded."
        skeleton={<RowSkeletons count={6} label="Loading your statements" />}
      >
        {({ months, timeZone }) =>
          months.length === 0 ? (
            <EmptyState
              title="No statements yet"
              action={
                <Button component={Link} to={PATHS.myQr} variant="outlined">
                  Show My QR Code
                </Button>
              }
            >
              The first month in which money moves gets the first one.
            </EmptyState>
          ) : (
            <Stack gap={24}>
              <YearStage {...yearsOf(months)[0]!} />
              {yearsOf(months).map((each) => (
                <OneYear key={each.year} {...each} />
              ))}
              <Note icon={FileText}>{zoneSentence(timeZone)} A closed month never changes.</Note>
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

/** The year's figures: its opening is that of its first month, its closing that of its last. */
function YearStage({ year, months, received, sent }: Year) {
  const [last, first] = [months[0]!, months.at(-1)!];
  return (
    <Stage light="card">
      <div style={{ padding: 20 }}>
        <Typography variant="label" component="h2" sx={{ color: 'stage.on2' }}>
          {year}, {last.isClosed && last.month.endsWith('-12') ? 'balance at the end' : 'balance so far'}
        </Typography>
        <div style={{ minHeight: 50, marginBottom: 10 }}>
          <Private size="big">
            <BigAmount decimal={last.closing} size={44} />
          </Private>
        </div>
        <DotLeaders
          rows={[
            { label: 'At the beginning', value: <Private>{money(first.opening)}</Private> },
            { label: 'In', value: <Private>{signedMoney(received, true)}</Private> },
            { label: 'Out', value: <Private>{signedMoney(sent, false)}</Private> },
          ]}
        />
      </div>
    </Stage>
  );
}

function OneYear({ year, months, received, sent }: Year) {
  return (
    <Section title={year} action={<Sums received={received} sent={sent} />}>
      <RowList label={year}>
        {months.map(({ month, closing, entryCount, isClosed }) => (
          <ListRow
            key={month}
            start={
              <Disc data-shape="square">
                <FileText size={19} strokeWidth={1.75} aria-hidden="true" />
              </Disc>
            }
            title={<RowLink to={statementPath(month)}>{titleOfMonth(month)}</RowLink>}
            detail={`${entryCount === 1 ? '1 entry' : `${entryCount.toLocaleString('en-US')} entries`}${isClosed ? '' : ', not closed yet'}`}
            end={<PrivateAmount decimal={closing} />}
          />
        ))}
      </RowList>
    </Section>
  );
}
