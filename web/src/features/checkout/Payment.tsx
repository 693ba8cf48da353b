/** The form of an opened payment, once the provider has loaded and confirms that it is still unpaid. */
import { useCardProvider } from '../card-provider/card-provider.js';
import { FieldsSkeleton, Provider, ProviderUnreachable } from '../card-provider/ProviderFields.js';
import { Card } from '../../shared/ui/Layout.js';
import { PayForm, type PayFormProps } from './PayForm.js';
import { useUnpaidIntent } from './payment-outcome.js';

export function Payment(props: PayFormProps) {
  const { requested, clientSecret, next } = props;
  const provider = useCardProvider();
  const stripe = provider.status === 'ready' ? provider.stripe : undefined;
  const unpaid = useUnpaidIntent(stripe, clientSecret, requested, next);
  if (provider.status === 'unreachable') return <ProviderUnreachable onRetry={provider.retry} />;
  if (stripe === undefined || unpaid === undefined)
    return (
      <Card padding={20}>
        <FieldsSkeleton />
      </Card>
    );
  return (
    <Provider stripe={stripe} clientSecret={clientSecret}>
      <PayForm {...props} />
    </Provider>
  );
}
