/** A wallet to put a part of the balance aside in. */
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useFailure } from '../../account/failure.js';
import { isUnauthorized, sentenceFor } from '../../api/call.js';
import { useRequestKey } from '../../api/request-key.js';
import { useToast } from '../../toasts/toasts.js';
import { BusyButton } from '../../ui/BusyButton.js';
import { Field } from '../../ui/Field.js';
import { FormDialog } from '../../ui/FormDialog.js';
import { Banner, Stack } from '../../ui/Layout.js';
import { useRefusals } from '../../ui/refusals.js';
import { useCreateWalletMutation } from './treasury.js';

const NO_NAME = 'Please enter a wallet name.';
const FAILED = 'Failed to create treasury wallet. Please try again.';

export default function NewWalletDialog({ onClose }: { readonly onClose: () => void }) {
  const toast = useToast();
  const fail = useFailure();
  const request = useRequestKey('wallet');
  const [create, { isLoading }] = useCreateWalletMutation();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const { problemOf, refuse, changed, clear, around } = useRefusals<'name'>();
  const [problem, setProblem] = useState<string>();

  const submit = async () => {
    const wallet = { displayName: name.trim(), description: description.trim() };
    setProblem(undefined);
    if (wallet.displayName === '') {
      refuse({ name: NO_NAME });
      toast.error('Error', NO_NAME);
      return;
    }
    clear();
    try {
      await create({ ...wallet, key: request.keyFor(wallet) }).unwrap();
      request.end();
      toast.success('Treasury Wallet Created', 'Your new treasury wallet has been created successfully.');
      onClose();
    } catch (error) {
      request.endIfRefused(error);
      if (isUnauthorized(error)) return fail(error, FAILED);
      toast.error('Error', FAILED);
      setProblem(sentenceFor(error, FAILED));
    }
  };
  return (
    <FormDialog
      open
      title="New Wallet"
      onClose={onClose}
      onSubmit={() => void submit()}
      isBusy={isLoading}
      actions={
        <>
          <BusyButton type="submit" isBusy={isLoading}>
            Create Wallet
          </BusyButton>
          <Button variant="outlined" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
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
