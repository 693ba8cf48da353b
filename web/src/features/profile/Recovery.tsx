/**
 * Getting the account back without a passkey: what it means, beginning it, how long it waits, finishing and
 * stopping it.
 */
import Typography from '@mui/material/Typography';
import { Check, Clock, Fingerprint, LifeBuoy } from 'lucide-react';
import { useState } from 'react';
import type { AccountRecoveryAnswer } from '#contracts/api/account-recovery';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { ConfirmDialog } from '../../shared/ui/ConfirmDialog.js';
import { useFailure } from '../../shared/ui/failure.js';
import { Banner, Card, DotLeaders, Note, Section, Stack } from '../../shared/ui/Layout.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { RowSkeletons } from '../../shared/ui/Rows.js';
import { useToast } from '../../shared/ui/toasts.js';
import { useNow } from '../../shared/ui/use-now.js';
import { dateTimeOf } from '../../shared/wording/time.js';
import { beginRecovery, completeRecovery, refuseRecovery } from './outcomes.js';
import {
  useBeginRecoveryMutation,
  useCompleteRecoveryMutation,
  useRecoveryQuery,
  useRefuseRecoveryMutation,
} from './recovery.js';
import { durationOf, timeLeft } from './time-left.js';

export default function Recovery() {
  const query = useRecoveryQuery();
  return (
    <Section title="Can’t use your passkey?">
      <Loaded
        query={query}
        failed="The recovery of your account could not be loaded."
        skeleton={<RowSkeletons count={1} label="Loading the recovery of your account" />}
      >
        {(recovery) =>
          recovery.status === 'running' || recovery.status === 'completing' ? (
            <Running recovery={recovery} />
          ) : (
            <Idle recovery={recovery} />
          )
        }
      </Loaded>
    </Section>
  );
}

interface RecoveryProps {
  readonly recovery: AccountRecoveryAnswer;
}

function Idle({ recovery: { status, isPossible, waitHours, againFrom } }: RecoveryProps) {
  const toast = useToast();
  const [begin] = useBeginRecoveryMutation();
  const [isAsking, setAsking] = useState(false);
  const wait = durationOf(waitHours);
  if (status === 'refused')
    return (
      <Note icon={Clock}>
        A recovery of this account was stopped. Another one can be started from {dateTimeOf(againFrom ?? '')}.
      </Note>
    );
  if (!isPossible)
    return <Note>No passkey is asked for on this account: to get in, signing in is enough.</Note>;
  const confirm = async () => {
    toast.success(...beginRecovery.done(await begin().unwrap(), undefined));
  };
  return (
    <Stack>
      <Typography variant="body2" color="textSecondary">
        Your passkey is lost, or somebody else added one? Get your account back with two sign-ins, {wait}{' '}
        apart. Then the passkeys are removed, and you add a new one.
      </Typography>
      <BusyButton
        variant="outlined"
        isBusy={false}
        startIcon={<LifeBuoy size={18} aria-hidden="true" />}
        onClick={() => setAsking(true)}
      >
        Recover My Account
      </BusyButton>
      {isAsking && (
        <ConfirmDialog
          title="Recover your account?"
          confirm="Start Recovery"
          keep="Not Now"
          failed={beginRecovery.failed}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <Stack>
            <div>
              You sign in now, and again in {wait} to finish. All other devices are signed out at once, and we
              write to you. With a passkey, or by the link in our mail, you can stop it at any time.
            </div>
            <div>{HELD_BACK}</div>
          </Stack>
        </ConfirmDialog>
      )}
    </Stack>
  );
}

const HELD_BACK =
  'Until it ends, nobody can pay from the balance or a saved card, pay out, or change bank accounts, cards, ' +
  'passkeys or this account. Being paid goes on, and so do subscriptions and payouts that were there before.';

