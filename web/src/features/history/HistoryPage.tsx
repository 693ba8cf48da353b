/** Everything that came and went. */
import { Page } from '../../shell/Page.js';
import { EmptyState } from '../../ui/EmptyState.js';

export default function HistoryPage() {
  return (
    <Page title="Transaction History">
      <EmptyState title="No transactions yet">Share your QR code and the first tip will stand here.</EmptyState>
    </Page>
  );
}
