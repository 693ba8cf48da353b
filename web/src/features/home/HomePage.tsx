/**
 * Home: balance, recent activity, payment form, profile, and security settings. For whoever only pays,
 * sending comes first.
 */
import Skeleton from '@mui/material/Skeleton';
import { styled } from '@mui/material/styles';
import { lazy, Suspense, type ComponentType } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import type { CurrentUser } from '#contracts/api/users';
import { useUser } from '../account/current-user.js';
import { justPaidIn } from '../checkout/just-paid.js';
import { ProfileSummary } from '../account/ProfileSummary.js';
import { Banner, Section } from '../../shared/ui/Layout.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { useRecentTransactionsQuery } from '../transactions/transactions.js';
import { useArrivals } from '../transactions/arrivals.js';
import { FROM_THE_EDGE } from '../shell/Page.js';
import { COLUMNS, DESKTOP, NARROW, WIDE, columnsOf } from '../../shared/ui/theme.js';
import { RowSkeletons } from '../../shared/ui/Rows.js';
import { BalanceStage } from './BalanceStage.js';
import { PayHere } from './PayHere.js';
import { RecentActivity } from './RecentActivity.js';
import { Tiles } from './Tiles.js';
import { Welcome } from './Welcome.js';

const JustPaid = onDemand(() => import('../checkout/JustPaid.js'));

/** The history has the same figures, so home works without the chart. */
const NoChart = () => (
  <Banner tone="warning">The chart could not be loaded. Load this page again to see it.</Banner>
);
const EarningsChart = lazy<ComponentType>(() =>
  import('./EarningsChart.js').catch(() => ({ default: NoChart })),
);
const NoSettings = () => (
  <Section title="Security">
    <Banner tone="error">Your settings could not be loaded. Load this page again to see them.</Banner>
  </Section>
);
/** At the foot of the page: the money above does not wait for its switches. */
const SecuritySettings = lazy<ComponentType>(() =>
  import('../account/SecuritySettings.js').then(
    (part) => ({ default: part.SecuritySettings }),
    () => ({ default: NoSettings }),
  ),
);
/** As high as the chart, so that nothing moves when it has loaded. */
const CHART_HEIGHT = 228;

/** One column; where there is room for two, the form and the tiles are the right one. */
const Columns = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 20,
  paddingBottom: 32,
  [DESKTOP]: {
    boxSizing: 'border-box',
    maxWidth: 1192,
    marginLeft: FROM_THE_EDGE,
    padding: '32px 24px 48px',
    gap: 24,
    alignItems: 'start',
  },
  [WIDE]: { padding: '32px 48px 48px' },
  [COLUMNS]: {
    gridTemplateColumns: columnsOf(408),
    gridTemplateRows: 'auto auto 1fr',
    gridTemplateAreas: '"welcome welcome" "money pay" "person pay"',
    '&[data-opens="sending"]': {
      gridTemplateRows: 'auto auto auto 1fr',
      gridTemplateAreas: '"welcome welcome" "money pay" "recent pay" "person pay"',
    },
  },
});

const Part = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 20,
  boxSizing: 'border-box',
  width: '100%',
  maxWidth: 480,
  margin: '0 auto',
  padding: '0 20px',
  [NARROW]: { padding: '0 16px' },
  [DESKTOP]: {
    maxWidth: 'none',
    padding: 0,
    gap: 24,
  },
  [COLUMNS]: {
    '&[data-area="pay"]': { gridArea: 'pay' },
    '&[data-area="person"]': { gridArea: 'person' },
    '&[data-area="recent"]': { gridArea: 'recent' },
  },
});

const Money = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 16,
  [DESKTOP]: { gap: 24 },
  [COLUMNS]: { gridArea: 'money' },
});

const Person = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 20,
  [DESKTOP]: { gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 300px), 1fr))', gap: 24 },
  // Side by side they end at one line.
  '& > section': { display: 'grid', gridTemplateRows: 'auto 1fr' },
});

const InOneColumn = styled('div')({ [COLUMNS]: { display: 'none' } });
const InTwoColumns = styled('div')({ display: 'none', [COLUMNS]: { display: 'block' } });

/** Has paid, and nothing that came in was ever kept: a fan. */
const onlyPays = ({ transactionCount, totalEarnings, earnings }: CurrentUser): boolean =>
  transactionCount > 0 && totalEarnings === '0.00' && earnings === '0.00';

export default function HomePage() {
  const user = useUser();
  const recent = useRecentTransactionsQuery();
  const arrived = useArrivals(recent.data ?? undefined);
  const here = useLocation();
  const navigate = useNavigate();
  const paid = justPaidIn(user.id, here.state);
  const isPayer = onlyPays(user);
  const recently = (
    <Part data-area={isPayer ? 'recent' : undefined}>
      {/* Rendered twice, once for one column and once for two; CSS hides one of them. */}
      <InOneColumn>
        <Tiles userId={user.id} />
      </InOneColumn>
      <RecentActivity recent={recent} arrived={arrived} />
    </Part>
  );
  return (
    <Columns data-opens={isPayer ? 'sending' : 'receiving'}>
      <Welcome firstName={user.firstName || user.username} />
      <Money>
        <BalanceStage balance={user.earnings} arrived={arrived} opensOn={isPayer ? 'sending' : 'receiving'} />
        {/* What was just paid is seen first, also where the form comes before what was paid lately. */}
        {paid !== undefined && (
          <Part>
            <JustPaid payment={paid} onClose={() => void navigate(here, { replace: true, state: null })} />
          </Part>
        )}
        {!isPayer && recently}
      </Money>
      <Part data-area="pay">
        <PayHere />
        <InTwoColumns>
          <Tiles userId={user.id} />
        </InTwoColumns>
      </Part>
      {isPayer && recently}
      <Part data-area="person">
        {/* The chart is hidden until the first payment is received. */}
        {user.totalEarnings !== '0.00' && (
          <Section title="Earnings">
            <Suspense fallback={<Skeleton height={CHART_HEIGHT} style={{ borderRadius: 16 }} />}>
              <EarningsChart />
            </Suspense>
          </Section>
        )}
        <Person>
          <ProfileSummary user={user} />
          <Suspense
            fallback={
              <Section title="Security">
                <RowSkeletons label="Loading your settings" />
              </Section>
            }
          >
            <SecuritySettings />
          </Suspense>
        </Person>
      </Part>
    </Columns>
  );
}
