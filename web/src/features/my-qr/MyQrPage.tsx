/** The code that others pay by. */
import { Page } from '../../shell/Page.js';
import { EmptyState } from '../../ui/EmptyState.js';

export default function MyQrPage() {
  return (
    <Page title="My QR Code">
      <EmptyState title="Your code is on its way">It opens your tip page on whoever's phone scans it.</EmptyState>
    </Page>
  );
}
