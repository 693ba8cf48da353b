/** Passkeys, which are asked for before money moves while the switch for that is on. */
import IconButton from '@mui/material/IconButton';
import { KeyRound, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Passkey } from '#contracts/api/passkeys';
import { useFailure } from '../../shared/ui/failure.js';
import { usePasskeysQuery } from '../account/passkeys.js';
import { isCallError, isUnauthorized, sentenceFor } from '../../shared/api/call.js';
import { useToast } from '../../shared/ui/toasts.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { ConfirmDialog } from '../../shared/ui/ConfirmDialog.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { Banner, Note, Section, Stack } from '../../shared/ui/Layout.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { Disc, ListRow, RowList, RowSkeletons } from '../../shared/ui/Rows.js';
import { dayOf } from '../../shared/wording/time.js';
import { finishEnrolment, removePasskey } from './outcomes.js';
import {
  useBeginEnrolmentMutation,
  useFinishEnrolmentMutation,
  useRemovePasskeyMutation,
} from './saved-cards.js';

const PUT_OFF = 'No passkey was made. You can try again at any time.';

export function Passkeys() {
  const query = usePasskeysQuery();
  const toast = useToast();
  const fail = useFailure();
  const [begin] = useBeginEnrolmentMutation();
  const [finish] = useFinishEnrolmentMutation();
  const [isEnrolling, setEnrolling] = useState(false);
  const [problem, setProblem] = useState<string>();

  const enrol = async () => {
    setEnrolling(true);
    setProblem(undefined);
    try {
      const { deviceName, makePasskey } = await import('./enrol.js');
      const response = await makePasskey(await begin().unwrap());
      const label = deviceName(navigator.userAgent);
      toast.success(...finishEnrolment.done(await finish({ label, response }).unwrap(), undefined));
    } catch (error) {
      // Not an error of the server: the person cancelled, or the device has no authenticator.
      if (isCallError(error)) fail(error, finishEnrolment.failed);
      else toast.error('Passkey Not Added', PUT_OFF);
      if (!isUnauthorized(error)) setProblem(sentenceFor(error, PUT_OFF));
    } finally {
      setEnrolling(false);
    }
  };
  return (
    <Section title="Passkeys">
      <Loaded
        query={query}
        failed="Your passkeys could not be loaded."
        skeleton={<RowSkeletons count={1} label="Loading your passkeys" />}
      >
        {(passkeys) => (
          <Stack>
            {passkeys.length === 0 ? (
              <EmptyState size="line" title="No passkeys yet" />
            ) : (
              <RowList label="Passkeys">
                {passkeys.map((passkey) => (
                  <PasskeyRow key={passkey.id} passkey={passkey} />
                ))}
              </RowList>
            )}
            {problem !== undefined && <Banner tone="error">{problem}</Banner>}
            <BusyButton
              variant="outlined"
              isBusy={isEnrolling}
              busyLabel="Waiting for your device"
              startIcon={<Plus size={18} aria-hidden="true" />}
              onClick={() => void enrol()}
            >
              Add a Passkey
            </BusyButton>
            <Note>
              While it is asked for, whatever moves your money or changes where it goes wants your face, your
              fingerprint or your key.
            </Note>
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

function PasskeyRow({ passkey: { id, label, createdAt } }: { readonly passkey: Passkey }) {
  const toast = useToast();
  const [remove] = useRemovePasskeyMutation();
  const [isRemoving, setRemoving] = useState(false);
  const confirm = async () => {
    await remove(id).unwrap();
    toast.success(...removePasskey.done(undefined, { name: label }));
  };
  return (
    <ListRow
      title={label}
      detail={`Added ${dayOf(createdAt)}`}
      start={
        <Disc data-shape="square">
          <KeyRound size={20} strokeWidth={1.75} aria-hidden="true" />
        </Disc>
      }
      end={
        <>
          <IconButton
            aria-label={`Remove ${label}`}
            onClick={() => setRemoving(true)}
            sx={{ color: 'text.secondary', marginRight: '-10px' }}
          >
            <Trash2 size={20} strokeWidth={1.75} aria-hidden="true" />
          </IconButton>
          {isRemoving && (
            <ConfirmDialog
              title="Remove this passkey?"
              confirm="Remove Passkey"
              keep="Keep Passkey"
              failed={removePasskey.failed}
              onConfirm={confirm}
              onClose={() => setRemoving(false)}
            >
              {label} can no longer confirm what moves your money.
            </ConfirmDialog>
          )}
        </>
      }
    />
  );
}
