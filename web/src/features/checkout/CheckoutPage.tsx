/** Where a payment is made. */
import { Page } from '../../shell/Page.js';
import { EmptyState } from '../../ui/EmptyState.js';

export default function CheckoutPage() {
  return (
    <Page title="Checkout">
      <EmptyState title="Nothing to pay yet">Choose an amount and a recipient first.</EmptyState>
    </Page>
  );
}
