/**
 * The profile: summary, saved cards, security settings, passkeys, devices, recovery, deletion, and sign-out.
 */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { LogOut } from 'lucide-react';
import { lazy, Suspense, type ComponentType } from 'react';
import { useUser } from '../account/current-user.js';
import { loggingOut } from '../account/other-tabs.js';
import { ProfileSummary } from '../account/ProfileSummary.js';
import { SecuritySettings } from '../account/SecuritySettings.js';
import { LOGOUT_PATH } from '../../shared/navigation/paths.js';
import { Page } from '../shell/Page.js';
import { Banner, Section, Stack } from '../../shared/ui/Layout.js';
import { COLUMNS } from '../../shared/ui/theme.js';
import { Names } from './Names.js';
import { Passkeys } from './Passkeys.js';
import { ProfilePicture } from './ProfilePicture.js';
import { RowSkeletons } from '../../shared/ui/Rows.js';
import { SavedCards } from './SavedCards.js';

/** A part with code of its own: most visits are for something else on the page. */
const part = (
  load: () => Promise<{ readonly default: ComponentType }>,
  title: string,
  failed: string,
): ComponentType =>
  lazy<ComponentType>(() =>
    load().catch(() => ({
      default: () => (
        <Section title={title}>
          <Banner tone="error">{failed} could not be loaded. Please reload the page.</Banner>
        </Section>
      ),
    })),
  );
const Sessions = part(() => import('./Sessions.js'), 'Signed in', 'Your devices');
const Recovery = part(() => import('./Recovery.js'), 'Can’t use your passkey?', 'This part');
const OwnData = part(() => import('./OwnData.js'), 'Your data', 'This part');
const Forgetting = part(() => import('./Forgetting.js'), 'Delete your account', 'This part');

const Columns = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 20,
  [COLUMNS]: { gridTemplateColumns: 'repeat(2, minmax(0, 1fr))', gap: 24, alignItems: 'start' },
});

export default function ProfilePage() {
  const user = useUser();
  return (
    <Page title="Profile" width="narrow">
      <Columns>
        <Stack gap={20}>
          <ProfileSummary user={user} title="About you" />
          <ProfilePicture />
          <Names />
          <SavedCards />
        </Stack>
        <Stack gap={20}>
          <SecuritySettings />
          <Passkeys />
          <Suspense fallback={<RowSkeletons count={1} label="Loading the recovery of your account" />}>
            <Recovery />
          </Suspense>
          <Suspense fallback={<RowSkeletons count={2} label="Loading your devices" />}>
            <Sessions />
          </Suspense>
          <Suspense fallback={<RowSkeletons count={1} label="Loading the rest of your profile" />}>
            <OwnData />
            <Forgetting />
          </Suspense>
        </Stack>
      </Columns>
      {/* A link, not a call: signing out also ends the identity provider's session, on its own page. */}
      <Button
        variant="outlined"
        href={LOGOUT_PATH}
        onClick={loggingOut}
        startIcon={<LogOut size={19} strokeWidth={1.75} />}
        style={{ justifySelf: 'start' }}
      >
        Log Out
      </Button>
    </Page>
  );
}
