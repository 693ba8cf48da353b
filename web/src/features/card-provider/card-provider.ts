/** The card provider in the browser. Its script is loaded only where money is paid. */
import archivo from '../../shared/ui/fonts/archivo-latin.woff2?url';
import type { Appearance, Stripe, StripeElementsOptions } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure/index.js';
import { useEffect, useState } from 'react';
import type { BrowserConfiguration } from '#contracts/api/browser-configuration';
import { useBrowserConfigurationQuery } from './browser-configuration.js';
import { COLOURS, FONT } from '../../shared/ui/theme.js';

const STRIPE_ORIGIN = 'https://js.stripe.com';

/** Loads a classic script once. A failed one is removed, so that it can be tried again. */
async function loadScript(url: string): Promise<void> {
  if ('Stripe' in window) return;
  await new Promise<void>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = url;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      script.remove();
      reject(new Error('The card provider’s script could not be loaded.'));
    });
    document.head.append(script);
  });
}

let loading: { readonly of: string; readonly provider: Promise<Stripe> } | undefined;

/** Loads the provider with our key. Everybody gets the same promise until it fails. */
async function load({ stripePublishableKey, stripeScriptUrl }: BrowserConfiguration): Promise<Stripe> {
  const of = `${stripePublishableKey} ${stripeScriptUrl}`;
  if (loading?.of === of) return loading.provider;
  const provider = (async () => {
    // The stand-in's script defines window.Stripe before loadStripe asks. loadStripe finds the provider's own
    // script by itself.
    if (new URL(stripeScriptUrl, window.location.href).origin !== STRIPE_ORIGIN)
      await loadScript(stripeScriptUrl);
    const stripe = await loadStripe(stripePublishableKey);
    if (!stripe) throw new Error('The card provider needs a browser.');
    return stripe;
  })();
  loading = { of, provider };
  provider.catch(() => {
    loading = undefined;
  });
  return provider;
}

export type CardProvider =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly stripe: Stripe }
  | { readonly status: 'unreachable'; readonly retry: () => void };

/** The card provider, on screens that need it. */
export function useCardProvider(): CardProvider {
  const { data, isError, refetch } = useBrowserConfigurationQuery();
  const [attempt, setAttempt] = useState(0);
  const [loaded, setLoaded] = useState<{ readonly attempt: number; readonly stripe?: Stripe }>();
  useEffect(() => {
    if (!data) return;
    let isCurrent = true;
    load(data).then(
      (stripe) => isCurrent && setLoaded({ attempt, stripe }),
      () => isCurrent && setLoaded({ attempt }),
    );
    return () => {
      isCurrent = false;
    };
  }, [data, attempt]);
  const retry = () => {
    if (isError) void refetch();
    setAttempt((count) => count + 1);
  };
  if (loaded?.stripe) return { status: 'ready', stripe: loaded.stripe };
  return isError || loaded?.attempt === attempt ? { status: 'unreachable', retry } : { status: 'loading' };
}

/**
 * Styles of the provider's fields, in both modes. They are in a frame, so our CSS variables do not reach
 * them.
 */
function appearanceOf(isDark: boolean): Appearance {
  const palette = COLOURS[isDark ? 'dark' : 'light'];
  const control = { border: `1px solid ${palette.control}`, boxShadow: 'none', padding: '14px' };
  return {
    theme: isDark ? 'night' : 'stripe',
    labels: 'above',
    variables: {
      colorPrimary: palette.focus,
      colorBackground: palette.background.paper,
      colorText: palette.text.primary,
      colorTextSecondary: palette.text.secondary,
      colorTextPlaceholder: palette.text.disabled,
      colorDanger: palette.error.main,
      borderRadius: '12px',
      fontFamily: `Archivo, ${FONT}`,
      fontSizeBase: '16px',
      spacingUnit: '4px',
    },
    rules: {
      '.Label': {
        fontSize: '13px',
        lineHeight: '18px',
        fontWeight: '600',
        color: palette.text.secondary,
        marginBottom: '6px',
      },
      '.Input': control,
      '.Input:focus': { border: `1px solid ${palette.focus}`, boxShadow: `0 0 0 1px ${palette.focus}` },
      '.Input--invalid': { border: `2px solid ${palette.error.main}`, boxShadow: 'none', padding: '13px' },
      '.Error': { fontSize: '13px', lineHeight: '18px', color: palette.error.main },
    },
  };
}

/** Options for the provider's Elements. */
export function elementsOptions(clientSecret: string, isDark: boolean): StripeElementsOptions {
  const font = {
    family: 'Archivo',
    src: `url(${new URL(archivo, window.location.href).href})`,
    weight: '400 700',
  };
  return { clientSecret, appearance: appearanceOf(isDark), fonts: [font], loader: 'never' };
}
