/** How a payment ended. */
import { Page } from '../../shell/Page.js';
import { EmptyState } from '../../ui/EmptyState.js';

export default function PaymentSuccessPage() {
  return (
    <Page title="Payment">
      <EmptyState title="No payment to show">Your history has every payment you made.</EmptyState>
    </Page>
  );
}
