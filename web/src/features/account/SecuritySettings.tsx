/** The three switches of a person's preferences. On home and on the profile. */
import MuiLink from '@mui/material/Link';
import Switch from '@mui/material/Switch';
import { Bell, EyeOff, Fingerprint, Info, type LucideIcon } from 'lucide-react';
import { useId } from 'react';
import { Link } from 'react-router-dom';
import type { PutSettings, SettingsAnswer } from '#contracts/api/settings';
import { isNotConfirmed, isUnauthorized } from '../../shared/api/call.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { useToast } from '../../shared/ui/toasts.js';
import { Banner, Note, Section, Stack } from '../../shared/ui/Layout.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { ListRow, RowList, RowSkeletons } from '../../shared/ui/Rows.js';
import { useFailure } from '../../shared/ui/failure.js';
import { changeSetting } from './outcomes.js';
import { usePasskeysQuery } from './passkeys.js';
import { useChangeSettingMutation, useSettingsQuery } from './settings.js';

interface SwitchWords {
  readonly name: Exclude<keyof SettingsAnswer, 'notice'>;
  readonly title: string;
  readonly detail: string;
  readonly icon: LucideIcon;
  /** Where nobody has touched it, and where an answer does not say. */
  readonly usually: boolean;
}
const SWITCHES: readonly SwitchWords[] = [
  {
    name: 'biometricEnabled',
    title: 'Ask for my passkey before money moves',
    detail: 'By face, fingerprint or key',
    icon: Fingerprint,
    usually: false,
  },
  {
    name: 'privacyModeEnabled',
    title: 'Privacy mode',
    detail: 'Hide amounts until you tap, and your name from others',
    icon: EyeOff,
    usually: false,
  },
  {
    name: 'transactionAlertsEnabled',
    title: 'Transaction alerts',
    detail: 'Tell me when money moves',
    icon: Bell,
    usually: true,
  },
];

function SettingRow({ name, title, detail, icon: Icon, isOn }: SwitchWords & { readonly isOn: boolean }) {
  const id = useId();
  const toast = useToast();
  const fail = useFailure();
  const [change] = useChangeSettingMutation();
  const flip = async (): Promise<void> => {
    const body: PutSettings = { [name]: !isOn };
    try {
      await change(body).unwrap();
    } catch (error) {
      const { failed, failedTitle } = changeSetting;
      if (isUnauthorized(error) || isNotConfirmed(error)) fail(error, failed);
      else toast.error(failedTitle, failed);
    }
  };
  return (
    <ListRow
      title={
        // What is agreed to is read whole.
        <label htmlFor={id} style={{ whiteSpace: 'normal' }}>
          {title}
        </label>
      }
      detail={<span id={`${id}-detail`}>{detail}</span>}
      start={<Icon size={21} strokeWidth={1.75} aria-hidden="true" opacity={0.8} />}
      end={
        <Switch
          checked={isOn}
          onChange={() => void flip()}
          slotProps={{ input: { id, role: 'switch', 'aria-describedby': `${id}-detail` } }}
        />
      }
    />
  );
}

/** The switch is on but there is no passkey to ask for: links to where one is added. */
function WithoutPasskey() {
  const { data: passkeys } = usePasskeysQuery();
  if (passkeys?.length !== 0) return null;
  return (
    <Note icon={Info}>
      Until you{' '}
      <MuiLink component={Link} to={PATHS.profile}>
        add a passkey
      </MuiLink>
      , you are asked to sign in again instead.
    </Note>
  );
}

export function SecuritySettings() {
  const query = useSettingsQuery();
  return (
    <Section title="Security">
      <Loaded
        query={query}
        failed="Your settings could not be loaded."
        skeleton={<RowSkeletons label="Loading your settings" />}
      >
        {(settings: Partial<SettingsAnswer>) => (
          <Stack>
            {settings.notice !== undefined && <Banner tone="warning">{settings.notice}</Banner>}
            <RowList>
              {SWITCHES.map((words) => (
                <SettingRow key={words.name} {...words} isOn={settings[words.name] ?? words.usually} />
              ))}
            </RowList>
            {settings.biometricEnabled === true && <WithoutPasskey />}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
