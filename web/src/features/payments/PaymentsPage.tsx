/** Payments: the pass, and the form that sends a payment. */
import { Page } from '../../shell/Page.js';
import { EmptyState } from '../../ui/EmptyState.js';

export default function PaymentsPage() {
  return (
    <Page title="Payments">
      <EmptyState title="No payments yet">Choose who you want to pay and it starts here.</EmptyState>
    </Page>
  );
}
