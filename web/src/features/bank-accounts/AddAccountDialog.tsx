/** Adds a bank account. Its numbers go to the server once; only the last four digits come back. */
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import { Lock } from 'lucide-react';
import { useId, useState } from 'react';
import type { AddedBankAccount } from '#contracts/api/bank-accounts';
import { useFailure } from '../../shared/ui/failure.js';
import { isUnauthorized, sentenceFor } from '../../shared/api/call.js';
import { useRequestKey } from '../../shared/api/request-key.js';
import { useToast } from '../../shared/ui/toasts.js';
import { Field, FieldLabel } from '../../shared/ui/Field.js';
import { FormDialog } from '../../shared/ui/FormDialog.js';
import { useIsShown } from '../../shared/ui/is-shown.js';
import { Banner, Note, Stack } from '../../shared/ui/Layout.js';
import { useRefusals } from '../../shared/ui/refusals.js';
import { useAddBankAccountMutation } from './bank-accounts.js';
import { addBankAccount } from './outcomes.js';

type RequiredField = 'accountHolderName' | 'bankName' | 'routingNumber' | 'accountNumber';

const NEEDED: Readonly<Record<RequiredField, string>> = {
  accountHolderName: 'Enter the name that the account is held in.',
  bankName: 'Enter the name of the bank.',
  routingNumber: 'Enter the routing number.',
  accountNumber: 'Enter the account number.',
};

/** What a refusal of the server names, and the field that it is about. */
const NAMED_IN: readonly (readonly [words: string, field: RequiredField])[] = [
  ['routing number', 'routingNumber'],
  ['account number', 'accountNumber'],
  ['bank name', 'bankName'],
];

interface AddAccountDialogProps {
  readonly onClose: () => void;
  readonly onAdded: (account: AddedBankAccount) => void;
}

export default function AddAccountDialog({ onClose, onAdded }: AddAccountDialogProps) {
  const typeLabel = useId();
  const toast = useToast();
  const fail = useFailure();
  const request = useRequestKey();
  const [add, { isLoading }] = useAddBankAccountMutation();
  const [written, setWritten] = useState<Readonly<Record<RequiredField, string>>>({
    accountHolderName: '',
    bankName: '',
    routingNumber: '',
    accountNumber: '',
  });
  const [accountType, setAccountType] = useState<'checking' | 'savings'>('checking');
  const { problemOf, refuse, changed, around } = useRefusals<RequiredField>();
  const [problem, setProblem] = useState<string>();
  const isShown = useIsShown();

  const submit = async () => {
    const empty = (Object.keys(NEEDED) as RequiredField[]).filter((name) => written[name].trim() === '');
    setProblem(undefined);
    if (empty.length > 0) {
      refuse(Object.fromEntries(empty.map((name) => [name, NEEDED[name]])));
      toast.error('Missing Information', 'Please fill in all required fields');
      return;
    }
    const account = { ...written, accountType };
    try {
      const added = await add({ account, key: request.keyFor(account) }).unwrap();
      request.end();
      toast.success(...addBankAccount.done(added, account));
      if (isShown.current) onAdded(added);
    } catch (error) {
      request.endIfRefused(error);
      fail(error, addBankAccount.failed);
      if (isUnauthorized(error)) return;
      const sentence = sentenceFor(error, addBankAccount.failed);
      const about = NAMED_IN.find(([words]) => sentence.toLowerCase().includes(words))?.[1];
      if (about === undefined) setProblem(sentence);
      else refuse({ [about]: sentence });
    }
  };

  const field = (name: RequiredField) => ({
    name,
    value: written[name],
    error: problemOf(name),
    onChange: ({ target }: { readonly target: { readonly value: string } }) => {
      setWritten({ ...written, [name]: target.value });
      changed(name);
      setProblem(undefined);
    },
  });
  const digits = { inputMode: 'numeric', spellCheck: false } as const;
  return (
    <FormDialog
      title="Add Bank Account"
      onClose={onClose}
      onSubmit={() => void submit()}
      isBusy={isLoading}
      submit="Add Account"
    >
      <Stack ref={around} gap={16}>
        <Field label="Account holder name" autoComplete="name" {...field('accountHolderName')} />
        <Field label="Bank name" autoComplete="off" {...field('bankName')} />
        <Field
          label="Routing number"
          autoComplete="off"
          help="Nine digits"
          inputProps={digits}
          {...field('routingNumber')}
        />
        <Field label="Account number" autoComplete="off" inputProps={digits} {...field('accountNumber')} />
        <div>
          <FieldLabel variant="label" component="span" id={typeLabel}>
            Account type
          </FieldLabel>
          <ToggleButtonGroup
            exclusive
            fullWidth
            value={accountType}
            aria-labelledby={typeLabel}
            onChange={(_event, next: 'checking' | 'savings' | null) => next !== null && setAccountType(next)}
          >
            <ToggleButton value="checking">Checking</ToggleButton>
            <ToggleButton value="savings">Savings</ToggleButton>
          </ToggleButtonGroup>
        </div>
      </Stack>
      {problem !== undefined && <Banner tone="error">{problem}</Banner>}
      <Note icon={Lock}>Your banking information is encrypted and secure</Note>
    </FormDialog>
  );
}
