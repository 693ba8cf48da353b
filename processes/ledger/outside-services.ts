/** The services outside: the card provider, in its three parts, and the identity provider. */
import type { Provider } from '@nestjs/common';
import { ISSUER_NAME } from '#ledger/parts';
import { wordsOf } from '#ledger/identity/assurance';
import { IdentityProvider } from '#ledger/identity/identity-provider';
import { CardProvider } from '#ledger/stripe/card-provider';
import type { OwnershipSeal } from '#ledger/stripe/ownership';
import { PayoutProvider } from '#ledger/stripe/payout-provider';
import { ProviderBalance } from '#ledger/stripe/provider-balance';
import { SavedCards } from '#ledger/stripe/saved-cards';
import type { StripeAccess } from '#ledger/stripe/stripe-client';
import type { VerifiedWebhooks, WebhookEndpoint } from '#ledger/stripe/verified-webhooks';
import type { SignedWith } from '#ledger/stripe/webhook-signature';
import type { Figures } from '../shell/figures.js';
import type { LedgerSettings } from './settings.js';

/** Counts webhooks by the secret that signed them, and notes when each last held. */
function webhookNotes(verified: VerifiedWebhooks, figures: Figures) {
  const signed = figures.counter(
    'encore_webhooks_verified_total',
    'Webhooks of the card provider by the secret that signed them: the present one, the one to come, or both',
    ['endpoint', 'secret'],
  );
  return (endpoint: WebhookEndpoint, current: string, next: string | undefined) => ({
    webhookSecrets: { current, next },
    onVerified(secret: SignedWith): void {
      signed.inc({ endpoint, secret });
      verified.note(endpoint, secret === 'next' && next !== undefined ? next : current);
    },
  });
}

export function outsideServices(
  settings: LedgerSettings,
  publicUrl: string,
  {
    seal,
    access,
    verified,
    figures,
  }: {
    readonly seal: OwnershipSeal;
    readonly access: StripeAccess;
    readonly verified: VerifiedWebhooks;
    readonly figures: Figures;
  },
): Provider[] {
  const webhooksOf = webhookNotes(verified, figures);
  return [
    {
      provide: CardProvider,
      useValue: new CardProvider({
        ...access,
        ...webhooksOf('platform', settings.STRIPE_WEBHOOK_SECRET, settings.STRIPE_WEBHOOK_SECRET_NEXT),
        seal,
        publicUrl,
      }),
    },
    {
      provide: PayoutProvider,
      useValue: new PayoutProvider({
        ...access,
        ...webhooksOf(
          'connect',
          settings.STRIPE_CONNECT_WEBHOOK_SECRET,
          settings.STRIPE_CONNECT_WEBHOOK_SECRET_NEXT,
        ),
        seal,
      }),
    },
    {
      provide: ProviderBalance,
      useValue: new ProviderBalance(access, seal),
    },
    {
      provide: SavedCards,
      useValue: new SavedCards({ ...access, seal }),
    },
    {
      provide: IdentityProvider,
      useValue: new IdentityProvider({
        issuer: settings.OIDC_ISSUER,
        internalUrl: settings.OIDC_INTERNAL_URL,
        clientId: settings.OIDC_CLIENT_ID,
        clientSecret: settings.OIDC_CLIENT_SECRET,
        publicUrl,
        assurance: {
          classes: wordsOf(settings.OIDC_ACR_VALUES),
          methods: wordsOf(settings.OIDC_AMR_REQUIRED),
        },
      }),
    },
    { provide: ISSUER_NAME, useValue: settings.OIDC_ISSUER_NAME ?? settings.OIDC_ISSUER },
  ];
}
