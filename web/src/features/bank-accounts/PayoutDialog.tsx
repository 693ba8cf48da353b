/** Requests a payout: how much, and to which account. */
import MuiLink from '@mui/material/Link';
import { useState } from 'react';
import type { BankAccount } from '#contracts/api/bank-accounts';
import { AMOUNT_SENTENCES } from '#contracts/plain/card-amount';
import { minorFromDecimal, minorOf } from '#contracts/plain/money';
import { useUser } from '../account/current-user.js';
import { Private } from '../account/Privacy.js';
import { useDialogCommand } from '../../shared/ui/dialog-command.js';
import { useToast } from '../../shared/ui/toasts.js';
import { AmountField } from '../../shared/ui/AmountField.js';
import { Choices } from '../../shared/ui/Choices.js';
import { FormDialog } from '../../shared/ui/FormDialog.js';
import { Banner, Stack } from '../../shared/ui/Layout.js';
import { useRefusals } from '../../shared/ui/refusals.js';
import { money } from '../../shared/wording/money.js';
import { capitalised } from '../../shared/wording/people.js';
import { touchRoom } from '../../shared/ui/theme.js';
import { useNow } from '../../shared/ui/use-now.js';
import { usePayoutFundsQuery, useRequestPayoutMutation } from './bank-accounts.js';
import { sendingOf } from './PayableBalance.js';
import { requestPayout } from './outcomes.js';

const NOT_POSITIVE = 'Please enter a valid amount greater than 0';

/** Why an amount as it is written is none; whether it can be paid out is for the server to say. */
function amountProblem(amount: string): string | undefined {
  const read = minorFromDecimal(amount.trim());
  if ('minor' in read) return read.minor > 0 ? undefined : NOT_POSITIVE;
  if (read.problem === 'too-large') return undefined;
  return read.problem === 'not-a-number' ? NOT_POSITIVE : AMOUNT_SENTENCES[read.problem];
}

interface PayoutDialogProps {
  readonly accounts: readonly BankAccount[];
  readonly onClose: () => void;
}

export default function PayoutDialog({ accounts, onClose }: PayoutDialogProps) {
  const user = useUser();
  const toast = useToast();
  const { problem, clearProblem, run } = useDialogCommand('payout', requestPayout);
  const [send, { isLoading }] = useRequestPayoutMutation();
  const [amount, setAmount] = useState('');
  const [accountId, setAccountId] = useState(accounts.find(({ isPrimary }) => isPrimary)?.id ?? '');
  const { problemOf, refuse, changed, clear, around } = useRefusals<'amount' | 'account'>();
  const chosen = accounts.find(({ id }) => id === accountId);
  const { data: funds } = usePayoutFundsQuery();
  const nowMs = useNow();
  const isUnverified = chosen !== undefined && !chosen.isVerified;
  const sending = funds && !isUnverified ? sendingOf(amount, funds, nowMs) : undefined;
  const write = (next: string) => {
    setAmount(next);
    changed('amount');
    clearProblem();
  };

  const submit = async () => {
    const written = amount.trim();
    clearProblem();
    if (written === '' || chosen === undefined) {
      refuse({
        amount: written === '' ? 'Enter an amount.' : undefined,
        account: chosen === undefined ? 'Choose a bank account.' : undefined,
      });
      toast.error('Missing Information', 'Please enter an amount and select a bank account');
      return;
    }
    const wrong = amountProblem(written);
    if (wrong !== undefined) {
      refuse({ amount: wrong });
      toast.error('Invalid Amount', wrong);
      return;
    }
    clear();
    const payout = { amount: written, bankAccountId: chosen.id };
    if (await run(payout, (key) => send({ ...payout, key }).unwrap(), chosen)) onClose();
  };

  return (
    <FormDialog
      title="New Payout"
      onClose={onClose}
      onSubmit={() => void submit()}
      isBusy={isLoading}
      submit="Request Payout"
      look="tungsten"
    >
      <Stack ref={around} gap={16}>
        <AmountField
          plain
          value={amount}
          onChange={write}
          error={problemOf('amount')}
          help={
            <>
              Available balance <Private>{money(user.earnings)}</Private>
            </>
          }
        />
        {minorOf(user.earnings) > 0 && (
          <MuiLink
            component="button"
            type="button"
            onClick={() => write(user.earnings)}
            sx={{ justifySelf: 'start', minHeight: 32, margin: '-12px 0', ...touchRoom(6) }}
          >
            Pay out all
          </MuiLink>
        )}
        <Choices
          label="Bank account"
          rows={accounts.map(({ id, bankName, accountType, accountNumber }) => ({
            value: id,
            title: bankName,
            detail: `${capitalised(accountType)} ${accountNumber}`,
          }))}
          value={accountId}
          onChange={(next) => {
            setAccountId(next);
            changed('account');
            clearProblem();
          }}
          error={problemOf('account')}
          help={
            isUnverified
              ? 'This account is not verified yet. The payout waits until it is.'
              : `Payouts typically process within 1-2 business days.${sending === undefined ? '' : ` ${sending}`}`
          }
        />
      </Stack>
      {problem !== undefined && <Banner tone="error">{problem}</Banner>}
    </FormDialog>
  );
}
