/** Payments that are due on a day to come. */
import { Page } from '../../shell/Page.js';
import { EmptyState } from '../../ui/EmptyState.js';

export default function ScheduledPaymentsPage() {
  return (
    <Page title="Scheduled Payments">
      <EmptyState title="No scheduled payments yet">Pick a day, and the money leaves on it by itself.</EmptyState>
    </Page>
  );
}