function Running({ recovery }: RecoveryProps) {
  const nowMs = useNow();
  const { status, startedBy, startedAt, completableFrom, lapsesAt, isConfirmed } = recovery;
  if (status === 'completing')
    return (
      <Stack>
        <Banner tone="warning">
          The recovery is not quite done. Until it is, what needs a passkey is held back.
        </Banner>
        <Finish />
      </Stack>
    );
  // By this browser's clock: the ledger looks at its own, and says so where it is too early.
  const isOver = recovery.isCompletable || Date.parse(completableFrom ?? '') <= nowMs;
  return (
    <Stack>
      <Banner tone="warning">
        {isOver
          ? 'Your account is being recovered, and the wait is over.'
          : `Your account is being recovered. It waits ${timeLeft(completableFrom ?? '', nowMs)} more.`}
      </Banner>
      <Card>
        <DotLeaders
          rows={[
            {
              label: 'Started by',
              value: startedBy === 'operator' ? 'Our support' : 'Somebody signed in as you',
            },
            { label: 'Started', value: dateTimeOf(startedAt ?? '') },
            isOver
              ? { label: 'Finish before', value: dateTimeOf(lapsesAt ?? '') }
              : { label: 'Waits until', value: dateTimeOf(completableFrom ?? '') },
          ]}
        />
        <Typography variant="body2" color="textSecondary">
          {HELD_BACK}
        </Typography>
      </Card>
      {!isConfirmed ? <Confirm /> : isOver && <Finish />}
      <Refuse />
      <Note>
        It wasn’t you? Stop it with a passkey of yours or with the link in the mail, and change your password
        where you sign in.
      </Note>
    </Stack>
  );
}

/** Our support began it: its owner signs in once for that, and another time to finish. */
function Confirm() {
  const toast = useToast();
  const fail = useFailure();
  const [begin, { isLoading }] = useBeginRecoveryMutation();
  const confirm = async () => {
    try {
      toast.success(...beginRecovery.done(await begin().unwrap(), undefined));
    } catch (error) {
      fail(error, beginRecovery.failed);
    }
  };
  return (
    <Stack>
      <Typography variant="body2" color="textSecondary">
        Say that it is you by signing in. To finish, you sign in once more.
      </Typography>
      <BusyButton
        variant="contained"
        isBusy={isLoading}
        startIcon={<Check size={18} aria-hidden="true" />}
        onClick={() => void confirm()}
      >
        Confirm It’s Me
      </BusyButton>
    </Stack>
  );
}

function Finish() {
  const toast = useToast();
  const [complete] = useCompleteRecoveryMutation();
  const [isAsking, setAsking] = useState(false);
  const confirm = async () => {
    toast.success(...completeRecovery.done(await complete().unwrap(), undefined));
  };
  return (
    <>
      <BusyButton
        variant="contained"
        isBusy={false}
        startIcon={<Check size={18} aria-hidden="true" />}
        onClick={() => setAsking(true)}
      >
        Finish Recovery
      </BusyButton>
      {isAsking && (
        <ConfirmDialog
          title="Finish the recovery?"
          confirm="Finish Recovery"
          keep="Not Now"
          failed={completeRecovery.failed}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          All passkeys of this account are removed, and all other devices are signed out. Add a new passkey
          afterwards. You are asked to sign in once more.
        </ConfirmDialog>
      )}
    </>
  );
}

function Refuse() {
  const toast = useToast();
  const fail = useFailure();
  const [refuse, { isLoading }] = useRefuseRecoveryMutation();
  const stop = async () => {
    try {
      toast.success(...refuseRecovery.done(await refuse().unwrap(), undefined));
    } catch (error) {
      fail(error, refuseRecovery.failed);
    }
  };
  return (
    <BusyButton
      variant="outlined"
      isBusy={isLoading}
      startIcon={<Fingerprint size={18} aria-hidden="true" />}
      onClick={() => void stop()}
    >
      It Wasn’t Me: Stop It With My Passkey
    </BusyButton>
  );
}
