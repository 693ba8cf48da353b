/** A wallet's name and description, to be sent: of a new one, or of one that is there. */
import { useState } from 'react';
import { useDialogCommand } from '../../shared/ui/dialog-command.js';
import type { Outcome } from '../../shared/ui/outcome.js';
import { useToast } from '../../shared/ui/toasts.js';
import { Field } from '../../shared/ui/Field.js';
import { FormDialog } from '../../shared/ui/FormDialog.js';
import { Banner, Stack } from '../../shared/ui/Layout.js';
import { useRefusals } from '../../shared/ui/refusals.js';
import { DescriptionField } from './DescriptionField.js';

const NO_NAME = 'Please enter a wallet name.';

interface WalletTexts {
  readonly displayName: string;
  readonly description: string;
}

interface WalletFormProps {
  readonly title: string;
  readonly submit: string;
  /** What the fields hold until they are typed in. */
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
  const { problem, clearProblem, run } = useDialogCommand(requestName, outcome);
  // Both are sent: what is not touched here follows the list, which another device may change meanwhile.
  const [newName, setName] = useState<string>();
  const [newDescription, setDescription] = useState<string>();
  const name = newName ?? from.displayName;
  const description = newDescription ?? from.description;
  const { problemOf, refuse, changed, clear, around } = useRefusals<'name'>();

  const send = async () => {
    const wallet = { displayName: name.trim(), description: description.trim() };
    clearProblem();
    if (wallet.displayName === '') {
      refuse({ name: NO_NAME });
      toast.error('Error', NO_NAME);
      return;
    }
    clear();
    if (await run(wallet, (key) => onSend({ ...wallet, key }), wallet)) onClose();
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
        <DescriptionField value={description} onChange={setDescription} />
      </Stack>
      {problem !== undefined && <Banner tone="error">{problem}</Banner>}
    </FormDialog>
  );
}
