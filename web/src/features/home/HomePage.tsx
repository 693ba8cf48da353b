/** Home: balance, recent activity, payment form, profile, and security settings. */
import Skeleton from '@mui/material/Skeleton';
import { styled } from '@mui/material/styles';
import { lazy, Suspense, type ComponentType } from 'react';
import { useUser } from '../account/current-user.js';
import { ProfileSummary } from '../account/ProfileSummary.js';
import { SecuritySettings } from '../account/SecuritySettings.js';
import { Banner, Section } from '../../shared/ui/Layout.js';
import { useRecentTransactionsQuery } from '../transactions/transactions.js';
import { useArrivals } from '../transactions/arrivals.js';
import { FROM_THE_EDGE } from '../shell/Page.js';
import { DESKTOP, NARROW } from '../../shared/ui/theme.js';
import { BalanceStage } from './BalanceStage.js';
import { PayHere } from './PayHere.js';
import { RecentActivity } from './RecentActivity.js';
import { Tiles } from './Tiles.js';
import { Welcome } from './Welcome.js';

/** The history has the same figures, so home works without the chart. */
const NoChart = () => (
  <Banner tone="warning">The chart could not be loaded. Load this page again to see it.</Banner>
);
const EarningsChart = lazy<ComponentType>(() =>
  import('./EarningsChart.js').catch(() => ({ default: NoChart })),
);
/** As high as the chart, so that nothing moves when it has loaded. */
const CHART_HEIGHT = 228;

/** One column on a phone; on a desktop the form and the tiles are a column at the right. */
const Columns = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 20,
  paddingBottom: 32,
  [DESKTOP]: {
    boxSizing: 'border-box',
    maxWidth: 1192,
    marginLeft: FROM_THE_EDGE,
    padding: '32px 48px 48px',
    gap: 24,
    gridTemplateColumns: 'minmax(0, 1fr) 408px',
    gridTemplateRows: 'auto auto 1fr',
    gridTemplateAreas: '"welcome welcome" "money pay" "person pay"',
    alignItems: 'start',
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
    '&[data-area="pay"]': { gridArea: 'pay' },
    '&[data-area="person"]': { gridArea: 'person' },
  },
});

const Money = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 16,
  [DESKTOP]: { gridArea: 'money', gap: 24 },
});

const Person = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 20,
  [DESKTOP]: { gridTemplateColumns: 'repeat(2, minmax(0, 1fr))', gap: 24 },
  // Side by side they end at one line.
  '& > section': { display: 'grid', gridTemplateRows: 'auto 1fr' },
});

const OnPhone = styled('div')({ [DESKTOP]: { display: 'none' } });
const OnDesktop = styled('div')({ display: 'none', [DESKTOP]: { display: 'block' } });

export default function HomePage() {
  const user = useUser();
  const recent = useRecentTransactionsQuery();
  const arrived = useArrivals(recent.data ?? undefined);
  return (
    <Columns>
      <Welcome firstName={user.firstName || user.username} />
      <Money>
        <BalanceStage balance={user.earnings} arrived={arrived} />
        <Part>
          {/* Rendered twice, once for phones and once for desktops; CSS hides one of the two. */}
          <OnPhone>
            <Tiles userId={user.id} />
          </OnPhone>
          <RecentActivity recent={recent} arrived={arrived} />
        </Part>
      </Money>
      <Part data-area="pay">
        <PayHere />
        <OnDesktop>
          <Tiles userId={user.id} />
        </OnDesktop>
      </Part>
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
          <SecuritySettings />
        </Person>
      </Part>
    </Columns>
  );
}
