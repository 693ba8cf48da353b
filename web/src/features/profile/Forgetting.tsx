/**
 * Deleting one's account: what goes, what is kept and why, what stands in the way; asking for it, and calling
 * it off.
 */
import Typography from '@mui/material/Typography';
import { Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { ForgettingAnswer } from '#contracts/api/forgetting';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { ConfirmDialog } from '../../shared/ui/ConfirmDialog.js';
import { useFailure } from '../../shared/ui/failure.js';
import { withoutAmounts } from '../account/hidden-amounts.js';
import { usePrivacy } from '../account/privacy.js';
import { Banner, Note, Section, Stack } from '../../shared/ui/Layout.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { RowSkeletons } from '../../shared/ui/Rows.js';
import { useToast } from '../../shared/ui/toasts.js';
import { useNow } from '../../shared/ui/use-now.js';
import { dateTimeOf } from '../../shared/wording/time.js';
import {
  useCancelForgettingMutation,
  useForgettingQuery,
  useRequestForgettingMutation,
} from './forgetting.js';
import { cancelForgetting, requestForgetting } from './outcomes.js';
import { durationOf, timeLeft } from './time-left.js';

const ENDED = {
  recovery_started: 'Your last request ended when a recovery of your account was started.',
  money_left: 'Your last request ended: money of yours was left when the wait was over.',
} as const;

export default function Forgetting() {
  const query = useForgettingQuery();
  return (
    <Section title="Delete your account">
      <Loaded
        query={query}
        failed="Whether your account is to be deleted could not be loaded."
        skeleton={<RowSkeletons count={1} label="Loading whether your account is to be deleted" />}
      >
        {(forgetting) =>
          forgetting.status === 'requested' ? (
            <Requested forgetting={forgetting} />
          ) : (
            <NotRequested forgetting={forgetting} />
          )
        }
      </Loaded>
    </Section>
  );
}

/** What goes and what stays, as docs/explanation/privacy.md has it. */
function WhatIsKept() {
  return (
    <>
      <Typography variant="body2" color="textSecondary">
        Your name, addresses, notes and picture can then be read by nobody, us included. Your saved cards are
        deleted, you are signed out everywhere, and subscriptions and scheduled payments end, also those to
        you.
      </Typography>
      <Typography variant="body2" color="textSecondary">
        Amounts, times and ids of payments are kept, without your name: they are the records of those on the
        other side, too, and the books have to add up. Our payment providers keep records of their own.
      </Typography>
    </>
  );
}

interface ForgettingProps {
  readonly forgetting: ForgettingAnswer;
}

function NotRequested({ forgetting: { waitHours, blockedBecause, lastEndedBecause } }: ForgettingProps) {
  const toast = useToast();
  const { isHidden } = usePrivacy();
  const [request] = useRequestForgettingMutation();
  const [isAsking, setAsking] = useState(false);
  const confirm = async () => {
    toast.success(...requestForgetting.done(await request().unwrap(), undefined));
  };
  return (
    <Stack>
      <WhatIsKept />
      {lastEndedBecause !== null && <Note>{ENDED[lastEndedBecause]}</Note>}
      {blockedBecause !== null && (
        <Banner tone="warning">{isHidden ? withoutAmounts(blockedBecause) : blockedBecause}</Banner>
      )}
      <BusyButton
        variant="outlined"
        color="error"
        isBusy={false}
        disabled={blockedBecause !== null}
        startIcon={<Trash2 size={18} aria-hidden="true" />}
        onClick={() => setAsking(true)}
      >
        Delete My Account
      </BusyButton>
      {isAsking && (
        <ConfirmDialog
          title="Delete your account?"
          confirm="Delete My Account"
          keep="Keep My Account"
          failed={requestForgetting.failed}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          It is done in {durationOf(waitHours)}. Until then you can still say no, here on your profile.
          Afterwards nobody can bring it back.
        </ConfirmDialog>
      )}
    </Stack>
  );
}

function Requested({ forgetting: { dueAt } }: ForgettingProps) {
  const nowMs = useNow();
  const toast = useToast();
  const fail = useFailure();
  const [cancel, { isLoading }] = useCancelForgettingMutation();
  const keep = async () => {
    try {
      toast.success(...cancelForgetting.done(await cancel().unwrap(), undefined));
    } catch (error) {
      fail(error, cancelForgetting.failed);
    }
  };
  return (
    <Stack>
      <Banner tone="warning">
        Your account will be deleted on {dateTimeOf(dueAt ?? '')}, in {timeLeft(dueAt ?? '', nowMs)}.
      </Banner>
      <WhatIsKept />
      <BusyButton
        variant="contained"
        isBusy={isLoading}
        startIcon={<Undo2 size={18} aria-hidden="true" />}
        onClick={() => void keep()}
      >
        Keep My Account
      </BusyButton>
    </Stack>
  );
}
