/** Wallets that a part of the balance is put aside in. */
import { Page } from '../../shell/Page.js';
import { EmptyState } from '../../ui/EmptyState.js';

export default function TreasuryPage() {
  return (
    <Page title="Treasury">
      <EmptyState title="No treasury transactions yet">Create a wallet and add funds to get started</EmptyState>
    </Page>
  );
}
