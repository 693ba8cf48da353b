/** Where one is signed in: each device with its last use, and signing it out, or all others at once. */
import { Laptop, LogOut, MonitorSmartphone, Smartphone, Tablet, type LucideIcon } from 'lucide-react';
import Typography from '@mui/material/Typography';
import type { Session } from '#contracts/api/sessions';
import { useFailure } from '../../shared/ui/failure.js';
import { useToast } from '../../shared/ui/toasts.js';
import { useNow } from '../../shared/ui/use-now.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { Section, Stack } from '../../shared/ui/Layout.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { Disc, ListRow, RowList, RowSkeletons } from '../../shared/ui/Rows.js';
import { Badge } from '../../shared/ui/StatusChip.js';
import { dayAndTimeOf } from '../../shared/wording/time.js';
import { useEndOtherSessionsMutation, useEndSessionMutation, useSessionsQuery } from './sessions.js';

const UNKNOWN = 'Unknown device';
const FAILED = 'Failed to sign the device out';
const FAILED_OTHERS = 'Failed to sign the other devices out';
/** A use is written down every few minutes. */
const IN_USE_MS = 10 * 60_000;

const KINDS: Readonly<Record<Session['kind'], { readonly icon: LucideIcon; readonly word: string }>> = {
  phone: { icon: Smartphone, word: 'phone' },
  tablet: { icon: Tablet, word: 'tablet' },
  computer: { icon: Laptop, word: 'computer' },
  unknown: { icon: MonitorSmartphone, word: 'device' },
};

const nameOf = ({ device }: Session): string => device ?? UNKNOWN;
const devices = (count: number): string => (count === 1 ? '1 device' : `${count} devices`);

/** `Porto · in use now`; the truncated address where no place is known. */
function whereAndWhen({ place, address, lastUsedAt, isCurrent }: Session, nowMs: number): string {
  const isInUse = isCurrent || nowMs - Date.parse(lastUsedAt) < IN_USE_MS;
  // Unbroken: beside the mark of this device there is room for half of it.
  const when = isInUse ? 'in\u00a0use\u00a0now' : dayAndTimeOf(lastUsedAt, nowMs);
  return [place ?? address, when].filter(Boolean).join(' · ');
}

/** The device that is looked at stands first. */
const ordered = (sessions: readonly Session[]): Session[] =>
  [...sessions].sort((one, other) => Number(other.isCurrent) - Number(one.isCurrent));

export default function Sessions() {
  const query = useSessionsQuery();
  const count = query.data?.length ?? 0;
  return (
    <Section
      title="Signed in"
      action={
        count > 0 && (
          <Typography component="span" variant="body2" color="textSecondary">
            {devices(count)}
          </Typography>
        )
      }
    >
      <Loaded
        query={query}
        failed="Your devices could not be loaded."
        skeleton={<RowSkeletons count={2} label="Loading your devices" />}
      >
        {(sessions) => (
          <Stack gap={20}>
            <RowList label="Signed in">
              {ordered(sessions).map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
            </RowList>
            <SignOutOthers sessions={sessions} />
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

function SessionRow({ session }: { readonly session: Session }) {
  const nowMs = useNow();
  const toast = useToast();
  const fail = useFailure();
  const [end, ending] = useEndSessionMutation();
  const { icon: Icon, word } = KINDS[session.kind];
  const signOut = async () => {
    try {
      await end(session.id).unwrap();
      toast.success('Device Signed Out', `${nameOf(session)} is signed out.`);
    } catch (error) {
      fail(error, FAILED);
    }
  };
  return (
    <ListRow
      title={nameOf(session)}
      detail={whereAndWhen(session, nowMs)}
      start={
        <Disc>
          <Icon size={18} strokeWidth={2} aria-hidden="true" />
        </Disc>
      }
      end={
        session.isCurrent ? (
          <Badge tone="here" label={`This ${word}`} />
        ) : (
          <BusyButton
            variant="text"
            size="small"
            isBusy={ending.isLoading}
            busyLabel=""
            aria-label={`Sign out ${nameOf(session)}`}
            onClick={() => void signOut()}
            style={{ marginRight: -8 }}
          >
            Sign out
          </BusyButton>
        )
      }
    />
  );
}

function SignOutOthers({ sessions }: { readonly sessions: readonly Session[] }) {
  const toast = useToast();
  const fail = useFailure();
  const [endOthers, ending] = useEndOtherSessionsMutation();
  const others = sessions.filter(({ isCurrent }) => !isCurrent).length;
  if (others === 0) return null;
  const current = sessions.find(({ isCurrent }) => isCurrent);
  const { word } = KINDS[current?.kind ?? 'unknown'];
  const signOut = async () => {
    try {
      const { ended } = await endOthers().unwrap();
      toast.success('Signed Out Everywhere Else', `${devices(ended)} signed out.`);
    } catch (error) {
      fail(error, FAILED_OTHERS);
    }
  };
  return (
    <Stack gap={10}>
      <BusyButton
        variant="outlined"
        fullWidth
        isBusy={ending.isLoading}
        busyLabel="Signing out"
        startIcon={<LogOut size={19} strokeWidth={1.75} aria-hidden="true" />}
        onClick={() => void signOut()}
      >
        Sign out everywhere else
      </BusyButton>
      <Typography
        variant="body2"
        color="textSecondary"
        style={{ textAlign: 'center', textWrap: 'balance', padding: '0 16px' }}
      >
        Signs out the other {others === 1 ? 'device' : devices(others)} at once. This {word} stays signed in,
        and no payment stops.
      </Typography>
    </Stack>
  );
}
