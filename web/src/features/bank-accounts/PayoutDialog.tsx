/** Requests a payout: how much, and to which account. */
import MuiLink from '@mui/material/Link';
import { useState } from 'react';
import type { BankAccount } from '#contracts/api/bank-accounts';
import { minorFromDecimal } from '#contracts/plain/money';
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

/**
 * Refuses zero, empty text and words; everything else that may be wrong with an amount is refused by the
 * server.
 */
function isPositive(amount: string): boolean {
  const read = minorFromDecimal(amount.trim());
  return 'minor' in read ? read.minor > 0 : read.problem !== 'not-a-number';
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
    if (!isPositive(written)) {
      refuse({ amount: NOT_POSITIVE });
      toast.error('Invalid Amount', NOT_POSITIVE);
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
        {isPositive(user.earnings) && (
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
