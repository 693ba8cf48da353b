/** Gives a wallet another name and description. */
import type { TreasuryWallet } from '#contracts/api/treasury';
import { renameWallet } from './outcomes.js';
import { useRenameWalletMutation } from './treasury.js';
import { WalletForm } from './WalletForm.js';

interface RenameWalletDialogProps {
  readonly wallet: TreasuryWallet;
  readonly onClose: () => void;
}

export default function RenameWalletDialog({ wallet, onClose }: RenameWalletDialogProps) {
  const { id, displayName, description } = wallet;
  const [rename, { isLoading }] = useRenameWalletMutation();
  return (
    <WalletForm
      title="Rename Wallet"
      submit="Save"
      from={{ displayName, description: description ?? '' }}
      requestName="wallet name"
      outcome={renameWallet}
      isBusy={isLoading}
      onSend={(texts) => rename({ ...texts, id }).unwrap()}
      onClose={onClose}
    />
  );
}
