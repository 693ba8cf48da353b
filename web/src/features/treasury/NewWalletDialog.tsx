/** Creates a wallet. */
import { useState } from 'react';
import { useFailure } from '../../shared/ui/failure.js';
import { isUnauthorized, sentenceFor } from '../../shared/api/call.js';
import { useRequestKey } from '../../shared/api/request-key.js';
import { useToast } from '../../shared/ui/toasts.js';
import { Field } from '../../shared/ui/Field.js';
import { FormDialog } from '../../shared/ui/FormDialog.js';
import { Banner, Stack } from '../../shared/ui/Layout.js';
import { useRefusals } from '../../shared/ui/refusals.js';
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
      title="New Wallet"
      onClose={onClose}
      onSubmit={() => void submit()}
      isBusy={isLoading}
      submit="Create Wallet"
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
