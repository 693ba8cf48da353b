/** Creates a wallet. */
import { createWallet } from './outcomes.js';
import { useCreateWalletMutation } from './treasury.js';
import { WalletForm } from './WalletForm.js';

export default function NewWalletDialog({ onClose }: { readonly onClose: () => void }) {
  const [create, { isLoading }] = useCreateWalletMutation();
  return (
    <WalletForm
      title="New Wallet"
      submit="Create Wallet"
      requestName="wallet"
      outcome={createWallet}
      isBusy={isLoading}
      onSend={(wallet) => create(wallet).unwrap()}
      onClose={onClose}
    />
  );
}
