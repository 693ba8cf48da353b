/**
 * A payment that was opened: its form, once the provider is there and has said that it is still to be paid.
 */
import { useCardProvider } from '../card-provider/card-provider.js';
import { FieldsSkeleton, Provider, ProviderUnreachable } from '../card-provider/ProviderFields.js';
import { Card } from '../../shared/ui/Layout.js';
import { PayForm, type PayFormProps } from './PayForm.js';
import { cardOf, useUnpaidIntent } from './payment-outcome.js';

export function Payment(props: Omit<PayFormProps, 'savedCard'>) {
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
  // A payment that waits for its payer names the card that it was to be paid with.
  const savedCard = requested.paymentId === undefined || unpaid === 'unknown' ? undefined : cardOf(unpaid);
  return (
    <Provider stripe={stripe} clientSecret={clientSecret}>
      <PayForm {...props} savedCard={savedCard} />
    </Provider>
  );
}
