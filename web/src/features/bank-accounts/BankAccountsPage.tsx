/** Bank accounts, and payouts to them. */
import { Page } from '../../shell/Page.js';
import { EmptyState } from '../../ui/EmptyState.js';

export default function BankAccountsPage() {
  return (
    <Page title="Bank Accounts &amp; Payouts">
      <EmptyState title="No bank accounts added yet">Add one and your balance can follow you home.</EmptyState>
    </Page>
  );
}
