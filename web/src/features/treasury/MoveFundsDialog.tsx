/** Moves money between the balance and a wallet. */
import { useState } from 'react';
import type { TreasuryWallet } from '#contracts/api/treasury';
import { minorFromDecimal } from '#contracts/plain/money';
import { useUser } from '../account/current-user.js';
import { Private } from '../account/Privacy.js';
import { useDialogCommand } from '../../shared/ui/dialog-command.js';
import { useToast } from '../../shared/ui/toasts.js';
import { AmountField } from '../../shared/ui/AmountField.js';
import { FormDialog } from '../../shared/ui/FormDialog.js';
import { Banner, DotLeaders, Stack } from '../../shared/ui/Layout.js';
import { useRefusals } from '../../shared/ui/refusals.js';
import { money } from '../../shared/wording/money.js';
import { DescriptionField } from './DescriptionField.js';
import { transfer, withdraw } from './outcomes.js';
import { useMoveFundsMutation, type Move } from './treasury.js';

const NO_AMOUNT = 'Please enter a valid amount.';

const WORDS = {
  transfer: { title: 'Add Funds', outcome: transfer },
  withdraw: { title: 'Withdraw', outcome: withdraw },
} as const satisfies Record<Move, object>;

/**
 * Refuses zero, empty text and words; everything else that may be wrong with an amount is refused by the
 * server.
 */
function isAmount(amount: string): boolean {
  const read = minorFromDecimal(amount.trim());
  return 'minor' in read
    ? read.minor > 0
    : read.problem === 'too-many-decimals' || read.problem === 'too-large';
}

interface MoveFundsDialogProps {
  readonly move: Move;
  readonly wallet: TreasuryWallet;
  readonly onClose: () => void;
}

export default function MoveFundsDialog({ move, wallet, onClose }: MoveFundsDialogProps) {
  const { title, outcome } = WORDS[move];
  const { earnings } = useUser();
  const toast = useToast();
  const { problem, clearProblem, run } = useDialogCommand('treasury', outcome);
  const [send, { isLoading }] = useMoveFundsMutation();
  const [amount, setAmount] = useState('');
  const [description, setDescription] = useState('');
  const { problemOf, refuse, changed, clear, around } = useRefusals<'amount'>();

  const submit = async () => {
    const moved = { move, walletId: wallet.id, amount: amount.trim(), description: description.trim() };
    clearProblem();
    if (!isAmount(moved.amount)) {
      refuse({ amount: NO_AMOUNT });
      toast.error('Error', NO_AMOUNT);
      return;
    }
    clear();
    if (await run(moved, (key) => send({ ...moved, key }).unwrap(), moved)) onClose();
  };
  const rows = [
    { label: wallet.displayName, value: <Private>{money(wallet.balance)}</Private> },
    { label: 'Available balance', value: <Private>{money(earnings)}</Private> },
  ];
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      onSubmit={() => void submit()}
      isBusy={isLoading}
      submit={title}
      look="tungsten"
    >
      <DotLeaders rows={rows} />
      <Stack ref={around} gap={16}>
        <AmountField
          plain
          min="0"
          value={amount}
          onChange={(next) => {
            setAmount(next);
            changed('amount');
            clearProblem();
          }}
          error={problemOf('amount')}
        />
        <DescriptionField value={description} onChange={setDescription} />
      </Stack>
      {problem !== undefined && <Banner tone="error">{problem}</Banner>}
    </FormDialog>
  );
}
