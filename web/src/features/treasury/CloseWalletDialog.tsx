/** Asks before a wallet is closed; what is in it goes back to the available balance with it. */
import type { TreasuryWallet } from '#contracts/api/treasury';
import { minorOf } from '#contracts/plain/money';
import { useRequestKey } from '../../shared/api/request-key.js';
import { ConfirmDialog } from '../../shared/ui/ConfirmDialog.js';
import { useToast } from '../../shared/ui/toasts.js';
import { money } from '../../shared/wording/money.js';
import { Private } from '../account/Privacy.js';
import { closeWallet } from './outcomes.js';
import { useCloseWalletMutation } from './treasury.js';

interface CloseWalletDialogProps {
  readonly wallet: TreasuryWallet;
  readonly onClose: () => void;
}

export default function CloseWalletDialog({ wallet, onClose }: CloseWalletDialogProps) {
  const { id, displayName, balance } = wallet;
  const toast = useToast();
  const request = useRequestKey('wallet closing');
  const [close] = useCloseWalletMutation();
  const isEmpty = minorOf(balance) === 0;
  const closeIt = async () => {
    try {
      await close({ id, key: request.keyFor({ id }) }).unwrap();
      request.end();
      const [title, description] = closeWallet.done(undefined, {});
      toast.success(title, isEmpty ? undefined : description);
    } catch (error) {
      request.endIfRefused(error);
      throw error;
    }
  };
  return (
    <ConfirmDialog
      title="Close this wallet?"
      confirm="Close Wallet"
      keep="Keep It"
      failed={closeWallet.failed}
      onConfirm={closeIt}
      onClose={onClose}
    >
      {isEmpty ? (
        <>{displayName} is empty. It leaves your wallets, and what moved in it stays in your history.</>
      ) : (
        <>
          The <Private>{money(balance)}</Private> in {displayName} go back to your available balance. The
          wallet leaves your list, and what moved in it stays in your history.
        </>
      )}
    </ConfirmDialog>
  );
}
