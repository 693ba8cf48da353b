/** The card provider's fields, in its frame, once its script and the client secret have loaded. */
import Skeleton from '@mui/material/Skeleton';
import useMediaQuery from '@mui/material/useMediaQuery';
import { Elements, PaymentElement } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { Info } from 'lucide-react';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { ErrorState } from '../../shared/ui/EmptyState.js';
import { Banner, Note, Stack } from '../../shared/ui/Layout.js';
import { elementsOptions } from './card-provider.js';

interface ProviderProps {
  readonly stripe: Stripe;
  readonly clientSecret: string;
  readonly children: ReactNode;
}

/** Wraps a form that confirms something with the provider. Follows the system's mode while it is open. */
export function Provider({ stripe, clientSecret, children }: ProviderProps) {
  const isDark = useMediaQuery('(prefers-color-scheme: dark)', { noSsr: true });
  const options = useMemo(() => elementsOptions(clientSecret, isDark), [clientSecret, isDark]);
  return (
    <Elements key={clientSecret} stripe={stripe} options={options}>
      {children}
    </Elements>
  );
}

interface FieldsProps {
  readonly onReady: () => void;
  /** Called on any change of the fields: the message about the last attempt no longer applies. */
  readonly onChange?: () => void;
}

export function Fields({ onReady, onChange }: FieldsProps) {
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
  return (
    <div style={{ position: 'relative', minWidth: 0 }}>
      {state === 'loading' && <FieldsSkeleton />}
      {state === 'failed' && (
        <Banner tone="error">The payment form could not be opened. Load this page again.</Banner>
      )}
      <div style={state === 'loading' ? { position: 'absolute', inset: 0, opacity: 0 } : undefined}>
        <PaymentElement
          onReady={() => {
            setState('ready');
            onReady();
          }}
          onChange={onChange}
          onLoadError={() => setState('failed')}
        />
      </div>
    </div>
  );
}

/**
 * A script or a frame that is kept away by a blocker, or by a network that answers nothing, reports no
 * failure.
 */
const SLOW_AFTER_MS = 15_000;

/** As high as the card fields, so that the button below does not move. Says so where they do not come. */
export function FieldsSkeleton() {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label="Loading the payment form">
      <Stack gap={12}>
        {[0, 1, 2].map((line) => (
          <Stack key={line} gap={6}>
            <Skeleton width={96} height={18} />
            <Skeleton height={52} />
          </Stack>
        ))}
        {isSlow && (
          <Note icon={Info}>
            The payment form has not loaded yet. Check your connection and what blocks scripts in this
            browser, then load this page again.
          </Note>
        )}
      </Stack>
    </div>
  );
}

/** Shown instead of the fields when the provider cannot be reached. */
export function ProviderUnreachable({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <ErrorState onRetry={onRetry}>The card provider cannot be reached. You have not been charged.</ErrorState>
  );
}
