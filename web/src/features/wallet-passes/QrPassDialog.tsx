/** A pass with my code on it: for one amount, or for whatever the payer chooses. */
import { useState } from 'react';
import { minorFromDecimal } from '#contracts/plain/money';
import { useToast } from '../../shared/ui/toasts.js';
import { AmountField } from '../../shared/ui/AmountField.js';
import { FormDialog } from '../../shared/ui/FormDialog.js';
import { useIsShown } from '../../shared/ui/is-shown.js';
import { Banner } from '../../shared/ui/Layout.js';
import { useQrPass, useWalletCheck } from './wallet.js';

const INVALID_AMOUNT = 'Please enter a valid amount greater than 0';

/** Empty means any amount. */
function isPassAmount(amount: string): boolean {
  return amount === '' || 'minor' in minorFromDecimal(amount);
}

export default function QrPassDialog({ onClose }: { readonly onClose: () => void }) {
  const toast = useToast();
  const check = useWalletCheck();
  const { isBusy, problem, clearProblem, add } = useQrPass();
  const [amount, setAmount] = useState('');
  const [error, setError] = useState<string>();
  const isShown = useIsShown();

  const submit = () => {
    if (!check()) return;
    if (!isPassAmount(amount.trim())) {
      setError(INVALID_AMOUNT);
      toast.error('Invalid Amount', INVALID_AMOUNT);
      return;
    }
    setError(undefined);
    void add(amount.trim() || null).then((isMade) => isMade && isShown.current && onClose());
  };
  return (
    <FormDialog
      title="QR Payment Pass"
      onClose={onClose}
      onSubmit={submit}
      isBusy={isBusy}
      submit="Add to Apple Wallet"
    >
      <AmountField
        plain
        min="0"
        label="Amount (optional)"
        value={amount}
        onChange={(next) => {
          setAmount(next);
          setError(undefined);
          clearProblem();
        }}
        error={error}
        help="Leave it empty for a pass with a variable amount."
      />
      {problem !== undefined && <Banner tone="error">{problem}</Banner>}
    </FormDialog>
  );
}
