/** What a tip link opens: who, how much, and on to the checkout. */
import { Page } from '../../shell/Page.js';
import { EmptyState } from '../../ui/EmptyState.js';

export default function TipPage() {
  return (
    <Page title="Send a Tip">
      <EmptyState title="Nothing to pay yet">Open a tip link with an amount to go on.</EmptyState>
    </Page>
  );
}
