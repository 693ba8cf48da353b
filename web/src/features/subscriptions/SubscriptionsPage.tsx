/** Payments that come again by themselves. */
import { Page } from '../../shell/Page.js';
import { EmptyState } from '../../ui/EmptyState.js';

export default function SubscriptionsPage() {
  return (
    <Page title="Subscriptions">
      <EmptyState title="No subscriptions yet">Set one up, and a favourite performer can count on you.</EmptyState>
    </Page>
  );
}
