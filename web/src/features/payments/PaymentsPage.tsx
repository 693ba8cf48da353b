/** Payments: the form that sends one, and the wallet passes that receive one. */
import { styled } from '@mui/material/styles';
import { useSearchParams } from 'react-router-dom';
import { TapToPay } from './TapToPay.js';
import { Page } from '../shell/Page.js';
import { methodOf } from './MethodChoice.js';
import { COLUMNS, columnsOf } from '../../shared/ui/theme.js';
import { WalletPasses } from '../wallet-passes/WalletPasses.js';

const Columns = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 20,
  [COLUMNS]: { gridTemplateColumns: columnsOf(340), gap: 24, alignItems: 'start' },
});

export default function PaymentsPage() {
  const [query] = useSearchParams();
  const draft = {
    recipientId: query.get('recipientId') ?? '',
    amount: query.get('amount') ?? '',
    description: query.get('description') ?? '',
    method: methodOf(query.get('paymentMethod')),
  };
  return (
    <Page title="Payments" width="narrow">
      <Columns>
        {/* Another link resets the form. */}
        <TapToPay key={query.toString()} draft={draft} />
        <WalletPasses />
      </Columns>
    </Page>
  );
}
