/** A wallet's name and description, to be sent: of a new one, or of one that is there. */
import { useState } from 'react';
import { useFailure } from '../../shared/ui/failure.js';
import { isNotConfirmed, isUnauthorized, sentenceFor } from '../../shared/api/call.js';
import { useRequestKey } from '../../shared/api/request-key.js';
import type { Outcome } from '../../shared/ui/outcome.js';
import { useToast } from '../../shared/ui/toasts.js';
import { Field } from '../../shared/ui/Field.js';
import { FormDialog } from '../../shared/ui/FormDialog.js';
import { Banner, Stack } from '../../shared/ui/Layout.js';
import { useRefusals } from '../../shared/ui/refusals.js';

const NO_NAME = 'Please enter a wallet name.';

export interface WalletTexts {
  readonly displayName: string;
  readonly description: string;
}

interface WalletFormProps {
  readonly title: string;
  readonly submit: string;
  /** What the fields hold at first. */
  readonly from?: WalletTexts;
  /** Under which its request is kept in the tab. */
  readonly requestName: string;
  readonly outcome: Outcome<unknown>;
  readonly isBusy: boolean;
  readonly onSend: (wallet: WalletTexts & { readonly key: string }) => Promise<unknown>;
  readonly onClose: () => void;
}

export function WalletForm({
  title,
  submit,
  from = { displayName: '', description: '' },
  requestName,
  outcome,
  isBusy,
  onSend,
  onClose,
}: WalletFormProps) {
  const toast = useToast();
  const fail = useFailure();
  const request = useRequestKey(requestName);
  const [name, setName] = useState(from.displayName);
  const [description, setDescription] = useState(from.description);
  const { problemOf, refuse, changed, clear, around } = useRefusals<'name'>();
  const [problem, setProblem] = useState<string>();

  const send = async () => {
    const wallet = { displayName: name.trim(), description: description.trim() };
    setProblem(undefined);
    if (wallet.displayName === '') {
      refuse({ name: NO_NAME });
      toast.error('Error', NO_NAME);
      return;
    }
    clear();
    try {
      await onSend({ ...wallet, key: request.keyFor(wallet) });
      request.end();
      toast.success(...outcome.done(undefined, wallet));
      onClose();
    } catch (error) {
      request.endIfRefused(error);
      const { failed } = outcome;
      if (isUnauthorized(error) || isNotConfirmed(error)) fail(error, failed);
      else toast.error('Error', failed);
      if (!isUnauthorized(error)) setProblem(sentenceFor(error, failed));
    }
  };
  return (
    <FormDialog title={title} onClose={onClose} onSubmit={() => void send()} isBusy={isBusy} submit={submit}>
      <Stack ref={around} gap={16}>
        <Field
          label="Wallet name"
          name="displayName"
          autoComplete="off"
          placeholder="Taxes"
          value={name}
          onChange={({ target }) => {
            setName(target.value);
            changed('name');
          }}
          error={problemOf('name')}
          inputProps={{ maxLength: 100 }}
        />
        <Field
          label="Description (optional)"
          name="description"
          autoComplete="off"
          placeholder="What it is for"
          value={description}
          onChange={({ target }) => setDescription(target.value)}
          inputProps={{ maxLength: 500 }}
        />
      </Stack>
      {problem !== undefined && <Banner tone="error">{problem}</Banner>}
    </FormDialog>
  );
}
