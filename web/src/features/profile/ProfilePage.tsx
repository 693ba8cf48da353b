/** The profile: summary, saved cards, security settings, passkeys, and sign-out. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { LogOut } from 'lucide-react';
import { useUser } from '../account/current-user.js';
import { ProfileSummary } from '../account/ProfileSummary.js';
import { SecuritySettings } from '../account/SecuritySettings.js';
import { LOGOUT_PATH } from '../../shared/navigation/paths.js';
import { Page } from '../shell/Page.js';
import { Stack } from '../../shared/ui/Layout.js';
import { DESKTOP } from '../../shared/ui/theme.js';
import { Passkeys } from './Passkeys.js';
import { SavedCards } from './SavedCards.js';

const Columns = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 20,
  [DESKTOP]: { gridTemplateColumns: 'repeat(2, minmax(0, 1fr))', gap: 24, alignItems: 'start' },
});

export default function ProfilePage() {
  const user = useUser();
  return (
    <Page title="Profile" width="narrow">
      <Columns>
        <Stack gap={20}>
          <ProfileSummary user={user} title="About you" />
          <SavedCards />
        </Stack>
        <Stack gap={20}>
          <SecuritySettings />
          <Passkeys />
        </Stack>
      </Columns>
      {/* A link, not a call: signing out also ends the identity provider's session, on its own page. */}
      <Button
        variant="outlined"
        href={LOGOUT_PATH}
        startIcon={<LogOut size={19} strokeWidth={1.75} />}
        style={{ justifySelf: 'start' }}
      >
        Log Out
      </Button>
    </Page>
  );
}
